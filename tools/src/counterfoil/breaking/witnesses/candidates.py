"""Values at one place that two versions of it may judge differently."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from counterfoil.breaking.texts import matching, plain
from counterfoil.breaking.walker.nodes import Node
from counterfoil.breaking.walker.objects import rest_of, spare
from counterfoil.breaking.walker.scalars import bound, is_number, kinds_of, values_of
from counterfoil.breaking.witnesses.values import Source, member_of, numbers
from counterfoil.contract.canonical import compact
from counterfoil.contract.values import is_object, items, members, texts
from counterfoil.schema.walk import subschemas

_LONGEST = 5_000
_MOST_ITEMS = 300
_FEW_NAMES = 4
# For patterns that nothing can compare.
_TEXTS = ("A", "1", "-", " ", "é", "Ж", "日", "A1", "a b", "ab", "aq", "a-1", "\U0001f600")
# One or two of each type, for schemas that say little.
_PLAIN: tuple[Any, ...] = (
    None,
    True,
    5,
    0.5,
    "abc",
    [],
    ["a", 1],
    [1, 2, 3],
    {},
    {"a": 1},
    {"a": "a", "b": 1},
)


def candidates(source: Source, taking: Node, refusing: Node) -> Iterator[Any]:
    """Yield values near the edges of what a place takes.

    Args:
        source: gives values of the schema that takes the witness.
        taking: the place in that schema.
        refusing: the same place in the schema that refuses it.
    """
    yield from listed_first(taking, refusing)
    yield from items(taking.facets.get("examples"))
    kinds = kinds_of(taking)
    if "string" in kinds:
        yield from _texts(source, taking, refusing)
    if kinds & {"integer", "fraction"}:
        yield from _numbers(taking, refusing)
    if "boolean" in kinds:
        yield from (True, False)
    if "null" in kinds:
        yield None
    if "array" in kinds:
        yield from _arrays(source, taking, refusing)
    if "object" in kinds:
        yield from objects(source, taking, refusing)
    yield from source.tried(taking, 1)
    yield from mined(taking, refusing)
    yield from _PLAIN


def listed_first(taking: Node, refusing: Node) -> list[Any]:
    """Return the values that a place lists, first those that the other side does not list."""
    known = set(map(compact, values_of(refusing) or ()))
    return sorted(values_of(taking) or (), key=lambda each: compact(each) in known)


def mined(*nodes: Node) -> Iterator[Any]:
    """Yield the values that stand anywhere in schemas as constants or bounds."""
    for node in nodes:
        for _, schema in subschemas({"allOf": [_raw(node)]}):
            if is_object(schema):
                yield from items(schema.get("enum"))
                for key in ("const", "minimum", "maximum", "default"):
                    if key in schema:
                        yield schema[key]


def _raw(node: Node) -> Any:
    inner = {name: each.schema for name, each in node.members.items()}
    return {**node.facets, "properties": inner, "allOf": [each.schema for each in node.conjuncts]}


def _texts(source: Source, taking: Node, refusing: Node) -> Iterator[str]:
    patterns = [each for each in (taking.facets.get("pattern"),) if isinstance(each, str)]
    avoid = refusing.facets.get("pattern")
    low, high = taking.facets.get("minLength", 0), taking.facets.get("maxLength")
    if isinstance(avoid, str):
        yield from matching(patterns, max(low, 1), high, avoid)
        yield from matching(patterns, low, high, avoid)
    yield from source.texts_of(taking)
    yield from (f"{each}a" for each in values_of(refusing) or () if isinstance(each, str))
    for length in _lengths(taking, refusing, "minLength", "maxLength"):
        if length <= _LONGEST:
            if patterns:
                yield from matching(patterns, length, length)
            yield plain(length)
    yield from _TEXTS


def _lengths(taking: Node, refusing: Node, least: str, most: str) -> Iterator[int]:
    """Yield counts at and around the limits of two places."""
    for node, keyword, beside in (
        (refusing, most, 1), (refusing, least, -1), (taking, least, 0), (taking, most, 0),
    ):  # fmt: skip
        limit = node.facets.get(keyword)
        if isinstance(limit, int | float) and limit + beside >= 0:
            yield int(limit) + beside


def _numbers(taking: Node, refusing: Node) -> Iterator[int | float]:
    whole = "fraction" not in kinds_of(taking)
    factor = taking.facets.get("multipleOf", 1 if whole else Fraction(1, 2))
    step = factor if isinstance(factor, Fraction) else Fraction(repr(factor))
    for low in (True, False):
        edge, beyond = bound(refusing.facets, whole, low=low)
        if isinstance(edge, Fraction):
            way = -1 if low else 1
            if beyond:
                yield _number(edge)
            near = (math.floor if low else math.ceil)(edge / step) * step
            for each in (near, near + way * step, edge + way, edge + way * Fraction(1, 1000)):
                yield _number(Fraction(each))
    if "multipleOf" in refusing.facets:
        other = Fraction(repr(refusing.facets["multipleOf"]))
        yield from (
            _number(each) for each in (step, other + step, other / 2, other * 3 / 2, step * 3)
        )
    yield from map(_number, numbers(taking))
    yield from (each + 1 for each in values_of(refusing) or () if is_number(each))
    if not whole:
        yield from (0.5, 1.5)
    if "multipleOf" in taking.facets:
        yield from (_number(step * times) for times in range(1, 12))


def _number(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


def _arrays(source: Source, taking: Node, refusing: Node) -> Iterator[list[Any]]:
    yield from source.arrays_of(taking, 1)
    rest = taking.one("items")
    single = source.simplest(rest, 2)
    prefix = [source.simplest(each, 2) for each in taking.several("prefixItems")]
    yield [single, single]
    various = list(itertools.islice(source.values(rest, 2), 6))
    for length in (*_lengths(taking, refusing, "minItems", "maxItems"), len(prefix) + 1):
        if length <= _MOST_ITEMS:
            same = [*prefix, *[single] * max(length - len(prefix), 0)][:length]
            yield same
            yield [*various, *[single] * length][:length]
    for node in (taking, refusing):
        if "contains" in node.facets:
            yield from _containing(source, node, taking, refusing)
    yield from ([each] for each in various)


def _containing(source: Source, node: Node, taking: Node, refusing: Node) -> Iterator[list[Any]]:
    listed = members(node.facets["contains"])
    wanted = [*items(listed.get("enum")), *([listed["const"]] if "const" in listed else []), 1, "a"]
    wanted = [*source.values(taking.one("contains"), 2), *wanted][:6]
    others = list(itertools.islice(source.values(taking.one("items"), 2), 3))
    for count in {1, 2, *_lengths(taking, refusing, "minContains", "maxContains")}:
        for each in wanted:
            if count <= _MOST_ITEMS:
                yield [each] * count
                yield [*others, *[each] * count]


def objects(source: Source, taking: Node, refusing: Node) -> Iterator[dict[str, Any]]:
    """Yield objects: small, with each member that either side names, with one that none names."""
    small = source.object_of(taking, 1)
    yield small
    for name in sorted({*_named(source, taking), *_named(source, refusing)}):
        for value in itertools.islice(source.values(member_of(taking, name), 2), 3):
            yield source.object_of(taking, 1, {name: value})
    undeclared = rest_of(taking)[0]
    other = spare(taking, refusing)
    if other is not None:
        yield source.object_of(taking, 1, {other: source.simplest(undeclared, 2)})
    for node in (taking, refusing):
        for pattern in sorted(members(node.facets.get("patternProperties"))):
            for name in matching([pattern], 1, None):
                for value in itertools.islice(source.values(member_of(taking, name), 2), 3):
                    yield source.object_of(taking, 1, {name: value})
    names = sorted(taking.members)
    every = {name: source.simplest(taking.members[name], 2) for name in names}
    for count in _lengths(taking, refusing, "minProperties", "maxProperties"):
        if count <= _MOST_ITEMS:
            filled = {**small, **every}
            others = itertools.islice(source.spare_names(taking), count + _FEW_NAMES)
            filled |= {name: source.simplest(undeclared, 2) for name in others}
            yield dict(list(filled.items())[:count])
    yield {**small, **every}
    yield from _combined(source, taking, refusing)


def _named(source: Source, node: Node) -> Iterator[str]:
    """Yield the names of members that a place says something of."""
    yield from node.members
    for keyword in ("dependentRequired", "dependentSchemas"):
        yield from members(node.facets.get(keyword))
    yield from texts(node.facets.get("required"))
    if "propertyNames" in node.facets:
        yield from itertools.islice(source.names(node.one("propertyNames")), _FEW_NAMES)


def _combined(source: Source, taking: Node, refusing: Node) -> Iterator[dict[str, Any]]:
    """Yield objects with constants that conditions may look for, in pairs of members."""
    found = list(itertools.islice(mined(taking, refusing), 12))
    names = sorted(taking.members.keys() | refusing.members.keys())[:8]
    for name, value in itertools.product(names, found):
        yield source.object_of(taking, 1, {name: value})
    for left, right in itertools.permutations(names, 2):
        for value in found[:6]:
            given = {left: value, right: source.simplest(member_of(taking, right), 2)}
            yield source.object_of(taking, 1, given)
