"""Arguments that a model must never be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from counterfoil.contract.report import Report
from counterfoil.lint.survey import Node, Survey
from counterfoil.names import words

_SECRET = frozenset(
    {
        "apikey",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "mnemonic",
        "passphrase",
        "passwd",
        "password",
        "payment",
        "payments",
        "privatekey",
        "secret",
        "secrets",
        "signature",
        "signatures",
        "token",
        "tokens",
    }
)
# Who acts is the credential's affair, never an argument's: a model can be talked into another.
_IDENTITY = frozenset(
    {"account", "accounts", "address", "addresses", "owner", "owners", "wallet", "wallets"}
)
_PAIRS = frozenset(
    {
        ("access", "key"),
        ("api", "key"),
        ("pass", "phrase"),
        ("pass", "word"),
        ("private", "key"),
        ("recovery", "phrase"),
        ("seed", "phrase"),
        ("signing", "key"),
    }
)


def _words(name: str) -> list[str]:
    """Return the words of a name without the digits that number them."""
    return [word.rstrip("0123456789") for word in words(name)]


def named_like_a_secret(name: str) -> str:
    """Return the word or words of a name that a credential or a payment would have, or ``""``."""
    parts = _words(name)
    for word in parts:
        if word in _SECRET:
            return word
    for pair in pairwise(parts):
        if pair in _PAIRS:
            return " ".join(pair)
    return ""


def judge_secrets(survey: Survey, report: Report) -> None:
    """Report arguments of shared tools that are named like a credential, a payer or a payment.

    A shared tool is one in the assistant's table: its arguments are written by a model, and read
    by whoever runs that model.
    """
    reported: set[str] = set()
    for server in survey.contract.servers:
        for tool in server.tools:
            place = survey.place(tool, "input")
            if "assistant" not in tool.surfaces or place is None:
                continue
            for each in (place, *survey.needed(place)):
                for node, word in _asked(each.nodes):
                    if node.pointer not in reported:
                        reported.add(node.pointer)
                        message = f'the shared tool {tool.name} asks for "{node.name}" ({word})'
                        report.add("CF135", node.pointer, message)


def _asked(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, str]]:
    for node in nodes:
        if node.keyword != "properties":
            continue
        word = named_like_a_secret(node.name)
        if not word:
            word = next((each for each in _words(node.name) if each in _IDENTITY), "")
        if word:
            yield node, word
