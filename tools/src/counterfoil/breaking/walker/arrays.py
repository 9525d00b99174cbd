"""Items of arrays: by position, the others, those that have to be there, all distinct."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from counterfoil.breaking.walker.gaps import Effect, Gap, Route
from counterfoil.breaking.walker.nodes import Located, Node, depends_on_branches
from counterfoil.breaking.walker.scalars import kinds_of

if TYPE_CHECKING:
    from counterfoil.breaking.walker.walk import Walk


def compare_arrays(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about the items of an array."""
    if "array" not in kinds_of(base) & kinds_of(target):
        return
    ours, theirs = base.several("prefixItems"), target.several("prefixItems")
    for index in range(max(len(ours), len(theirs))):
        before = ours[index] if index < len(ours) else _others(base)
        after = theirs[index] if index < len(theirs) else _others(target)
        yield from walk.pair(before, after, route.item(index, base, target))
    at = max(len(ours), len(theirs))
    doubt = "unevaluatedItems" in base.facets or "unevaluatedItems" in target.facets
    on = route.item(at, base, target, rest=True)
    yield from walk.pair(_others(base), _others(target), on.doubted() if doubt else on)
    keywords = [_other(node) for node in (base, target)]
    if sorted(keywords) == ["items", "unevaluatedItems"] and (
        depends_on_branches(base) or depends_on_branches(target)
    ):
        what = f"other items are told by {keywords[1]}, were by {keywords[0]}"
        yield walk.gap("values", "either", route, keywords[1], what, keywords, base, target)
    yield from _distinct(walk, base, target, route)
    yield from _contained(walk, base, target, route)


def _other(node: Node) -> str:
    """Return the keyword about items that no other tells of; empty where there is none."""
    return next((key for key in ("items", "unevaluatedItems") if key in node.facets), "")


def _others(node: Node) -> Located:
    return node.one(_other(node) or "items")


def _distinct(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = (bool(node.facets.get("uniqueItems")) for node in (base, target))
    if ours is not theirs:
        what = "takes no item twice now" if theirs else "takes an item twice, too"
        effect: Effect = "narrower" if theirs else "wider"
        delta = [ours, theirs]
        yield walk.gap("values", effect, route, "uniqueItems", what, delta, base, target)


def _contained(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield what changed about ``contains`` and how often it has to hold."""
    looked_at = walk.base.counts_evaluated or walk.target.counts_evaluated
    ours, theirs = (
        "contains" in node.facets and (looked_at or _asks_for_items(node))
        for node in (base, target)
    )
    if not ours and not theirs:
        return
    if ours is not theirs:
        what = "has to hold certain items now" if theirs else "needs no certain items now"
        delta = base.facets.get("contains") if ours else target.facets.get("contains")
        sided: Effect = "narrower" if theirs else "wider"
        yield walk.gap("values", sided, route, "contains", what, delta, base, target)
        return
    for keyword, idle in (("minContains", 1), ("maxContains", float("inf"))):
        before, after = base.facets.get(keyword, idle), target.facets.get(keyword, idle)
        if before == after:
            continue
        stricter = after > before if keyword == "minContains" else after < before
        what = f"{keyword} is {_times(after)}, was {_times(before)}"
        delta = [_times(before), _times(after)]
        effect: Effect = "narrower" if stricter else "wider"
        yield walk.gap("values", effect, route, keyword, what, delta, base, target)
    # With an upper count, stricter items make a looser array.
    doubt = "maxContains" in base.facets or "maxContains" in target.facets
    on = route.item(0, base, target)
    yield from walk.pair(
        base.one("contains"), target.one("contains"), on.doubted() if doubt else on
    )


def _asks_for_items(node: Node) -> bool:
    """Say whether ``contains`` decides anything: none of them has to be there with a least of 0."""
    return node.facets.get("minContains") != 0 or "maxContains" in node.facets


def _times(count: float) -> str:
    return "without bound" if count == float("inf") else str(int(count))
