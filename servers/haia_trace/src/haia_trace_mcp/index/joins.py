"""Join the two operations that a lone MCP client records for one payment.

Such a client shares an id between the offer and the request, and gives the settlement another one.
Left alone, the first looks paid and open for ever. The rule: in one run, an operation that is paid,
not settled and names no terms but those it was offered (an ask) is joined with the first later
operation that is settled, not paid, and names terms out of that offer (an answer). Where several
asks fit, the one closest before the answer is taken. "Later" goes by the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from haia_trace_mcp.index.decoding import Terms


@dataclass(frozen=True, slots=True)
class Ask:
    """An operation that waits for an answer under one of these terms."""

    operation: int
    row: int
    terms: frozenset[Terms]


@dataclass(frozen=True, slots=True)
class Answer:
    """An operation that only holds the answer to a payment under these terms."""

    operation: int
    row: int
    terms: frozenset[Terms]


class Joins:
    """The pairs of one run: ``other`` has both halves of each."""

    def __init__(self) -> None:
        self.other: dict[int, int] = {}
        self._halves: dict[int, Ask | Answer] = {}
        self._waiting: dict[Terms, list[Ask]] = {}

    def update(self, operations: Iterable[tuple[int, Ask | Answer | None]]) -> set[int]:
        """Take in what operations are now; return those whose other half changed."""
        new: list[Ask | Answer] = []
        is_simple = True
        for operation, half in operations:
            known = self._halves.get(operation)
            if half == known:
                continue
            if known is not None:
                is_simple = False
                del self._halves[operation]
            if half is not None:
                self._halves[operation] = half
                new.append(half)
        return self._add(new) if is_simple else self._start_over()

    def _start_over(self) -> set[int]:
        before = dict(self.other)
        self.other.clear()
        self._waiting.clear()
        self._add(self._halves.values())
        return {operation for operation, _ in before.items() ^ self.other.items()}

    def _add(self, halves: Iterable[Ask | Answer]) -> set[int]:
        changed: set[int] = set()
        for half in sorted(halves, key=lambda each: each.row):
            if isinstance(half, Ask):
                for terms in half.terms:
                    self._waiting.setdefault(terms, []).append(half)
                continue
            ask = self._closest(half.terms)
            if ask is not None:
                self.other[ask.operation] = half.operation
                self.other[half.operation] = ask.operation
                changed |= {ask.operation, half.operation}
        return changed

    def _closest(self, terms: Iterable[Terms]) -> Ask | None:
        """Find the last ask under one of the terms that has no answer yet."""
        found: Ask | None = None
        for each in terms:
            asks = self._waiting.get(each, [])
            while asks and asks[-1].operation in self.other:
                asks.pop()
            if asks and (found is None or asks[-1].row > found.row):
                found = asks[-1]
        return found
