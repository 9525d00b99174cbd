"""Arguments that a model must never be asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from counterfoil.contract.model import Tool
from counterfoil.contract.report import Report
from counterfoil.lint.survey import Node, Place, Survey
from counterfoil.names import words

_SECRET = frozenset(
    {
        "apikey",
        "authorization",
        "bearer",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "jwt",
        "mnemonic",
        "otp",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "payment",
        "payments",
        "privatekey",
        "privkey",
        "pwd",
        "secret",
        "secrets",
        "signature",
        "signatures",
        "token",
        "tokens",
        "totp",
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
        ("priv", "key"),
        ("private", "key"),
        ("recovery", "phrase"),
        ("seed", "phrase"),
        ("signing", "key"),
    }
)


# Names that nobody divides: accesstoken, walletaddress. Words of four letters or fewer are looked
# for on their own only, since other words hold them (footprint). Longest first, so that a
# message names all of a word.
_INSIDE = sorted(
    {word for word in (*_SECRET, *_IDENTITY, *map("".join, _PAIRS)) if len(word) > 4},
    key=lambda word: (-len(word), word),
)
# Words that begin like one of those and mean something else.
_INNOCENT = re.compile(
    "accountab(?:le|ility)|accountan(?:cy|ts?)|accounting|address(?:able|ed|ees?|ing)|ownership"
    "|paymentless|secretar(?:ial|iat|ies|y)|secret(?:ion|ive)|tokeni[sz](?:ations?|e[drs]?|ers|ing)"
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
    return _inside(parts, _IDENTITY)


def _inside(parts: list[str], without: frozenset[str] = frozenset()) -> str:
    """Return what an undivided word of a name holds, or ``""``."""
    left = [_INNOCENT.sub(" ", part) for part in parts]
    held = (word for word in _INSIDE if word not in without and any(word in part for part in left))
    return next(held, "")


def judge_secrets(survey: Survey, places: tuple[Place, ...], report: Report) -> None:
    """Report arguments of shared tools that are named like a credential, a payer or a payment.

    A shared tool is one in the assistant's table: its arguments are written by a model, and read
    by whoever runs that model.
    """
    reported: set[str] = set()
    for place in places:
        tool = place.owner
        if place.role != "input" or not isinstance(tool, Tool) or "assistant" not in tool.surfaces:
            continue
        for each in (place, *survey.needed(place)):
            for node, word in _asked(each.nodes):
                if node.pointer not in reported:
                    reported.add(node.pointer)
                    message = f'the shared tool {tool.name} asks for "{node.name}" ({word})'
                    report.add("CF135", node.pointer, message)


def _asked(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, str]]:
    for node in nodes:
        # The name of a pattern property is a pattern; its letters say as much.
        if node.keyword not in ("patternProperties", "properties"):
            continue
        word = named_like_a_secret(node.name) or _inside(_words(node.name))
        if word:
            yield node, word
