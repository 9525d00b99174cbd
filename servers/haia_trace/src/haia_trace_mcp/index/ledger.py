"""Amounts by time, so that any stretch of it up to now is added up without going through it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate


class Ledger:
    """Payments in one asset: atomic units by milliseconds since 1970."""

    def __init__(self) -> None:
        self._times: list[int] = []
        self._amounts: list[int] = []
        self._sums: list[int] = []
        """The sum of all amounts up to a place; shorter than the others where it is not known."""

    def add(self, at: int, atomic: int) -> None:
        """Enter a payment."""
        place = bisect_right(self._times, at)
        self._times.insert(place, at)
        self._amounts.insert(place, atomic)
        del self._sums[place:]

    def remove(self, at: int, atomic: int) -> None:
        """Strike out a payment that was entered."""
        place = self._amounts.index(atomic, bisect_left(self._times, at))
        del self._times[place]
        del self._amounts[place]
        del self._sums[place:]

    def since(self, at: int) -> tuple[int, int]:
        """Return the sum and the number of payments from a time on."""
        known = len(self._sums)
        if known < len(self._amounts):
            before = self._sums[-1] if known else 0
            self._sums.extend(accumulate(self._amounts[known:], initial=before))
            del self._sums[known]  # what was there before
        place = bisect_left(self._times, at)
        count = len(self._times) - place
        if not count:
            return 0, 0
        return self._sums[-1] - (self._sums[place - 1] if place else 0), count
