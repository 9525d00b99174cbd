"""Short texts that match patterns, or match one and not another."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterfoil.schema.containment import (
    ANYTHING,
    EMPTY,
    NOTHING,
    Language,
    Set,
    Unmodelled,
    both,
    chain,
    counterexample,
    language,
    loop,
    union,
)
from counterfoil.schema.expressions import LAST
from counterfoil.schema.patterns import PatternError, parse

# Letters first, so that a shortest text is one that people can read.
_READABLE = loop(Set(((0x61, 0x7A),)), 0, None)
_PLAIN = loop(Set(((0x20, 0x7E),)), 0, None)
_SOME = loop(Set(((0, LAST),)), 1, None)
_LONGEST = 2_000
# Lengths up to which two sets of texts are compared; the work grows with them.
_COMPARED = 300

EXAMPLES = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "duration": "P1D",
    "email": "a@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "12:00:00Z",
    "uri": "https://example.org/",
    "uri-reference": "/a",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


@functools.lru_cache(maxsize=1024)
def _language(pattern: str) -> Language:
    return language(parse(pattern))


def _lengths(low: int, high: int | None) -> Language:
    if max(low, high or 0) > _LONGEST:
        raise Unmodelled("the texts are too long")
    return loop(Set(((0, 0x10FFFF),)), low, high) if low or high is not None else ANYTHING


def shortest(
    patterns: Sequence[str], low: int = 0, high: int | None = None, avoid: str | None = None
) -> str | None:
    """Return a short text that matches all patterns and has a length, or ``None``.

    Args:
        patterns: with their ECMAScript meaning.
        low, high: the least and the largest length.
        avoid: a pattern that the text does not match.

    Raises:
        PatternError: a pattern is none.
        Unmodelled: a pattern is more than a regular expression of characters.
    """
    wanted = _lengths(low, high)
    for pattern in patterns:
        wanted = both(wanted, _language(pattern))
    outer = NOTHING if avoid is None else _language(avoid)
    for among in (_READABLE, _PLAIN, ANYTHING):
        found = counterexample(both(wanted, among), outer)
        if found is not None:
            return found
    return None


class Texts(NamedTuple):
    """Texts that match a pattern, if there is one, and have a length."""

    pattern: str | None = None
    low: int = 0
    high: int | None = None


def fits(inner: Texts, outer: Texts) -> bool | None:
    """Say whether all of some texts are among others; ``None`` is not known."""
    if max(outer.low, outer.high or 0) > _COMPARED:
        return None
    # Without its own far limits the inner side only holds more.
    high = inner.high if inner.high is not None and inner.high <= _COMPARED else None
    nearer = Texts(inner.pattern, min(inner.low, _COMPARED), high)
    try:
        return counterexample(_described(nearer), _described(outer)) is None
    except (PatternError, Unmodelled):
        return None


def _described(texts: Texts) -> Language:
    lengths = _lengths(texts.low, texts.high)
    return lengths if texts.pattern is None else both(_language(texts.pattern), lengths)


def unlike(patterns: Sequence[str], taken: Sequence[str]) -> str | None:
    """Return a short text that matches no pattern and is none of some; ``None`` if there is none.

    Raises:
        PatternError, Unmodelled: as :func:`shortest`.
    """
    outer = union([*map(_language, patterns), *map(_literal, taken)])
    for among in (_READABLE, _PLAIN, ANYTHING):
        found = counterexample(both(among, _SOME), outer)
        if found is not None:
            return found
    return counterexample(EMPTY, outer)


def _literal(given: str) -> Language:
    return chain(*(Set(((ord(each), ord(each)),)) for each in given))


def matching(
    patterns: Sequence[str], low: int, high: int | None, avoid: str | None = None
) -> Iterator[str]:
    """Yield short texts as :func:`shortest` does; none where nobody can tell."""
    try:
        found = shortest(patterns, low, high, avoid)
    except (PatternError, Unmodelled):
        return
    if found is not None:
        yield found


def plain(length: int) -> str:
    """Return a text of some length."""
    return "a" * length
