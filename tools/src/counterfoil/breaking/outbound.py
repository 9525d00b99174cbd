"""The requests that a wrapper may send: a wider list is a matter of security."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.breaking.changes import EVERYONE, Change, Spot
from counterfoil.breaking.fields import text_changes
from counterfoil.breaking.pairs import of_entries
from counterfoil.breaking.surface import Entry, ServerSurface
from counterfoil.breaking.walker.scalars import contained
from counterfoil.contract.values import text

_TOLD = {"description": "CF463"}
_SEGMENT = "[^/]*"
# Characters that mean something in a pattern.
_SYNTAX = frozenset("\\^$.|?+()[]{}/")


def outbound_changes(before: ServerSurface, after: ServerSurface) -> Iterator[Change]:
    """Yield what may be sent that could not be sent, and what may no longer be."""
    ours, theirs = before.named("outbound"), after.named("outbound")
    place = f"{after.pointer}/outbound" if theirs else after.pointer
    for name in sorted(theirs.keys() - ours.keys()):
        entry = theirs[name]
        if not any(_covers(each, entry) for each in ours.values()):
            spot = Spot(before.id, "outbound", name)
            yield Change(
                "CF451", "security", EVERYONE, spot, None, entry.pointer,
                "may be requested, which nothing allowed before",
                "have the change reviewed by whoever answers for what leaves the house",
            )  # fmt: skip
    for name in sorted(ours.keys() & theirs.keys()):
        yield from text_changes(of_entries(before, ours[name], theirs[name]), _TOLD)
    for name in sorted(ours.keys() - theirs.keys()):
        if not any(_covers(each, ours[name]) for each in theirs.values()):
            spot = Spot(before.id, "outbound", name)
            what = "may not be requested any more"
            yield Change("CF469", "behaviour", EVERYONE, spot, ours[name].pointer, place, what)


def _covers(outer: Entry, inner: Entry) -> bool:
    """Say whether an entry allows all that another allows; what is not known is not."""
    for key in ("method", "origin"):
        if outer.data.get(key) != inner.data.get(key):
            return False
    paths = [path_pattern(text(each.data.get("pathPattern"))) for each in (inner, outer)]
    return contained(paths[0], paths[1]) is True


def path_pattern(path: str) -> str:
    """Return a regular expression for a path in which ``*`` stands for a run in one segment."""
    parts = (_SEGMENT if each == "*" else f"\\{each}" if each in _SYNTAX else each for each in path)
    return f"^{''.join(parts)}$"
