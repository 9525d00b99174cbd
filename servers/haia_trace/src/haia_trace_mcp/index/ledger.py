"""Amounts by time, so that any stretch of it up to now is added up without going through it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate


class Ledger:
    """Payments in one asset: milliseconds since 1970, and atomic units."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int]] = []
        self._sums: list[int] = []
        """The sum of all amounts up to a place; shorter than the entries where it is not known."""

    def add(self, at: int, atomic: int) -> None:
        """Enter a payment."""
        place = bisect_left(self._entries, (at, atomic))
        self._entries.insert(place, (at, atomic))
        del self._sums[place:]

    def add_all(self, entries: list[tuple[int, int]]) -> None:
        """Enter many payments."""
        self._entries += entries
        self._entries.sort()
        self._sums.clear()

    def remove(self, at: int, atomic: int) -> None:
        """Strike out a payment that was entered."""
        place = bisect_left(self._entries, (at, atomic))
        del self._entries[place]
        del self._sums[place:]

    def since(self, at: int) -> tuple[int, int]:
        """Return the sum and the number of payments from a time on."""
        known = len(self._sums)
        if known < len(self._entries):
            before = self._sums[-1] if known else 0
            amounts = (atomic for _, atomic in self._entries[known:])
            self._sums.extend(accumulate(amounts, initial=before))
            del self._sums[known]  # what was there before
        place = bisect_left(self._entries, (at,))
        count = len(self._entries) - place
        if not count:
            return 0, 0
        return self._sums[-1] - (self._sums[place - 1] if place else 0), count
