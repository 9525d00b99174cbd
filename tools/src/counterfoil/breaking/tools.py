"""What changed about a tool."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.changes import Change
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.schemas import Subject, schema_changes
from counterfoil.breaking.surface import Entry
from counterfoil.breaking.witnesses import Direction
from counterfoil.contract.canonical import compact


def tool_changes(pair: Pair, base: Entry, target: Entry, today: str) -> Iterator[Change]:
    """Yield the changes of a tool that both sides have."""
    for key in ("inputSchema", "outputSchema"):
        ours, theirs = base.document(key), target.document(key)
        if ours is None or theirs is None or compact(ours.schema) == compact(theirs.schema):
            continue
        direction: Direction = "input" if key == "inputSchema" else "output"
        yield from schema_changes(Subject(pair, key, direction, ours, theirs, today))
