"""Entries of one name: nobody can tell which of them a call means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from counterfoil.breaking.surface import KINDS, Entry, Surface
from counterfoil.contract.excerpts import bounded
from counterfoil.contract.values import is_object, items, text

# Lists inside an entry whose members are told apart by their names.
_LISTS = ("arguments", "pathParams", "queryParams")
_LONGEST = 80
# What may be requested may be said twice.
_REPEATED = frozenset({"outbound"})


class Twin(NamedTuple):
    """The second of two, and a clause about both."""

    pointer: str
    what: str


def find_twin(surface: Surface) -> Twin | None:
    """Return the first entry, or argument of one, that has the name of another."""
    return next(_twins(surface), None)


def _twins(surface: Surface) -> Iterator[Twin]:
    for server in surface.servers.values():
        for kind, entries in server.entries.items():
            seen: set[str] = set()
            for entry in entries:
                if entry.name in seen and kind not in _REPEATED:
                    yield Twin(entry.pointer, f"{KINDS[kind]} hold {_shown(entry.name)} twice")
                seen.add(entry.name)
                yield from _inner(entry)


def _inner(entry: Entry) -> Iterator[Twin]:
    for key in _LISTS:
        seen: set[str] = set()
        for index, each in enumerate(items(entry.data.get(key))):
            name = text(each.get("name")) if is_object(each) else ""
            if name and name in seen:
                what = f"{key} of {_shown(entry.name)} hold {_shown(name)} twice"
                yield Twin(f"{entry.pointer}/{key}/{index}", what)
            seen.add(name)


def _shown(name: str) -> str:
    return repr(bounded(name, _LONGEST))
