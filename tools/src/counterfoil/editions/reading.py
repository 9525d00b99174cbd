"""Read the bytes of a contract or of a recorded list; whatever cannot be read is an error."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from counterfoil.breaking.surface import KINDS, ServerSurface, Surface, of_contract, of_listing
from counterfoil.contract.grammar import grammar, judge_grammar
from counterfoil.contract.model import Contract
from counterfoil.contract.report import Report
from counterfoil.contract.source import SourceError, decode, locate, parse
from counterfoil.contract.values import is_object
from counterfoil.editions.edition import Edition
from counterfoil.editions.listings import Listing, ListingFault, check_entries, read_listing
from counterfoil.editions.twins import find_twin
from counterfoil.errors import CounterfoilError

_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_POINTER_FILE = b"version https://git-lfs.github.com/spec/"
_MARK = "counterfoil"  # the key of a contract that says which grammar it is written in
_FORMS = "a contract, or what tools/list of a server answers"


def read_edition(raw: bytes, path: str, about: str = "") -> Edition:
    """Return the edition in some bytes.

    Args:
        raw: a contract, or a recorded list in any form of :mod:`counterfoil.editions.listings`.
        path: as findings show it.
        about: see :class:`Edition`.

    Raises:
        CounterfoilError: the bytes are neither, or they are broken, incomplete or ambiguous.
    """
    if raw.startswith(_POINTER_FILE):
        raise CounterfoilError(
            "is a pointer of Git LFS instead of the file", place=path, hint="run `git lfs pull`"
        )
    try:
        text = decode(raw)
        data, duplicates = parse(text)
    except SourceError as error:
        place = f"{path}:{error.line}:{error.column}"
        raise CounterfoilError(
            f"cannot be read as JSON: {error.what}", place=place, hint=_encoding(raw)
        ) from error
    for each in duplicates:
        raise CounterfoilError(
            f"{each.key!r} is given twice in one object, so it is not known which is meant",
            place=f"{path}:{each.line}:{each.column}",
            hint="keep one of the two",
        )
    if is_object(data) and (_MARK in data or "servers" in data):
        return _contract(data, path, about, text)
    return _recorded(data, path, about, text)


def listing_surface(shown: str, listing: Listing) -> Surface:
    """Return the surface of what a server lists, each entry where it stands in its file.

    Raises:
        ListingFault: entries cannot be told apart, or not be called.
    """
    for key, entries in listing.lists.items():
        check_entries(key, entries, listing.pointers[key])
    surface = of_listing(shown, listing.lists, listing.about)
    [server] = surface.servers.values()
    servers = {server.id: _placed(server, listing.pointers)}
    surface = dataclasses.replace(surface, servers=servers)
    twin = find_twin(surface)
    if twin is not None:
        raise ListingFault(twin.pointer, twin.what, "let the server list each name once")
    return surface


def _placed(server: ServerSurface, pointers: Mapping[str, list[str]]) -> ServerSurface:
    """Give entries the pointers of their page; a file may hold a list in several."""
    entries = {
        kind: tuple(
            dataclasses.replace(entry, pointer=pointer)
            for entry, pointer in zip(found, pointers[KINDS[kind]], strict=True)
        )
        for kind, found in server.entries.items()
    }
    return dataclasses.replace(server, entries=entries)


def _recorded(data: Any, path: str, about: str, text: str) -> Edition:
    try:
        listing = read_listing(data)
        if listing is None:
            raise ListingFault("", "is neither a contract nor a recorded list", f"give {_FORMS}")
        surface = listing_surface(path, listing)
    except ListingFault as fault:
        line, column = locate(text, [fault.pointer])[fault.pointer]
        raise CounterfoilError(
            fault.what, place=f"{path}:{line}:{column} #{fault.pointer}", hint=fault.hint
        ) from fault
    return Edition(surface, path, about, text, moved=listing.places)


def _contract(data: dict[str, Any], path: str, about: str, text: str) -> Edition:
    known: int = grammar()["properties"][_MARK]["const"]
    given: object = data.get(_MARK)
    if isinstance(given, int) and given != known:
        raise CounterfoilError(
            f"is written in grammar {given} of contracts, and this counterfoil reads {known}",
            place=path,
            hint=_other_grammar(given < known, path),
        )
    report = Report(path, text)
    if not judge_grammar(data, report):
        faults = report.findings()
        first = f"{faults[0].place}: {faults[0].message}"
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise CounterfoilError(
            f"does not keep the grammar of contracts that this counterfoil has: {first}{more}",
            place=path,
            hint="if it kept that of its time, put it into the present form in a file of its own "
            "(`counterfoil validate` says what is amiss) and compare with that",
        )
    contract = Contract(path, text, data)
    surface = dataclasses.replace(of_contract(contract), shown=path)
    twin = find_twin(surface)
    if twin is not None:
        line, column = locate(text, [twin.pointer])[twin.pointer]
        raise CounterfoilError(
            f"{twin.what}, so that nobody knows which is meant",
            place=f"{path}:{line}:{column} #{twin.pointer}",
            hint="keep one of the two, or give one another name",
        )
    return Edition(surface, path, about, text, contract)


def _other_grammar(older: bool, path: str) -> str:
    if older:
        return (
            f"rewrite {path} in the present grammar in a file of its own and compare with that, "
            "or compare what the two servers list"
        )
    return "take the counterfoil that it was written for"


def _encoding(raw: bytes) -> str:
    if raw.startswith(_BYTE_ORDER_MARKS):
        return "it is UTF-16, as some shells write it; save it as UTF-8"
    return f"give {_FORMS}"
