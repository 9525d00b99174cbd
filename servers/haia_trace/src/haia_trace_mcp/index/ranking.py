"""Operations in the order of their last events."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import merge
from typing import Final, TypeAlias

from haia_trace_mcp.receipts import Completeness

Place: TypeAlias = "tuple[str, str, int]"
"""Order key of the last time, order key of the run's file name, number of the operation."""

# From so many new places on, sorting the list once costs less than finding room for each of them.
_MANY: Final = 200


class Ranking:
    """A sorted list of places. The newest are the last, so a new event costs little."""

    def __init__(self) -> None:
        self._places: list[Place] = []

    def __len__(self) -> int:
        return len(self._places)

    def add(self, places: list[Place]) -> None:
        """Put places in that are not there yet."""
        if len(places) > _MANY:
            self._places.extend(places)
            self._places.sort()
            return
        for place in places:
            insort(self._places, place)

    def remove(self, places: list[Place]) -> None:
        """Take places out that are there."""
        if len(places) > _MANY:
            gone = set(places)
            self._places = [place for place in self._places if place not in gone]
            return
        for place in places:
            del self._places[bisect_left(self._places, place)]

    def newest(self) -> Iterator[Place]:
        """Yield the places from the end."""
        return reversed(self._places)


class Verdicts:
    """Places by the verdict over their operations."""

    def __init__(self) -> None:
        self.full = Ranking()
        self.partial = Ranking()

    def newest(self, completeness: Completeness | None) -> Iterator[Place]:
        """Yield the places of one verdict, or of both, the newest first."""
        if completeness is None:
            return merge(self.full.newest(), self.partial.newest(), reverse=True)
        return (self.full if completeness == "full" else self.partial).newest()
