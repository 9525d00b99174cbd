"""Walk two schemas side by side and word what is not the same about the values they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.breaking.proof import Ground, equivalent
from counterfoil.breaking.texts import shortest
from counterfoil.breaking.walker.arrays import compare_arrays
from counterfoil.breaking.walker.declared import declared
from counterfoil.breaking.walker.gaps import Effect, Gap, Route, Sort, effect_at
from counterfoil.breaking.walker.nodes import Located, Node, Reader, depends_on_branches
from counterfoil.breaking.walker.objects import compare_objects
from counterfoil.breaking.walker.scalars import (
    compare_numbers,
    compare_patterns,
    compare_sizes,
    compare_types,
    compare_values,
)
from counterfoil.breaking.walker.unions import (
    beside_union,
    compare_conditions,
    compare_exclusions,
    compare_unions,
    is_union,
)
from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_object
from counterfoil.schema.containment import Unmodelled
from counterfoil.schema.patterns import PatternError

# Pairs of places; no schema that people write has as many, and every walk ends.
_MOST = 4_000
_DEEPEST = 48


class Walk:
    """Compare the values that two schemas take.

    Args:
        base: the base's schema, standing on its own.
        target: the target's.

    Attributes:
        forgiven: pointers into the target to members that were not declared before. On an open
            object nobody sends what is not declared.
        triggers: names whose presence asks for more.
        named: the places of all members that either side names.
        cut: whether the walk has not seen everything.
    """

    def __init__(self, base: Any, target: Any) -> None:
        self.base, self.target = Reader(base), Reader(target)
        self.grounds = Ground(base), Ground(target)
        self.forgiven: list[str] = []
        self.triggers: set[str] = set()
        # Inside a schema with a name of its own, pointers begin there; nothing here follows them.
        self.cut = any(map(_named_within, (base, target)))
        self.named = tuple(
            declared(reader, Located(reader.root, "")) or frozenset[str]()
            for reader in (self.base, self.target)
        )
        self._seen: set[tuple[str, str, bool, str, str]] = set()
        self.same_defs = all(
            compact(base.get(key)) == compact(target.get(key)) if _both(base, target) else False
            for key in ("$defs", "definitions")
        )

    def gaps(self) -> list[Gap]:
        """Return every gap, in an order that depends on the schemas alone."""
        root = Located(self.base.root, ""), Located(self.target.root, "")
        return list(self.pair(*root, Route()))

    def pair(self, base: Located, target: Located, route: Route) -> Iterator[Gap]:
        """Yield the gaps between two places."""
        ours, theirs = compact(base.schema), compact(target.schema)
        if ours == theirs and (self.same_defs or "$" not in ours):
            return
        key = base.pointer, target.pointer, route.flipped, ours[:200], theirs[:200]
        if key in self._seen:
            return
        if len(self._seen) >= _MOST or len(route.steps) >= _DEEPEST:
            self.cut = True
            return
        self._seen.add(key)
        if self._equivalent(base, target):
            return
        yield from self.nodes(self.base.node(base), self.target.node(target), route)

    def nodes(self, base: Node, target: Node, route: Route) -> Iterator[Gap]:
        """Yield the gaps between two nodes."""
        if base.lost != target.lost:
            what = "refers to what is not in the document"
            delta = [base.lost, target.lost]
            yield self.gap("values", "either", route, "$ref", what, delta, base, target)
        # What a lost reference means may have changed with whatever stands elsewhere.
        self.cut = self.cut or (bool(base.lost or target.lost) and not self.same_defs)
        if base.takes_nothing or target.takes_nothing:
            yield from self._emptied(base, target, route)
            return
        if depends_on_branches(base) or depends_on_branches(target):
            route = route.doubted()
        listed = compare_values(self, base, target, route)
        if listed is not None:
            yield from listed
            return
        if is_union(base) or is_union(target):
            yield from compare_unions(self, base, target, route)
            if not (is_union(base) and is_union(target)) and not beside_union(base, target):
                return
        for compare in (
            compare_types, compare_numbers, compare_sizes, compare_patterns, compare_objects,
            compare_arrays, compare_conditions, compare_exclusions,
        ):  # fmt: skip
            yield from compare(self, base, target, route)
        yield from self._conjuncts(base, target, route)

    def gap(
        self,
        sort: Sort,
        effect: Effect,
        route: Route,
        keyword: str,
        what: str,
        delta: Any,
        base: Node,
        target: Node,
        *,
        name: str = "",
    ) -> Gap:
        """Return a gap about one keyword."""
        at = base.place(keyword), target.place(keyword)
        sided = effect_at(route, effect)
        return Gap(sort, sided, route, keyword, what, delta, base, target, *at, (), name)

    def takes(self, node: Node, value: Any) -> bool:
        """Say whether a place of one of the two schemas takes a value."""
        ground = self.grounds[0] if node.root is self.base.root else self.grounds[1]
        reader = self.base if node.root is self.base.root else self.target
        located = reader.target(f"#{node.pointer}")
        return located is not None and ground.accepts(located, value) is not False

    def text_like(self, pattern: str) -> str | None:
        """Return a short text that matches a pattern, or ``None``."""
        try:
            return shortest([pattern])
        except (PatternError, Unmodelled):
            return None

    def _equivalent(self, base: Located, target: Located) -> bool:
        """Say whether two places take the same values and declare the same members."""
        names = declared(self.base, base)
        if names is None or names != declared(self.target, target):
            return False
        return equivalent(self.grounds[0].alone(base), self.grounds[1].alone(target))

    def _emptied(self, base: Node, target: Node, route: Route) -> Iterator[Gap]:
        """Yield that a place takes nothing any more, or something where it took nothing."""
        ours, theirs = base.takes_nothing, target.takes_nothing
        if ours is not theirs:
            what = "takes nothing now" if theirs else "takes something now, where it took nothing"
            effect: Effect = "narrower" if theirs else "wider"
            yield self.gap("values", effect, route, "not", what, [ours, theirs], base, target)

    def _conjuncts(self, base: Node, target: Node, route: Route) -> Iterator[Gap]:
        """Yield what changed about parts of ``allOf`` that could not be merged."""
        ours, theirs = list(base.conjuncts), list(target.conjuncts)
        for each in list(ours):
            same = [other for other in theirs if compact(other.schema) == compact(each.schema)]
            if same and self.same_defs:
                ours.remove(each)
                theirs.remove(same[0])
        for index in range(max(len(ours), len(theirs))):
            mine = ours[index] if index < len(ours) else Located(True, base.pointer)
            other = theirs[index] if index < len(theirs) else Located(True, target.pointer)
            on = route.same(base, target)
            yield from self.pair(mine, other, on)


def _both(base: Any, target: Any) -> bool:
    return isinstance(base, dict) and isinstance(target, dict)


def _named_within(schema: Any) -> bool:
    """Say whether a part of a schema, other than the whole, has an ``$id``."""
    return is_object(schema) and any(
        '"$id"' in compact(each) for key, each in schema.items() if key != "$id"
    )
