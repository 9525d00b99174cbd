"""What is kept of one run: a row for each event of an operation, in columns of plain numbers.

A million events take some fifty megabytes so, where objects would take ten times as much.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from msgspec import UnsetType

from haia_trace_mcp.index.decoding import Terms

NONE: Final = 0xFFFFFFFF
"""A row or number that is not there."""
NO_TIME: Final = -(1 << 63)
"""A time in another form than the event contract's."""

Kind: TypeAlias = "tuple[str, str | UnsetType]"
ValueT = TypeVar("ValueT", bound=Hashable)


class Numbered(dict[ValueT, int]):
    """Numbers of values from zero; a value that is looked up and not there gets the next one."""

    def __init__(self, values: Iterable[ValueT] = ()) -> None:
        self.values_in_order = list(values)
        super().__init__((value, number) for number, value in enumerate(self.values_in_order))

    def __missing__(self, value: ValueT) -> int:
        number = self[value] = len(self.values_in_order)
        self.values_in_order.append(value)
        return number


class NumberedTerms(Numbered[Terms]):
    """Numbers of terms. A plain tuple finds the same number, and takes less time to make."""

    def __missing__(self, value: Terms) -> int:
        return super().__missing__(Terms._make(value))


class Columns:
    """The events of one run by row, and the operations that they belong to by number.

    Events of no operation have no row. ``offers`` numbers tuples of numbers of terms.
    """

    def __init__(self) -> None:
        self.offset = array("Q")
        self.length = array("I")
        self.checksum = array("I")
        self.operation = array("I")
        self.kind = array("I")
        self.terms = array("I")
        self.offered = array("I")
        self.host = array("I")
        self.at = array("q")
        """Milliseconds since 1970, or NO_TIME."""

        self.previous = array("I")
        """The row before this one in the same operation, or NONE."""

        self.last = array("I")
        """The last row of each operation."""
        self.latest: list[str] = []
        """The order key of the latest time of each operation."""

        self.operations: Numbered[str] = Numbered()
        self.kinds: Numbered[Kind] = Numbered()
        self.all_terms = NumberedTerms()
        self.offers: Numbered[tuple[int, ...]] = Numbered()
        self.hosts: Numbered[str] = Numbered()

    def __len__(self) -> int:
        return len(self.offset)

    def appender(self) -> Callable[[int, int, int, int, int, int, int, int, int | None], None]:
        """Return a function that appends a row; ``at`` may be None."""
        offset, length, checksum = self.offset.append, self.length.append, self.checksum.append
        operation, kind, terms = self.operation.append, self.kind.append, self.terms.append
        offered, host, at = self.offered.append, self.host.append, self.at.append

        def append(
            a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int | None
        ) -> None:
            offset(a)
            length(b)
            checksum(c)
            operation(d)
            kind(e)
            terms(f)
            offered(g)
            host(h)
            at(NO_TIME if i is None else i)

        return append

    def rows(self, operation: int) -> Iterator[int]:
        """Yield the rows of an operation, the last one first."""
        row = self.last[operation]
        while row != NONE:
            yield row
            row = self.previous[row]

    def link(self, first: int) -> None:
        """Fill ``previous`` and ``last`` for the rows from ``first`` on."""
        last, previous = self.last, self.previous
        for row, operation in enumerate(self.operation[first:], first):
            if operation == len(last):
                last.append(NONE)
            previous.append(last[operation])
            last[operation] = row

    def terms_of(self, operation: int) -> list[Terms]:
        """Return the terms of payment that an operation names, in the order of the file."""
        numbers = [self.terms[row] for row in self.rows(operation)]
        return self._distinct(number for number in reversed(numbers) if number != NONE)

    def offers_of(self, operation: int) -> list[Terms]:
        """Return the terms that an operation was offered, in the order of the file."""
        rows = list(self.rows(operation))
        offered = [self.offered[row] for row in reversed(rows)]
        return self._distinct(
            number
            for offer in offered
            if offer != NONE
            for number in self.offers.values_in_order[offer]
        )

    def hosts_of(self, operation: int) -> tuple[str, ...]:
        """Return the hosts of the services that an operation names, in the order of the file."""
        numbers = [self.host[row] for row in self.rows(operation)]
        known = dict.fromkeys(number for number in reversed(numbers) if number != NONE)
        return tuple(self.hosts.values_in_order[number] for number in known)

    def _distinct(self, numbers: Iterator[int]) -> list[Terms]:
        return [self.all_terms.values_in_order[number] for number in dict.fromkeys(numbers)]
