"""The hints of a tool, with the values that they have when they are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.breaking.changes import READERS, Change, Level
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.walker.scalars import shown
from counterfoil.contract.values import members
from counterfoil.schema.semantics import equal

# MCP 2025-03-26 and later, ToolAnnotations: what a hint is when it is left out, and the value
# that promises less to a client that decides by it.
_HINTS: Mapping[str, tuple[bool, bool]] = {
    "readOnlyHint": (False, False),
    "destructiveHint": (True, True),
    "idempotentHint": (False, False),
    "openWorldHint": (True, True),
}
# The specification gives them a meaning only where readOnlyHint is false.
_OF_WRITERS = frozenset({"destructiveHint", "idempotentHint"})
_CONCERNED: frozenset[Level] = frozenset({"wire", "agent"})


def hint_changes(pair: Pair) -> Iterator[Change]:
    """Yield the hints that promise less, or more, than they did."""
    ours, theirs = members(pair.base.get("annotations")), members(pair.target.get("annotations"))
    reading = [_value(side, "readOnlyHint") for side in (ours, theirs)]
    for hint, (_, worse) in _HINTS.items():
        before, after = _value(ours, hint), _value(theirs, hint)
        if before is after or (hint in _OF_WRITERS and any(reading)):
            continue
        at, delta = f"/annotations/{hint}", [before, after]
        what = f"{hint} is {shown(after)}, was {shown(before)}"
        if hint not in theirs:
            what += "; that is what it is when it is left out"
        if after is worse:
            yield pair.change(
                "CF440", "breaking", _CONCERNED, what, at=at, delta=delta,
                hint="make a second tool for what is new, or release it as a major version",
            )  # fmt: skip
        else:
            yield pair.change("CF466", "behaviour", _CONCERNED, what, at=at, delta=delta)
    for key in sorted((ours.keys() | theirs.keys()) - _HINTS.keys()):
        if not equal(ours.get(key), theirs.get(key)):
            what = f"{key} is {shown(theirs.get(key))}, was {shown(ours.get(key))}"
            code = "CF460" if key == "title" else "CF463"
            yield pair.change(
                code, "behaviour", READERS, what, at=f"/annotations/{key}",
                delta=[ours.get(key), theirs.get(key)],
            )  # fmt: skip


def _value(annotations: Mapping[str, Any], hint: str) -> bool:
    value = annotations.get(hint)
    return _HINTS[hint][0] if value is None else bool(value)
