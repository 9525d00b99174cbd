"""The decimal forms of the integers of a range, as a language."""

from __future__ import annotations

from counterfoil.schema.containment import (
    NOTHING,
    Language,
    Set,
    Unmodelled,
    chain,
    loop,
    union,
)

_DIGIT = ((0x30, 0x39),)
# A 256-bit number has 78 digits.
_LARGEST = 10**80


def decimals(low: int, high: int | None) -> Language:
    """Describe ``str(n)`` for every ``low <= n <= high``; ``None`` is without end.

    Args:
        low: 0 or more.

    Raises:
        Unmodelled: a bound has more than 80 digits.
    """
    if max(low, high or 0) > _LARGEST:
        raise Unmodelled("the bounds are too large")
    if high is not None and high < low:
        return NOTHING
    first = len(str(low))
    top = first if high is None else len(str(high))
    members: list[Language] = []
    for width in range(first, top + 1):
        least = max(low, 10 ** (width - 1) if width > 1 else 0)
        most = 10**width - 1 if high is None else min(high, 10**width - 1)
        members.append(_between(str(least), str(most)))
    if high is None:
        members.append(chain(_digits("1", "9"), loop(Set(_DIGIT), first, None)))
    return union(members)


def _between(low: str, high: str) -> Language:
    """Describe the numbers from low to high, which have as many digits as one another."""
    if not low:
        return chain()
    if low == "0" * len(low) and high == "9" * len(high):
        return loop(Set(_DIGIT), len(low), len(low))
    if low[0] == high[0]:
        return chain(_digits(low[0], low[0]), _between(low[1:], high[1:]))
    rest = len(low) - 1
    members = [
        chain(_digits(low[0], low[0]), _between(low[1:], "9" * rest)),
        chain(_digits(high[0], high[0]), _between("0" * rest, high[1:])),
    ]
    if int(high[0]) - int(low[0]) > 1:
        inner = _digits(str(int(low[0]) + 1), str(int(high[0]) - 1))
        members.append(chain(inner, loop(Set(_DIGIT), rest, rest)))
    return union(members)


def _digits(first: str, last: str) -> Language:
    return Set(((ord(first), ord(last)),))
