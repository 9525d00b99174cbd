"""Types, listed values, bounds, lengths and patterns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from counterfoil.breaking.texts import Texts, fits
from counterfoil.breaking.walker.gaps import Effect, Gap, Route
from counterfoil.breaking.walker.nodes import EVERY, Node, types_of
from counterfoil.contract.canonical import compact
from counterfoil.contract.excerpts import bounded, contrasted
from counterfoil.contract.values import is_array, is_object
from counterfoil.schema.semantics import equal

if TYPE_CHECKING:
    from counterfoil.breaking.walker.walk import Walk

_NUMERIC = frozenset({"integer", "fraction"})
# Keyword, the type that it is about, its value when left out, whether more of it is stricter.
_SIZES: tuple[tuple[str, str, float, bool], ...] = (
    ("minLength", "string", 0, True),
    ("maxLength", "string", math.inf, False),
    ("minItems", "array", 0, True),
    ("maxItems", "array", math.inf, False),
    ("minProperties", "object", 0, True),
    ("maxProperties", "object", math.inf, False),
)
_SHOWN = 80
# Larger numbers are written with an exponent.
_LARGEST_WRITTEN = 10**24


def values_of(node: Node) -> list[Any] | None:
    """Return the values that a node lists, or ``None`` where it lists none."""
    if "const" in node.facets:
        return [node.facets["const"]]
    listed = node.facets.get("enum")
    return listed if is_array(listed) else None


def kinds_of(node: Node) -> frozenset[str]:
    """Return the types that a node takes, each of them disjoint from the others."""
    return types_of(node.facets["type"]) if "type" in node.facets else EVERY


def shown(value: Any) -> str:
    """Return JSON for a sentence, cut where it is long."""
    return bounded(compact(value), _SHOWN)


def shown_apart(one: Any, other: Any) -> tuple[str, str]:
    """Return JSON of two values for a sentence, cut around where they part."""
    return contrasted(compact(one), compact(other), _SHOWN)


def listing(values: list[Any]) -> str:
    """Return values for a sentence, the first few of many."""
    few = ", ".join(map(shown, values[:5]))
    return f"{few} and {len(values) - 5} more" if len(values) > 5 else few


def compare_values(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap] | None:
    """Return the gaps of listed values; ``None`` where neither side lists any."""
    ours, theirs = values_of(base), values_of(target)
    if ours is None and theirs is None:
        return None
    return _values(walk, base, target, route)


def _values(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = values_of(base), values_of(target)
    keyword = "const" if "const" in {**base.facets, **target.facets} else "enum"
    mine = None if ours is None else [each for each in ours if walk.takes(base, each)]
    other = None if theirs is None else [each for each in theirs if walk.takes(target, each)]
    if mine is None:
        if other is not None:
            what = f"takes only {listing(other)} now"
            yield walk.gap("values", "narrower", route, keyword, what, [None, other], base, target)
            extra = [each for each in other if not walk.takes(base, each)]
            if extra:
                what = f"takes {listing(extra)}, too"
                yield walk.gap("values", "wider", route, keyword, what, extra, base, target)
        return
    lost = [each for each in mine if not walk.takes(target, each)]
    if lost:
        what = f"{listing(lost)} is no longer a value" if len(lost) == 1 else (
            f"{listing(lost)} are no longer values"
        )  # fmt: skip
        yield walk.gap("values", "narrower", route, keyword, what, lost, base, target)
    if other is None:
        what = f"takes more than {listing(mine)} now"
        yield walk.gap("values", "wider", route, keyword, what, [mine, None], base, target)
        return
    known = set(map(_key, mine))
    gained = [each for each in other if _key(each) not in known]
    if gained:
        what = f"{listing(gained)} is a new value" if len(gained) == 1 else (
            f"{listing(gained)} are new values"
        )  # fmt: skip
        yield walk.gap("values", "wider", route, keyword, what, gained, base, target)


def _key(value: Any) -> str:
    """Return a text that equal values share, and no others."""
    return compact(_plain(value))


def _plain(value: Any) -> Any:
    """Return a value whose whole numbers are integers: 1.0 is 1."""
    if is_array(value):
        return [_plain(each) for each in value]
    if is_object(value):
        return {name: _plain(each) for name, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def compare_types(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield the types that one side takes and the other does not."""
    ours, theirs = kinds_of(base), kinds_of(target)
    if ours == theirs:
        return
    was, now = _typed(base), _typed(target)
    what = f"type is {now}, was {was}"
    delta = [sorted(ours - theirs), sorted(theirs - ours)]
    if ours - theirs:
        yield walk.gap("values", "narrower", route, "type", what, delta, base, target)
    if theirs - ours:
        yield walk.gap("values", "wider", route, "type", what, delta, base, target)


def _typed(node: Node) -> str:
    kinds = kinds_of(node)
    if kinds == EVERY:
        return "any"
    names = sorted(kinds - _NUMERIC)
    if "fraction" in kinds:
        names.append("number")
    elif "integer" in kinds:
        names.append("integer")
    return " or ".join(names) or "none"


def compare_numbers(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield differences of bounds and of ``multipleOf``."""
    common = kinds_of(base) & kinds_of(target) & _NUMERIC
    if not common:
        return
    whole = "fraction" not in common
    for low in (True, False):
        ours, theirs = bound(base.facets, whole, low=low), bound(target.facets, whole, low=low)
        if ours == theirs:
            continue
        stricter = theirs > ours if low else theirs < ours
        keyword = _bounding(target if stricter else base, low=low)
        what = f"{'least' if low else 'largest'} number is {_limit(theirs)}, was {_limit(ours)}"
        effect: Effect = "narrower" if stricter else "wider"
        delta = [_limit(ours), _limit(theirs)]
        yield walk.gap("values", effect, route, keyword, what, delta, base, target)
    yield from _multiples(walk, base, target, route)


def bound(facets: Mapping[str, Any], whole: bool, *, low: bool) -> tuple[Any, int]:
    """Return a bound as what can be compared: a number, and which side of it is meant.

    Args:
        facets: keywords of a node.
        whole: whether only integers count, so that bounds can be moved to the next one.
        low: the lower bound, or else the upper one.
    """
    sign = 1 if low else -1
    names = ("minimum", "exclusiveMinimum") if low else ("maximum", "exclusiveMaximum")
    found: list[tuple[Any, int]] = [(-sign * math.inf, 0)]
    if is_number(facets.get(names[0])):
        found.append((Fraction(repr(facets[names[0]])), 0))
    if is_number(facets.get(names[1])):
        found.append((Fraction(repr(facets[names[1]])), sign))
    limit, beyond = max(found) if low else min(found)
    if not whole or not isinstance(limit, Fraction):
        return limit, beyond
    if limit.denominator == 1:
        return limit + beyond, 0
    return Fraction(math.ceil(limit) if low else math.floor(limit)), 0


def is_number(value: Any) -> bool:
    """Say whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounding(node: Node, *, low: bool) -> str:
    names = ("minimum", "exclusiveMinimum") if low else ("maximum", "exclusiveMaximum")
    return names[1] if names[1] in node.facets and names[0] not in node.facets else names[0]


def _limit(limit: tuple[Any, int]) -> str:
    number, beyond = limit
    if not isinstance(number, Fraction):
        return "without bound"
    whole = number.denominator == 1 and abs(number) < _LARGEST_WRITTEN
    text = str(int(number)) if whole else str(float(number))
    return f"{'above' if beyond > 0 else 'below'} {text}" if beyond else text


def _multiples(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    ours, theirs = base.facets.get("multipleOf"), target.facets.get("multipleOf")
    if (ours is None and theirs is None) or (ours is not None and equal(ours, theirs)):
        return
    what = f"multiples of {_factor(theirs)}, was of {_factor(ours)}"
    delta = [ours, theirs]
    kinds = kinds_of(base) & kinds_of(target)
    if not _divides(theirs, ours, kinds):
        yield walk.gap("values", "narrower", route, "multipleOf", what, delta, base, target)
    if not _divides(ours, theirs, kinds):
        yield walk.gap("values", "wider", route, "multipleOf", what, delta, base, target)


def _factor(factor: Any) -> str:
    return "anything" if factor is None else shown(factor)


def _divides(factor: Any, other: Any, kinds: frozenset[str]) -> bool:
    """Say whether every multiple of one is one of another, among numbers of some types."""
    if factor is None:
        return True
    if other is None:
        other = None if "fraction" in kinds else 1
    return other is not None and (Fraction(repr(other)) / Fraction(repr(factor))).denominator == 1


def compare_sizes(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield differences of the least and largest lengths and counts."""
    kinds = kinds_of(base) & kinds_of(target)
    for keyword, kind, idle, least in _SIZES:
        ours, theirs = base.facets.get(keyword, idle), target.facets.get(keyword, idle)
        if kind not in kinds or ours == theirs:
            continue
        stricter = theirs > ours if least else theirs < ours
        if kind == "string" and _implied(base, target, keyword, stricter=stricter):
            continue
        what = f"{keyword} is {_size(theirs)}, was {_size(ours)}"
        effect: Effect = "narrower" if stricter else "wider"
        delta = [_size(ours), _size(theirs)]
        yield walk.gap("values", effect, route, keyword, what, delta, base, target)


def _implied(base: Node, target: Node, keyword: str, *, stricter: bool) -> bool:
    """Say whether a pattern gives no text that a limit, which only one side has, is about."""
    freer, other = (base, target) if stricter else (target, base)
    if "pattern" not in freer.facets:
        return False
    limit = int(other.facets[keyword])
    within = Texts(None, limit) if keyword == "minLength" else Texts(None, 0, limit)
    return fits(_texts(freer), within) is True


def _size(size: float) -> str:
    return "without bound" if size == math.inf else shown(size)


def compare_patterns(walk: Walk, base: Node, target: Node, route: Route) -> Iterator[Gap]:
    """Yield differences of ``pattern`` that change which texts match."""
    if "string" not in kinds_of(base) & kinds_of(target):
        return
    ours, theirs = base.facets.get("pattern"), target.facets.get("pattern")
    if ours == theirs:
        return
    what = f"pattern is {_pattern(theirs)}, was {_pattern(ours)}"
    delta = [ours, theirs]
    narrower = theirs is None or fits(_texts(base), Texts(theirs))
    wider = ours is None or fits(_texts(target), Texts(ours))
    if narrower is None or wider is None:
        yield walk.gap("values", "either", route, "pattern", what, delta, base, target)
        return
    if not narrower:
        yield walk.gap("values", "narrower", route, "pattern", what, delta, base, target)
    if not wider:
        yield walk.gap("values", "wider", route, "pattern", what, delta, base, target)


def contained(inner: str | None, outer: str | None) -> bool | None:
    """Say whether all texts that match one pattern match another; ``None`` is not known."""
    return inner == outer or outer is None or fits(Texts(inner), Texts(outer))


def _texts(node: Node) -> Texts:
    pattern, most = node.facets.get("pattern"), node.facets.get("maxLength")
    low = int(node.facets.get("minLength", 0))
    return Texts(pattern, low, None if most is None else int(most))


def _pattern(pattern: str | None) -> str:
    return "any" if pattern is None else shown(pattern)
