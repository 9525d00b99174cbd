"""Chance that repeats itself: each draw follows from the seed and the draw's own name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from fairwins_gateway.clock import instant_of

T = TypeVar("T")


class Draw:
    """Draw by name. No draw depends on another, on their order, or on a version of Python."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def number(self, low: int, high: int, *name: object) -> int:
        """Return a whole number from ``low`` to ``high``, both included."""
        return low + int(self.digits(16, *name), 16) % (high - low + 1)

    def pick(self, choices: Sequence[T], *name: object) -> T:
        """Return one of the choices."""
        return choices[self.number(0, len(choices) - 1, *name)]

    def digits(self, length: int, *name: object) -> str:
        """Return up to 64 hexadecimal digits."""
        text = "\n".join((self._seed, *map(str, name)))
        return hashlib.sha256(text.encode()).hexdigest()[:length]


def decimal(value: int, places: int) -> str:
    """Write ``value`` / 10 ** ``places`` as decimal text, without zeros at its end."""
    if places == 0:
        return str(value)
    digits = f"{value:0{places + 1}d}"
    return f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")


def day_of(seconds: int) -> str:
    """Write unix seconds as ISO 8601 without milliseconds, as vendors do."""
    return instant_of(seconds * 1000).replace(".000Z", "Z")
