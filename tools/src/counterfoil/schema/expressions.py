"""Regular expressions as trees, with the meaning that ECMAScript gives them under the u flag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Span: TypeAlias = tuple[int, int]
Spans: TypeAlias = tuple[Span, ...]

LAST = 0x10FFFF


@dataclass(frozen=True)
class Characters:
    """One character out of a set.

    Attributes:
        spans: first and last code point of each run, sorted and apart from one another.
        known: false where the set rests on tables of Unicode that engines have in different
            versions (``\\p{…}``); the spans then say nothing.
    """

    spans: Spans
    known: bool = True


@dataclass(frozen=True)
class Edge:
    """A place between characters: the start, the end, at a word's edge, or not at one."""

    kind: Literal["start", "end", "boundary", "inside"]


@dataclass(frozen=True)
class Look:
    """A condition on what follows (ahead) or comes before."""

    body: Choice
    ahead: bool
    negative: bool


@dataclass(frozen=True)
class Repeat:
    """An item ``low`` to ``high`` times; ``None`` is without end."""

    item: Item
    low: int
    high: int | None


@dataclass(frozen=True)
class Foreign:
    """What ECMAScript does not know or what no other form of it can say."""

    source: str


@dataclass(frozen=True)
class Choice:
    """Alternatives, each a sequence of items."""

    branches: tuple[tuple[Item, ...], ...]


Item: TypeAlias = Characters | Edge | Look | Repeat | Foreign | Choice


def merged(spans: list[Span]) -> Spans:
    """Return runs sorted, with those that touch or overlap made one."""
    result: list[Span] = []
    for first, last in sorted(spans):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return tuple(result)


def inverted(spans: Spans) -> Spans:
    """Return what the runs leave out of all code points."""
    result: list[Span] = []
    start = 0
    for first, last in spans:
        if start < first:
            result.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def overlap(spans: Spans, others: Spans) -> int | None:
    """Return the lowest code point that two sets share, or ``None``."""
    shared = [
        max(first, other)
        for first, last in spans
        for other, end in others
        if max(first, other) <= min(last, end)
    ]
    return min(shared, default=None)


def weight(item: Item) -> int:
    """Return how many sets of characters a tree holds once its counts are written out."""
    if isinstance(item, Choice):
        return sum(weight(each) for branch in item.branches for each in branch)
    if isinstance(item, Repeat):
        return max(item.high or item.low, 1) * weight(item.item)
    if isinstance(item, Look):
        return weight(item.body)
    return 1


DIGITS: Spans = ((0x30, 0x39),)
WORD: Spans = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# ECMA-262, WhiteSpace and LineTerminator.
SPACE: Spans = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
LINE_ENDS: Spans = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
