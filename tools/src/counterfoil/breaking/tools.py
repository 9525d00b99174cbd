"""What changed about a tool."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.access import (
    auth_changes,
    execution_changes,
    price_changes,
    surface_changes,
)
from counterfoil.breaking.changes import EVERYONE, PROGRAMS, Change
from counterfoil.breaking.fields import announcement_changes, other_changes, text_changes
from counterfoil.breaking.hints import hint_changes
from counterfoil.breaking.notes import note_changes
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.schemas import schema_changes
from counterfoil.breaking.subjects import Subject
from counterfoil.breaking.surface import PRIVATE_FIELDS, Document, Entry
from counterfoil.breaking.witnesses import Direction
from counterfoil.contract.canonical import compact

_COMPARED = frozenset(
    {"annotations", "description", "execution", "inputSchema", "name", "outputSchema", "title"}
)
DIRECTIONS: dict[str, Direction] = {
    "body": "input",
    "errorBody": "output",
    "inputSchema": "input",
    "offer": "output",
    "outputSchema": "output",
    "receipt": "output",
    "response": "output",
}


def tool_changes(pair: Pair, base: Entry, target: Entry, today: str) -> Iterator[Change]:
    """Yield the changes of a tool that both sides have."""
    yield from schemas_changes(pair, base, target, ("inputSchema", "outputSchema"), today)
    yield from text_changes(pair)
    yield from hint_changes(pair)
    yield from execution_changes(pair)
    if pair.whole:
        yield from auth_changes(pair)
        yield from price_changes(pair)
        yield from surface_changes(pair)
        yield from announcement_changes(pair)
    yield from other_changes(pair, _COMPARED | PRIVATE_FIELDS["tool"])


def schemas_changes(
    pair: Pair, base: Entry, target: Entry, keys: tuple[str, ...], today: str
) -> Iterator[Change]:
    """Yield the changes of some schemas of an entry, and whether one has come or gone."""
    for key in keys:
        ours, theirs = base.document(key), target.document(key)
        if ours is not None and theirs is not None:
            if compact(ours.schema) != compact(theirs.schema):
                subject = Subject(pair, key, DIRECTIONS[key], ours, theirs, today)
                yield from schema_changes(subject)
                yield from note_changes(subject)
        elif ours is not theirs:
            yield _come_or_gone(pair, key, ours, theirs)


def _come_or_gone(pair: Pair, key: str, ours: Document | None, theirs: Document | None) -> Change:
    if ours is None:
        what = f"{key} is new"
        if DIRECTIONS[key] == "input" and theirs is not None and theirs.schema is not True:
            return pair.change(
                "CF410", "breaking", PROGRAMS, what, at=f"/{key}", delta=theirs.schema
            )
        return pair.change("CF483", "additive", EVERYONE, what, at=f"/{key}")
    if DIRECTIONS[key] == "input":
        return pair.change("CF482", "additive", EVERYONE, f"{key} is gone", at=f"/{key}")
    what = f"{key} is gone, and results promise nothing any more"
    return pair.change("CF422", "breaking", EVERYONE, what, at=f"/{key}")
