"""Values that a place takes, simplest first: what its author gave, then what its keywords say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from counterfoil.breaking.proof import Ground
from counterfoil.breaking.texts import EXAMPLES, matching, plain
from counterfoil.breaking.walker.nodes import Located, Node, Reader
from counterfoil.breaking.walker.objects import rest_of
from counterfoil.breaking.walker.scalars import bound, kinds_of, values_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_object, items, members, text, texts

_DEEPEST = 8
_MOST = 24
_LARGEST_COUNT = 300
# Values that are tried in one search; schemas within schemas multiply them.
_BUDGET = 20_000
_LETTERS = "abcd"
_ORDER = ("string", "integer", "fraction", "boolean", "object", "array", "null")


class Source:
    """Give values of one schema's places.

    Args:
        reader: the schema.
        ground: the same schema, for judging.
    """

    def __init__(self, reader: Reader, ground: Ground) -> None:
        self.reader = reader
        self.ground = ground
        self._spent = 0
        self._known: dict[str, tuple[Any, Any]] = {}

    def renew(self) -> None:
        """Begin another search, with as much to spend as any."""
        self._spent = 0

    def simplest(self, located: Located, depth: int = 0) -> Any:
        """Return the simplest value that a place takes; ``None`` also where none was found."""
        known = self._known.get(located.pointer)
        if known is not None and known[0] is located.schema:
            return known[1]
        found = next(self.values(located, depth), None)
        if depth < _DEEPEST:
            self._known[located.pointer] = located.schema, found
        return found

    def values(self, located: Located, depth: int = 0) -> Iterator[Any]:
        """Yield values that a place takes, each once, at most two dozen."""
        seen: set[str] = set()
        tried = itertools.islice(self.tried(self.reader.node(located), depth), 4 * _MOST)
        for value in tried:
            self._spent += 1
            if self._spent > _BUDGET:
                return
            key = compact(value)
            if key in seen:
                continue
            seen.add(key)
            if self.ground.accepts(located, value) is not False:
                yield value
            if len(seen) >= _MOST:
                return

    def tried(self, node: Node, depth: int) -> Iterator[Any]:
        """Yield values that a node may take."""
        listed = values_of(node)
        yield from listed or ()
        yield from items(node.facets.get("examples"))
        if "default" in node.facets:
            yield node.facets["default"]
        if depth >= _DEEPEST:
            yield from (None, "a", 1, False, {}, [])
            return
        for keyword in ("anyOf", "oneOf"):
            for branch in node.several(keyword):
                yield from self._beside(node, branch, depth)
        for branch in (*node.conjuncts, node.one("then"), node.one("else")):
            if branch.schema is not True:
                yield from self._beside(node, branch, depth)
        kinds = kinds_of(node)
        for kind in _ORDER:
            if kind in kinds:
                yield from self.of_kind(node, kind, depth)

    def _beside(self, node: Node, branch: Located, depth: int) -> Iterator[Any]:
        """Yield values of a branch, with what the node asks beside it."""
        for value in itertools.islice(self.values(branch, depth + 1), 4):
            yield value
            if is_object(value):
                yield self.object_of(node, depth, value)

    def of_kind(self, node: Node, kind: str, depth: int) -> Iterator[Any]:
        """Yield values of one type."""
        if kind == "string":
            yield from self.texts_of(node)
        elif kind == "integer":
            yield from (int(each) for each in numbers(node) if each.denominator == 1)
        elif kind == "fraction":
            yield from (float(each) for each in numbers(node) if each.denominator != 1)
        elif kind == "boolean":
            yield from (True, False)
        elif kind == "null":
            yield None
        elif kind == "array":
            yield from self.arrays_of(node, depth)
        else:
            yield self.object_of(node, depth)

    def texts_of(self, node: Node) -> Iterator[str]:
        """Yield texts that a node may take."""
        low, high = _count(node, "minLength", 0), node.facets.get("maxLength")
        pattern = node.facets.get("pattern")
        example = EXAMPLES.get(text(node.facets.get("format")))
        if example is not None:
            yield example
        if isinstance(pattern, str):
            yield from matching([pattern], max(low, 1), high)
            yield from matching([pattern], low, high)
        if low <= _LARGEST_COUNT * 10:
            yield plain(max(low, 1))
            yield plain(low)

    def arrays_of(self, node: Node, depth: int) -> Iterator[list[Any]]:
        """Yield arrays that a node may take."""
        low = min(_count(node, "minItems", 0), _LARGEST_COUNT)
        needed = _count(node, "minContains", 1) if "contains" in node.facets else 0
        wanted = self._items(node, max(low, min(needed, _LARGEST_COUNT)), depth)
        if needed:
            inner = node.one("contains")
            found = list(itertools.islice(self.values(inner, depth + 1), needed))
            found += found[:1] * (needed - len(found))
            yield [*found, *wanted[len(found) :]]
            yield [*wanted[: max(low - len(found), 0)], *found]
        yield wanted
        if not low and not needed:
            yield self._items(node, 1, depth)

    def _items(self, node: Node, count: int, depth: int) -> list[Any]:
        prefix = node.several("prefixItems")
        rest = node.one("items")
        distinct = list(itertools.islice(self.values(rest, depth + 1), count))
        made: list[Any] = []
        for index in range(count):
            if index < len(prefix):
                made.append(self.simplest(prefix[index], depth + 1))
            elif node.facets.get("uniqueItems") and index < len(distinct):
                made.append(distinct[index])
            else:
                made.append(self.simplest(rest, depth + 1))
        return made

    def object_of(
        self, node: Node, depth: int, given: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return a small object that a node may take, with members that are given."""
        made = dict(given or {})
        pending = texts(node.facets.get("required"))
        follow = members(node.facets.get("dependentRequired"))
        pending += [each for name in made for each in texts(follow.get(name))]
        while pending:
            name = pending.pop(0)
            if name not in made:
                made[name] = self.simplest(member_of(node, name), depth + 1)
                pending += texts(follow.get(name))
        count = min(_count(node, "minProperties", 0), _LARGEST_COUNT)
        for name in itertools.chain(sorted(node.members), self.spare_names(node)):
            if len(made) >= count:
                break
            if name not in made:
                made[name] = self.simplest(member_of(node, name), depth + 1)
        order = {name: index for index, name in enumerate(node.members)}
        return dict(sorted(made.items(), key=lambda member: order.get(member[0], len(order))))

    def spare_names(self, node: Node) -> Iterator[str]:
        """Yield names that members may have which nothing declares, perhaps some twice."""
        for pattern in members(node.facets.get("patternProperties")):
            yield from matching([pattern], 1, None)
        others = (f"other{number}" for number in range(1, _LARGEST_COUNT))
        if "propertyNames" not in node.facets:
            yield from others
            return
        named = node.one("propertyNames")
        for name in itertools.chain(self.names(named), others):
            if self.ground.accepts(named, name) is not False:
                yield name

    def names(self, located: Located) -> Iterator[str]:
        """Yield names that a schema of names takes."""
        named = self.reader.node(located)
        yield from (each for each in values_of(named) or () if isinstance(each, str))
        yield from self.texts_of(named)
        yield from _LETTERS


def member_of(node: Node, name: str) -> Located:
    """Return the schema that a node has for a member."""
    return node.members.get(name) or rest_of(node, name)[0]


def numbers(node: Node) -> Iterator[Fraction]:
    """Yield numbers within a node's bounds and near them."""
    whole = "fraction" not in kinds_of(node)
    low, below = bound(node.facets, whole, low=True)
    high, above = bound(node.facets, whole, low=False)
    factor = node.facets.get("multipleOf")
    step = Fraction(repr(factor)) if isinstance(factor, int | float) else Fraction(1)
    tried = [Fraction(1), Fraction(0), Fraction(-1)]
    for edge, way in ((low, 1), (high, -1)):
        if isinstance(edge, Fraction):
            near = Fraction(math.ceil(edge / step) if way > 0 else math.floor(edge / step)) * step
            tried += [near, near + way * step, edge, edge + way * step / 2, edge + way * step / 8]
    tried += [step, Fraction(1, 2), Fraction(3, 2), step / 2, Fraction(2)]
    for each in tried:
        inside = (each, 0) >= (low, below) and (each, 0) <= (high, above)
        if inside and (factor is None or (each / step).denominator == 1):
            yield each


def _count(node: Node, keyword: str, fallback: int) -> int:
    value = node.facets.get(keyword, fallback)
    return int(value) if isinstance(value, int | float) else fallback
