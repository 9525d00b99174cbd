"""The lock file: full definitions, so that a difference can be shown, and a digest of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.canonical import compact, dump
from counterfoil.contract.source import SourceError, decode, parse
from counterfoil.contract.text import REFUSED
from counterfoil.contract.values import is_array, is_object
from counterfoil.editions.listings import LISTS
from counterfoil.errors import CounterfoilError
from counterfoil.locking.digests import digest_of
from counterfoil.wire import Surface

VERSION = 1
MARK = "counterfoilLock"
_HINT = "take the file from version control, or remove it and lock the server again"


@dataclass(frozen=True)
class Lock:
    """What a server listed when it was locked.

    Attributes:
        path: the file as findings show it.
        text: its text.
        revision: the MCP revision in which it was read; empty for a recorded list.
        server: what it said of itself, its instructions included.
        lists: definitions by list, in the order of the file.
    """

    path: str
    text: str
    revision: str
    server: Mapping[str, Any]
    lists: Mapping[str, list[dict[str, Any]]]


def lock_of(surface: Surface, path: str, *, recorded: bool = False) -> Lock:
    """Return the lock of what a server lists."""
    server = dict(surface.server)
    if surface.instructions is not None:
        server["instructions"] = surface.instructions
    entries = {key: _locked(surface.lists[key], identity) for key, identity in LISTS.items()}
    revision = "" if recorded else surface.revision
    data = {
        MARK: VERSION,
        "revision": revision,
        "server": {"definition": server, "digest": digest_of(server)},
        **entries,
    }
    lists = {key: [each["definition"] for each in found] for key, found in entries.items()}
    # Whoever reviews the file, or a change of it, is to see what hides in it.
    return Lock(path, REFUSED.sub(_as_escapes, dump(data)), revision, server, lists)


def _as_escapes(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _locked(listed: list[dict[str, Any]], identity: str) -> list[dict[str, Any]]:
    """Return the entries of a list by name, and by digest, for a name may be listed twice."""
    made: list[dict[str, Any]] = [
        {"definition": each, "digest": digest_of(each)} for each in listed
    ]
    return sorted(made, key=lambda entry: (entry["definition"][identity], entry["digest"]))


def read_lock(raw: bytes, path: str) -> Lock:
    """Read a lock file.

    Raises:
        CounterfoilError: it is none, or a digest is not that of its definition: somebody has
            edited the file, and what it was locked to is not known.
    """
    try:
        text = decode(raw)
        data, duplicates = parse(text)
    except SourceError as error:
        place = f"{path}:{error.line}:{error.column}"
        raise CounterfoilError(
            f"cannot be read as JSON: {error.what}",
            place=place,
            hint="take it from git, or lock anew",
        ) from error
    if duplicates or not is_object(data) or MARK not in data:
        raise CounterfoilError(
            "is no lock file", place=path, hint="write one with `counterfoil lock`"
        )
    version, revision = data[MARK], data.get("revision")
    if isinstance(version, bool) or version != VERSION:
        raise CounterfoilError(
            f"is of version {compact(version)}, and this counterfoil reads {VERSION}",
            place=path,
            hint="take a counterfoil that reads it, or remove it and lock the server again",
        )
    if not isinstance(revision, str):
        raise _broken(path, "/revision", "is no revision of MCP")
    lists = {key: list(_entries(data, key, path)) for key in LISTS}
    server = _definition(data.get("server"), path, "/server")
    return Lock(path, text, revision, server, lists)


def _entries(data: dict[str, Any], key: str, path: str) -> Iterator[dict[str, Any]]:
    entries = data.get(key)
    if not is_array(entries):
        raise _broken(path, f"/{key}", "is no list")
    for index, entry in enumerate(entries):
        definition = _definition(entry, path, f"/{key}/{index}")
        if not isinstance(definition.get(LISTS[key]), str):
            raise _broken(path, f"/{key}/{index}", f"has no {LISTS[key]}")
        yield definition


def _definition(entry: Any, path: str, pointer: str) -> dict[str, Any]:
    definition = entry.get("definition") if is_object(entry) else None
    if not is_object(definition):
        raise _broken(path, pointer, "has no definition")
    if entry.get("digest") != digest_of(definition):
        raise _broken(path, pointer, "has a digest that is not that of its definition")
    return definition


def _broken(path: str, pointer: str, what: str) -> CounterfoilError:
    return CounterfoilError(what, place=f"{path} #{pointer}", hint=_HINT)
