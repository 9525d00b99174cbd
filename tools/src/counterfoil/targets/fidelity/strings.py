"""Texts that a pattern describes."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from counterfoil.schema.expressions import Characters, Choice, Edge, Item, Repeat, Spans
from counterfoil.schema.patterns import PatternError, parse

# How often a repetition is taken beyond its least: the usual lengths, then powers of two.
_MORE = (1, 0, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256)
_LONGEST = 4096
_BRANCHES = 4
_LIKED = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x21, 0x7E))


class _Unknown(ValueError):
    """Report a part of a pattern that no text is made for."""


@functools.lru_cache(maxsize=1024)
def described(pattern: str) -> tuple[str, ...]:
    """Return a few texts that a pattern should match, the plainest first.

    Conditions on neighbouring characters are not looked at, so a text may fail to match.
    """
    try:
        root = parse(pattern).root
    except PatternError:
        return ()
    return tuple(dict.fromkeys(_texts(root)))


def _texts(root: Choice) -> Iterator[str]:
    for more in _MORE:
        for branch in root.branches[:_BRANCHES]:
            try:
                yield _choice(Choice((branch,)), more)[:_LONGEST]
            except _Unknown:
                continue


def _choice(choice: Choice, more: int) -> str:
    return "".join(_item(item, more) for item in choice.branches[0])


def _item(item: Item, more: int) -> str:
    if isinstance(item, Characters):
        return _character(item)
    if isinstance(item, Edge):
        return ""
    if isinstance(item, Choice):
        return _choice(item, more)
    if isinstance(item, Repeat):
        most = item.low + more if item.high is None else min(item.high, item.low + more)
        return _item(item.item, more) * min(most, _LONGEST)
    raise _Unknown


def _character(item: Characters) -> str:
    if not item.known or not item.spans:
        raise _Unknown
    return next(
        (chr(point) for liked in _LIKED if (point := _within(item.spans, *liked)) is not None),
        chr(item.spans[0][0]),
    )


def _within(spans: Spans, low: int, high: int) -> int | None:
    """Return the lowest code point of a set from ``low`` to ``high``."""
    return min(
        (max(first, low) for first, last in spans if max(first, low) <= min(last, high)),
        default=None,
    )
