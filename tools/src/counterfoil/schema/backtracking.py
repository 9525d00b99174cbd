"""Whether an engine that backtracks can take far too long over a pattern.

Python's ``re`` and ECMAScript try every way in which loops can divide a text before they give
up. Where rounds of a loop can divide a text between them in two ways, the ways double with every
repetition of it; where neighbouring loops can, they grow with a power of its length. Rust's
engine has no such cost.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from counterfoil.schema.containment import (
    NOTHING,
    Language,
    Set,
    Unmodelled,
    both,
    chain,
    counterexample,
    derivative,
    loop,
    nullable,
    part,
    representatives,
)
from counterfoil.schema.expressions import LAST, Choice, Edge, Item, Look, Repeat
from counterfoil.schema.patterns import Pattern

# A loop of so few rounds can be tried in all ways.
_FEW = 10
_STATES = 2_000
_SOMETHING = loop(Set(((0, LAST),)), 1, None)


@functools.lru_cache(maxsize=4096)
def ambiguous(pattern: Pattern) -> str | None:
    """Return a text that a loop of the pattern reads in two ways, or ``None``.

    ``None`` is no proof: loops over what is no plain language are passed over. For texts that two
    neighbours can divide between them see :func:`crowded`.
    """
    for body in _loops(pattern.root):
        try:
            found = _shared(body)
        except Unmodelled:
            continue
        if found is not None:
            return found
    return None


@functools.lru_cache(maxsize=4096)
def crowded(pattern: Pattern) -> str | None:
    """Return a text that two neighbouring loops without end can both read, or ``None``.

    Neighbours have nothing between them, or only what may be missing. ``None`` is no proof, as
    for :func:`ambiguous`.
    """
    return next(_meetings(pattern.root), None)


@dataclass(frozen=True)
class _Rim:
    """The loops without end with which the texts of an item may begin and end.

    Attributes:
        first: bodies of those at the beginning.
        last: bodies of those at the end.
        passable: whether the item may be missing, so that its neighbours are one another's.
    """

    first: tuple[Item, ...] = ()
    last: tuple[Item, ...] = ()
    passable: bool = False


def _rim(item: Item) -> _Rim:
    if isinstance(item, Edge | Look):
        return _Rim(passable=True)
    if isinstance(item, Choice):
        rims = [_rim_of_all(branch) for branch in item.branches]
        return _Rim(
            tuple(each for rim in rims for each in rim.first),
            tuple(each for rim in rims for each in rim.last),
            any(rim.passable for rim in rims),
        )
    if isinstance(item, Repeat):
        inner = _rim(item.item)
        own = (item.item,) if item.high is None else ()
        passable = item.low == 0 or inner.passable
        return _Rim((*own, *inner.first), (*own, *inner.last), passable)
    return _Rim()


def _rim_of_all(branch: tuple[Item, ...]) -> _Rim:
    first: tuple[Item, ...] = ()
    last: tuple[Item, ...] = ()
    passable = True
    for rim in map(_rim, branch):
        first += rim.first if passable else ()
        last = rim.last + (last if rim.passable else ())
        passable = passable and rim.passable
    return _Rim(first, last, passable)


def _meetings(choice: Choice) -> Iterator[str]:
    """Yield texts that neighbouring loops can both read."""
    for branch in choice.branches:
        before: tuple[Item, ...] = ()
        for item in branch:
            rim = _rim(item)
            for left, right in product(before, rim.first):
                yield from _common(left, right)
            before = rim.last + (before if rim.passable else ())
            inner = item.item if isinstance(item, Repeat) else item
            if isinstance(inner, Look):
                inner = inner.body
            if isinstance(inner, Choice):
                yield from _meetings(inner)


def _common(left: Item, right: Item) -> Iterator[str]:
    """Yield a text that rounds of one loop read, and rounds of another."""
    try:
        loops = [both(loop(part(each), 1, None), _SOMETHING) for each in (left, right)]
        found = counterexample(both(*loops), NOTHING)
    except Unmodelled:
        return
    if found is not None:
        yield found


def _shared(body: Item) -> str | None:
    once = both(part(body), _SOMETHING)
    found = _divided(once)
    if found is not None:
        return found
    for choice in _choices(body):
        branches = [both(chain(*map(part, each)), _SOMETHING) for each in choice.branches]
        for left, right in combinations(branches, 2):
            found = counterexample(both(left, right), NOTHING)
            if found is not None:
                return found
    return None


def _divided(once: Language) -> str | None:
    """Return a text that rounds of a loop divide between them in two ways, or ``None``.

    Two readers walk the same text, each beginning a new round where it may.

    Raises:
        Unmodelled: the loop is too large to walk.
    """
    pending: list[tuple[Language, Language, bool, str]] = [(once, once, False, "")]
    seen = {pending[0][:3]}
    for first, second, apart, text in pending:
        for left, right, differ in _rounds(first, second, apart, once):
            for point in representatives(left, right):
                pair = derivative(left, point), derivative(right, point)
                if NOTHING in pair or (*pair, differ) in seen:
                    continue
                if differ and all(map(nullable, pair)):
                    return text + chr(point)
                if len(seen) >= _STATES:
                    raise Unmodelled("the loop is too large to walk")
                seen.add((*pair, differ))
                pending.append((*pair, differ, text + chr(point)))
    return None


def _rounds(
    first: Language, second: Language, apart: bool, once: Language
) -> Iterator[tuple[Language, Language, bool]]:
    """Yield both readers after each has begun a new round or has not, and whether they differ."""
    for left, begun in ((first, False), *([(once, True)] if nullable(first) else [])):
        for right, too in ((second, False), *([(once, True)] if nullable(second) else [])):
            yield left, right, apart or begun is not too


def _loops(choice: Choice) -> Iterator[Item]:
    """Yield the bodies of loops, outer ones first."""
    for item in (each for branch in choice.branches for each in branch):
        inner: Item | None = item
        if isinstance(item, Repeat):
            if item.high is None or item.high > _FEW:
                yield item.item
            inner = item.item
        if isinstance(inner, Look):
            yield from _loops(inner.body)
        elif isinstance(inner, Choice):
            yield from _loops(inner)


def _choices(item: Item) -> Iterator[Choice]:
    """Yield the alternatives that every round of a loop decides between."""
    if isinstance(item, Choice):
        yield item
        for each in (each for branch in item.branches for each in branch):
            yield from _choices(each)
    elif isinstance(item, Repeat):
        yield from _choices(item.item)
