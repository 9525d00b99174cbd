"""Whether every text that one pattern describes is described by another.

By derivatives (Brzozowski 1964; Antimirov 1995 for inclusion): the derivative of an expression
by a character describes what may follow that character. Two expressions are walked side by side;
the pairs that can be reached are finitely many, and a bound keeps them few.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from counterfoil.schema.expressions import (
    LAST,
    Characters,
    Choice,
    Edge,
    Item,
    Repeat,
    Spans,
)
from counterfoil.schema.patterns import Pattern

# Enough for identifiers, dates and numbers; a pattern that needs more stays unproven.
_PAIRS = 4_000


@dataclass(frozen=True)
class Set:
    """Describe one character."""

    spans: Spans


@dataclass(frozen=True)
class Chain:
    """Describe one part after another; no parts describe the empty text."""

    parts: tuple[Language, ...]


@dataclass(frozen=True)
class Union:
    """Describe what any member describes; no members describe nothing."""

    members: frozenset[Language]


@dataclass(frozen=True)
class Loop:
    """Describe a body ``low`` to ``high`` times."""

    body: Language
    low: int
    high: int | None


@dataclass(frozen=True)
class Both:
    """Describe what two others both describe."""

    left: Language
    right: Language


Language: TypeAlias = Set | Chain | Union | Loop | Both

EMPTY = Chain(())
NOTHING = Union(frozenset())
ANYTHING = Loop(Set(((0, LAST),)), 0, None)


class Unmodelled(ValueError):
    """Report a pattern with parts that are no regular language here, or unanchored ones."""


def language(pattern: Pattern) -> Language:
    """Return what a pattern describes.

    Raises:
        Unmodelled: it looks around, refers back, or has anchors in the midst of it.
    """
    return union(_branch(branch) for branch in pattern.root.branches)


def counterexample(inner: Language, outer: Language) -> str | None:
    """Return a text that ``inner`` describes and ``outer`` does not; ``None`` if there is none.

    Raises:
        Unmodelled: the two are too large to compare.
    """
    pending: list[tuple[Language, Language, str]] = [(inner, outer, "")]
    seen = {(inner, outer)}
    for left, right, text in pending:
        if nullable(left) and not nullable(right):
            return text
        for point in representatives(left, right):
            pair = derivative(left, point), derivative(right, point)
            if pair[0] == NOTHING or pair in seen:
                continue
            if len(seen) >= _PAIRS:
                raise Unmodelled("the patterns are too large to compare")
            seen.add(pair)
            pending.append((*pair, text + chr(point)))
    return None


def union(members: Iterator[Language] | list[Language]) -> Language:
    """Return the union in a form that is the same for the same members."""
    flat: set[Language] = set()
    for member in members:
        flat.update(member.members if isinstance(member, Union) else (member,))
    return next(iter(flat)) if len(flat) == 1 else Union(frozenset(flat))


def chain(*parts: Language) -> Language:
    """Return one part after another in a form that is the same for the same parts."""
    flat: list[Language] = []
    for each in parts:
        if each == NOTHING:
            return NOTHING
        flat.extend(each.parts if isinstance(each, Chain) else (each,))
    return flat[0] if len(flat) == 1 else Chain(tuple(flat))


def both(left: Language, right: Language) -> Language:
    """Return what two languages share, in its simplest form."""
    if NOTHING in (left, right):
        return NOTHING
    if ANYTHING in (left, right):
        return left if right == ANYTHING else right
    return Both(left, right)


def loop(body: Language, low: int, high: int | None) -> Language:
    """Return a body ``low`` to ``high`` times in its simplest form."""
    if high == 0 or body == EMPTY:
        return EMPTY
    if (low, high) == (1, 1):
        return body
    return Loop(body, low, high)


@functools.lru_cache(maxsize=16384)
def nullable(expression: Language) -> bool:
    """Say whether the empty text is described."""
    if isinstance(expression, Set):
        return False
    if isinstance(expression, Chain):
        return all(map(nullable, expression.parts))
    if isinstance(expression, Union):
        return any(map(nullable, expression.members))
    if isinstance(expression, Both):
        return nullable(expression.left) and nullable(expression.right)
    return expression.low == 0 or nullable(expression.body)


@functools.lru_cache(maxsize=16384)
def derivative(expression: Language, point: int) -> Language:
    """Return what may follow a character at the beginning."""
    if isinstance(expression, Set):
        return EMPTY if any(a <= point <= b for a, b in expression.spans) else NOTHING
    if isinstance(expression, Union):
        return union([derivative(each, point) for each in expression.members])
    if isinstance(expression, Loop):
        low, high = max(expression.low - 1, 0), expression.high
        rest = loop(expression.body, low, None if high is None else high - 1)
        return chain(derivative(expression.body, point), rest)
    if isinstance(expression, Both):
        return both(derivative(expression.left, point), derivative(expression.right, point))
    heads: list[Language] = []
    for index, head in enumerate(expression.parts):
        heads.append(chain(derivative(head, point), *expression.parts[index + 1 :]))
        if not nullable(head):
            break
    return union(heads)


def representatives(left: Language, right: Language) -> list[int]:
    """Return one character of every run that the next character's sets do not tell apart."""
    starts = {0}
    for expression in (left, right):
        for first, last in _firsts(expression):
            starts.update((first, last + 1))
    return sorted(point for point in starts if point <= LAST)


@functools.lru_cache(maxsize=16384)
def _firsts(expression: Language) -> Spans:
    if isinstance(expression, Set):
        return expression.spans
    if isinstance(expression, Loop):
        return _firsts(expression.body)
    if isinstance(expression, Union):
        return tuple({span for each in expression.members for span in _firsts(each)})
    if isinstance(expression, Both):
        return _firsts(expression.left) + _firsts(expression.right)
    found: list[tuple[int, int]] = []
    for head in expression.parts:
        found.extend(_firsts(head))
        if not nullable(head):
            break
    return tuple(found)


def _branch(items: tuple[Item, ...]) -> Language:
    """Model one alternative; its anchors may stand only at its ends."""
    start = bool(items) and items[0] == Edge("start")
    end = len(items) > start and items[-1] == Edge("end")
    inner = items[start : len(items) - end]
    parts = [part(item) for item in inner]
    return chain(*([] if start else [ANYTHING]), *parts, *([] if end else [ANYTHING]))


def part(item: Item) -> Language:
    """Return what one item of a pattern describes.

    Raises:
        Unmodelled: it is no plain set of texts.
    """
    if isinstance(item, Characters) and item.known:
        return Set(item.spans) if item.spans else NOTHING
    if isinstance(item, Choice):
        return union([chain(*map(part, branch)) for branch in item.branches])
    if isinstance(item, Repeat):
        return loop(part(item.item), item.low, item.high)
    raise Unmodelled("the pattern is more than a regular expression of characters")
