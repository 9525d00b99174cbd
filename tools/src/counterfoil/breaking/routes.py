"""What changed about the HTTP API behind a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.breaking.access import auth_changes
from counterfoil.breaking.changes import EVERYONE, PROGRAMS, Change
from counterfoil.breaking.fields import announcement_changes, text_changes
from counterfoil.breaking.notes import note_changes
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.parts import argument_changes
from counterfoil.breaking.schemas import schema_changes
from counterfoil.breaking.subjects import Subject
from counterfoil.breaking.surface import Document, Entry
from counterfoil.breaking.tools import schemas_changes
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.canonical import compact
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_object, items, members, text, texts

# What a call of each class can cost, from nothing on.
_COSTS = {"never": 0, "free": 0, "read": 1, "build": 1, "assistant": 1}
_CALLED = ("method", "path")


def route_changes(pair: Pair, base: Entry, target: Entry, today: str) -> Iterator[Change]:
    """Yield the changes of a route that both sides have."""
    for key in _CALLED:
        ours, theirs = pair.base.get(key), pair.target.get(key)
        if ours != theirs:
            what = f"{key} is {shown(theirs)}, was {shown(ours)}"
            yield pair.change(
                "CF444", "breaking", PROGRAMS, what, at=f"/{key}", delta=[ours, theirs]
            )
    yield from auth_changes(pair)
    yield from _class(pair)
    yield from argument_changes(pair, "queryParams", today)
    for key in ("pathParams", "queryParams"):
        yield from _parameters(pair, base, target, key, today)
    yield from schemas_changes(pair, base, target, ("body", "response"), today)
    yield from _errors(pair)
    yield from text_changes(pair, {"description": "CF460", "unreadable": "CF464"})
    yield from announcement_changes(pair)


def _class(pair: Pair) -> Iterator[Change]:
    ours, theirs = text(pair.base.get("class")), text(pair.target.get("class"))
    if ours == theirs:
        return
    before, after = _COSTS.get(ours, 1), _COSTS.get(theirs, 1)
    what, delta = f"class is {theirs}, was {ours}", [ours, theirs]
    if after > before:
        yield pair.change("CF442", "breaking", EVERYONE, what, at="/class", delta=delta)
    elif after < before:
        yield pair.change("CF484", "additive", EVERYONE, what, at="/class", delta=delta)
    else:
        yield pair.change("CF464", "behaviour", EVERYONE, what, at="/class", delta=delta)


def _parameters(pair: Pair, base: Entry, target: Entry, key: str, today: str) -> Iterator[Change]:
    """Yield parameters whose values are not the same any more."""
    ours, theirs = _indexed(pair.base.get(key)), _indexed(pair.target.get(key))
    for name in sorted(ours.keys() & theirs.keys()):
        (before, old), (after, new) = ours[name], theirs[name]
        places = f"{base.pointer}/{key}/{before}", f"{target.pointer}/{key}/{after}"
        texts_of = [
            _object(name, {"type": "string", "pattern": each.get("pattern", "")}, place)
            for each, place in zip((old, new), places, strict=True)
        ]
        yield from _judged(pair, key, texts_of[0], texts_of[1], today)
        typed = [
            entry.standing(each.get("schema"), f"{place}/schema")
            for entry, each, place in zip((base, target), (old, new), places, strict=True)
        ]
        if typed[0] is not None and typed[1] is not None:
            held = [_object(name, each.schema, each.pointer, each.shared) for each in typed if each]
            yield from _judged(pair, key, held[0], held[1], today)
        elif typed[0] is not typed[1]:
            what = f'argument "{name}": schema is {shown(new.get("schema"))}'
            what += f", was {shown(old.get('schema'))}"
            delta = [old.get("schema"), new.get("schema")]
            yield pair.change(
                "CF463", "behaviour", PROGRAMS, what, at=f"/{key}", path=f"{key} {name}",
                delta=delta,
            )  # fmt: skip


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


def _errors(pair: Pair) -> Iterator[Change]:
    """Yield the error codes that a route answers, too, or no longer."""
    ours, theirs = _codes(pair.base.get("errors")), _codes(pair.target.get("errors"))
    if ours == theirs:
        return
    new, gone = sorted(theirs - ours), sorted(ours - theirs)
    words = [f"answers {each}, too" for each in new] + [f"no longer {each}" for each in gone]
    what = "; ".join(words[:5])
    yield pair.change("CF464", "behaviour", PROGRAMS, what, at="/errors", delta=[new, gone])


def _codes(errors: Any) -> set[str]:
    found = members(errors).items()
    return {f"{status} {code}" for status, codes in found for code in texts(codes)}


def _indexed(parameters: Any) -> dict[str, tuple[int, Mapping[str, Any]]]:
    """Return parameters by name, each with its index."""
    return {
        text(each.get("name")): (index, each)
        for index, each in enumerate(items(parameters))
        if is_object(each)
    }
