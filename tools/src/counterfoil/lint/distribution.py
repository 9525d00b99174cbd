"""What a user is asked for before a server starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.contract.model import Contract, Server
from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members
from counterfoil.lint.secrets import named_like_a_secret

_Names = Iterator[tuple[str, str, bool]]  # place, name, whether it may be named like a secret


def judge_distribution(contract: Contract, report: Report) -> None:
    """Report credentials that are not marked as such, and names that are given twice."""
    for server in contract.servers:
        for group in _groups(server):
            taken: set[str] = set()
            for pointer, name, is_marked in group:
                word = named_like_a_secret(name)
                if word and not is_marked:
                    message = f'"{name}" ({word}) is not marked as a secret'
                    report.add("CF190", pointer, message)
                if name in taken:
                    report.add("CF191", pointer, f'"{name}" is declared twice')
                taken.add(name)


def _groups(server: Server) -> Iterator[list[tuple[str, str, bool]]]:
    """Yield the names of one client's form at a time; in each, a name stands once."""
    told = members(server.data.get("distribution"))
    at = f"{server.pointer}/distribution"
    yield list(_variables(items(told.get("environment")), f"{at}/environment"))
    given = items(members(told.get("package")).get("arguments"))
    yield list(_arguments(given, f"{at}/package/arguments"))
    for number, remote in enumerate(items(told.get("remotes"))):
        headers = items(members(remote).get("headers"))
        yield list(_headers(headers, f"{at}/remotes/{number}/headers"))


def _variables(given: list[Any], at: str) -> _Names:
    for index, each in enumerate(given):
        variable = members(each)
        is_marked = variable.get("secret", False) or _names_a_file(variable)
        yield f"{at}/{index}/name", variable["name"], is_marked
        if "file" in variable:
            # What names a file holds no secret itself, whatever it is called.
            yield f"{at}/{index}/file", variable["file"], True


def _arguments(given: list[Any], at: str) -> _Names:
    """Yield the flags: everybody on a machine can read the words of a command."""
    for index, each in enumerate(given):
        if "name" in members(each):
            yield f"{at}/{index}/name", members(each)["name"], _names_a_file(members(each))


def _names_a_file(given: dict[str, Any]) -> bool:
    return given.get("format") == "filepath"


def _headers(given: list[Any], at: str) -> _Names:
    for index, each in enumerate(given):
        header = members(each)
        yield f"{at}/{index}/name", header["name"], header.get("secret", False)
