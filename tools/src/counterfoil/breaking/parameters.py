"""What changed about the parameters of a route: the texts that they may be, and their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from counterfoil.breaking.changes import PROGRAMS, READERS, Change
from counterfoil.breaking.notes import note_changes
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.schemas import schema_changes
from counterfoil.breaking.subjects import Subject
from counterfoil.breaking.surface import Document, Entry
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.canonical import compact
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_object, items, members, text

Sides: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]


def parameter_changes(
    pair: Pair, base: Entry, target: Entry, key: str, today: str
) -> Iterator[Change]:
    """Yield what changed about the values of parameters that both sides have.

    Args:
        pair: the route.
        base, target: the same, for its places and shared schemas.
        key: ``pathParams`` or ``queryParams``.
        today: as in :func:`~counterfoil.breaking.comparison.compare`.
    """
    ours, theirs = _indexed(pair.base.get(key)), _indexed(pair.target.get(key))
    for name in sorted(ours.keys() & theirs.keys()):
        (before, old), (after, new) = ours[name], theirs[name]
        places = f"{base.pointer}/{key}/{before}", f"{target.pointer}/{key}/{after}"
        if key == "pathParams":
            yield from _told(pair, key, name, old, new)
        yield from _texts(pair, key, name, (old, new), places, today)
        yield from _values(pair, key, name, (old, new), (base, target), places, today)


def _told(
    pair: Pair, key: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    was, said = old.get("description"), new.get("description")
    if was != said:
        what = f'argument "{name}": description is {shown(said)}, was {shown(was)}'
        path, delta = f"{key} {name} description", [was, said]
        yield pair.change("CF460", "behaviour", READERS, what, at=f"/{key}", path=path, delta=delta)


def _texts(
    pair: Pair, key: str, name: str, sides: Sides, places: tuple[str, str], today: str
) -> Iterator[Change]:
    """Yield what changed about the texts that a parameter may be."""
    ours, theirs = (
        _object(name, {"type": "string", "pattern": each.get("pattern", "")}, place)
        for each, place in zip(sides, places, strict=True)
    )
    yield from _judged(pair, key, ours, theirs, today)


def _values(
    pair: Pair,
    key: str,
    name: str,
    sides: Sides,
    entries: tuple[Entry, Entry],
    places: tuple[str, str],
    today: str,
) -> Iterator[Change]:
    """Yield what changed about the values that the texts stand for."""
    ours, theirs = (
        entry.standing(each.get("schema"), f"{place}/schema")
        for entry, each, place in zip(entries, sides, places, strict=True)
    )
    if ours is not None and theirs is not None:
        held = [_object(name, each.schema, each.pointer, each.shared) for each in (ours, theirs)]
        yield from _judged(pair, key, held[0], held[1], today)
    elif ours is not theirs:
        delta = [each.get("schema") for each in sides]
        what = f'argument "{name}": schema is {shown(delta[1])}, was {shown(delta[0])}'
        yield pair.change(
            "CF463", "behaviour", PROGRAMS, what, at=f"/{key}", path=f"{key} {name}", delta=delta
        )


def _object(name: str, schema: Any, pointer: str, shared: frozenset[str] = frozenset()) -> Document:
    """Return the schema of a request that holds one parameter."""
    defs = members(schema).get("$defs")
    inner = {key: value for key, value in schema.items() if key != "$defs"} if defs else schema
    held: dict[str, Any] = {"type": "object", "properties": {name: inner}}
    if defs:
        held["$defs"] = defs
    return Document(held, pointer, shared, f"/properties/{escape(name)}")


def _judged(pair: Pair, key: str, ours: Document, theirs: Document, today: str) -> Iterator[Change]:
    if compact(ours.schema) != compact(theirs.schema):
        subject = Subject(pair, key, "input", ours, theirs, today)
        yield from schema_changes(subject)
        yield from note_changes(subject)


def _indexed(parameters: Any) -> dict[str, tuple[int, Mapping[str, Any]]]:
    """Return parameters by name, each with its index."""
    return {
        text(each.get("name")): (index, each)
        for index, each in enumerate(items(parameters))
        if is_object(each)
    }
