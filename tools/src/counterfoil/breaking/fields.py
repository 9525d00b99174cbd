"""Fields that tell readers something: names, texts, and what nobody decides by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.breaking.changes import EVERYONE, READERS, Change, Level
from counterfoil.breaking.deprecation import announced
from counterfoil.breaking.pairs import Pair
from counterfoil.breaking.walker.scalars import shown, shown_apart
from counterfoil.contract.source import escape
from counterfoil.schema.semantics import equal

# Texts that a model or a person reads; the code of what changes about them.
TEXTS: Mapping[str, str] = {"title": "CF460", "description": "CF460"}
_EMPTY: tuple[Any, ...] = (None, [], {})
_ANNOUNCED: frozenset[Level] = frozenset({"generated", "agent"})


def text_changes(pair: Pair, fields: Mapping[str, str] = TEXTS) -> Iterator[Change]:
    """Yield the fields of a thing that read otherwise; ``fields`` gives the code of each."""
    for key, code in fields.items():
        ours, theirs = pair.base.get(key), pair.target.get(key)
        if equal(ours, theirs) or (ours in _EMPTY and theirs in _EMPTY):
            continue
        now, was = shown_apart(theirs, ours)
        what = f"{key} is {now}, was {was}"
        if ours is None:
            what = f"{key} is {shown(theirs)}, there was none"
        elif theirs is None:
            what = f"{key} is gone, was {shown(ours)}"
        yield pair.change(code, "behaviour", READERS, what, at=f"/{key}", delta=[ours, theirs])


def other_changes(pair: Pair, known: frozenset[str]) -> Iterator[Change]:
    """Yield what changed about fields that nothing else compares."""
    fields = sorted((pair.base.keys() | pair.target.keys()) - known)
    yield from text_changes(pair, {key: "CF463" for key in fields if escape(key) == key})


def announcement_changes(pair: Pair) -> Iterator[Change]:
    """Yield what changed about the announced end of a thing."""
    ours, theirs = pair.base.get("deprecated"), pair.target.get("deprecated")
    if equal(ours, theirs):
        return
    before, after = announced(pair.base), announced(pair.target)
    if after is None:
        what = "is no longer deprecated"
        yield pair.change("CF484", "additive", EVERYONE, what, at="/deprecated", delta=ours)
        return
    what = f"will be removed from {after.date} on"
    if before is not None and before.date != after.date:
        what += f", was {before.date}"
    if after.replacement:
        what += f'; "{after.replacement}" replaces it'
    delta = [ours, theirs]
    yield pair.change("CF467", "behaviour", _ANNOUNCED, what, at="/deprecated", delta=delta)
