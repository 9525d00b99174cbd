"""What happened with one counterparty, or with all of them."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from threading import RLock
from typing import Final, NamedTuple, TypeVar

from haia_trace_mcp.index.counterparties import address_key
from haia_trace_mcp.index.ledger import Ledger
from haia_trace_mcp.index.operation import Operation, Payment
from haia_trace_mcp.index.ranking import Place, Ranking
from haia_trace_mcp.index.run_view import RunView

_ATOMIC = re.compile(r"[0-9]{1,78}")  # no token has more than 2**256 units
EntryT = TypeVar("EntryT", "tuple[int, Place, int]", "tuple[int, Place]")
_NEVER: Final = -(1 << 63)


@dataclass(frozen=True, slots=True)
class Total:
    """What was paid in one asset: atomic units, and how many payments."""

    atomic: int
    payments: int


@dataclass(frozen=True, slots=True)
class Spending:
    """Payments since some time, by (network, asset) as recorded, the asset's address by its key.

    ``unreadable`` are the newest of the ``unreadable_count`` payments that cannot be added up: no
    amount, no asset, no network, an amount that is no whole number, or a time in another form than
    the event contract's. The last kind counts as of any time.
    """

    totals: Mapping[tuple[str, str], Total]
    unreadable: tuple[Operation, ...]
    unreadable_count: int


class _Standing(NamedTuple):
    """How an operation was counted, so that it can be taken out again."""

    view: RunView
    place: Place
    is_full: bool
    is_open: bool
    payments: tuple[Payment, ...]


class Books:
    """The operations of one counterparty, kept up to date operation by operation."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.open = Ranking()
        self.full_count = 0
        self.standings: dict[tuple[str, int], _Standing] = {}
        self.ledgers: dict[tuple[str, str], Ledger] = {}
        self.payments: list[tuple[int, Place, int]] = []
        """All with a time: it, the operation's place and the number in the operation."""
        self.unreadable: list[tuple[int, Place]] = []

    def begin(self, view: RunView, operations: Iterable[int]) -> None:
        """Count the operations of a run of which none was counted."""
        entered: list[tuple[int, Place, int]] = []
        unreadable: list[tuple[int, Place]] = []
        amounts: dict[tuple[str, str], list[tuple[int, int]]] = {}
        places: list[Place] = []
        for operation in operations:
            if self.key is not None and self.key not in view.parties(operation):
                continue
            standing = self._stand(view, operation)
            if standing.is_open:
                places.append(standing.place)
            for entry in _entries(standing):
                if entry.at is not None:
                    entered.append((entry.at, standing.place, entry.number))
                if entry.asset is None or entry.at is None:
                    unreadable.append((_NEVER if entry.at is None else entry.at, standing.place))
                else:
                    amounts.setdefault(entry.asset, []).append((entry.at, entry.atomic))
        self.open.add(places)
        self.payments = sorted(self.payments + entered)
        self.unreadable = sorted(self.unreadable + unreadable)
        for asset, found in amounts.items():
            self.ledgers.setdefault(asset, Ledger()).add_all(found)

    def update(self, view: RunView, operation: int) -> None:
        """Count an operation as it is now."""
        self._remove(view.run.order, operation)
        if self.key is None or self.key in view.parties(operation):
            self._enter(self._stand(view, operation))

    def _remove(self, order: str, operation: int) -> None:
        """Take an operation out, if it is in."""
        standing = self.standings.pop((order, operation), None)
        if standing is None:
            return
        self.full_count -= standing.is_full
        if standing.is_open:
            self.open.remove([standing.place])
        for entry in _entries(standing):
            if entry.at is not None:
                _take_out(self.payments, (entry.at, standing.place, entry.number))
            if entry.asset is None or entry.at is None:
                at = _NEVER if entry.at is None else entry.at
                _take_out(self.unreadable, (at, standing.place))
            else:
                self.ledgers[entry.asset].remove(entry.at, entry.atomic)

    def operation(self, place: Place) -> Operation:
        """Return an operation that is in."""
        return self.standings[place[1], place[2]].view.operation(place[2])

    def _stand(self, view: RunView, operation: int) -> _Standing:
        standing = _Standing(
            view,
            view.place(operation),
            view.is_full(operation),
            view.is_open(operation),
            view.payments(operation),
        )
        self.standings[view.run.order, operation] = standing
        self.full_count += standing.is_full
        return standing

    def _enter(self, standing: _Standing) -> None:
        if standing.is_open:
            self.open.add([standing.place])
        for entry in _entries(standing):
            if entry.at is not None:
                insort(self.payments, (entry.at, standing.place, entry.number))
            if entry.asset is None or entry.at is None:
                at = _NEVER if entry.at is None else entry.at
                insort(self.unreadable, (at, standing.place))
            else:
                self.ledgers.setdefault(entry.asset, Ledger()).add(entry.at, entry.atomic)


class Account:
    """What happened with one counterparty, or with all, read through one template.

    An operation belongs to every host that it names, and to every address in its terms of payment,
    or where it has none, in its offers. Answers are those of the index's last ``refresh``.
    """

    def __init__(self, books: Books, lock: RLock) -> None:
        self._books = books
        self._lock = lock

    @property
    def operation_count(self) -> int:
        """Return how many operations there are."""
        with self._lock:
            return len(self._books.standings)

    @property
    def full_count(self) -> int:
        """Return how many of them are full."""
        with self._lock:
            return self._books.full_count

    @property
    def open_count(self) -> int:
        """Return how many of them are open."""
        with self._lock:
            return len(self._books.open)

    def open_operations(self, limit: int) -> tuple[Operation, ...]:
        """Return the open ones, newest first."""
        with self._lock:
            return tuple(map(self._books.operation, islice(self._books.open.newest(), limit)))

    def spent_since(self, at: int, limit: int = 20) -> Spending:
        """Add up the payments from a time on, in milliseconds since 1970.

        ``limit`` is how many operations with unreadable payments are named, newest first.
        """
        with self._lock:
            books = self._books
            totals: dict[tuple[str, str], Total] = {}
            for asset, ledger in books.ledgers.items():
                atomic, count = ledger.since(at)
                if count:
                    totals[asset] = Total(atomic, count)
            timeless = bisect_left(books.unreadable, (_NEVER + 1,))
            recent = bisect_left(books.unreadable, (at,), timeless)
            count = len(books.unreadable) - recent + timeless
            numbers = chain(range(len(books.unreadable), recent, -1), range(timeless, 0, -1))
            named: dict[Place, None] = {}
            for number in numbers:
                if len(named) == limit:
                    break
                named[books.unreadable[number - 1][1]] = None
            return Spending(totals, tuple(map(books.operation, named)), count)

    def payments_since(self, at: int, limit: int) -> tuple[tuple[Operation, Payment], ...]:
        """Return the payments from a time on, newest first."""
        with self._lock:
            books = self._books
            found: list[tuple[Operation, Payment]] = []
            for moment, place, number in reversed(books.payments):
                if moment < at or len(found) >= limit:
                    break
                standing = books.standings[place[1], place[2]]
                found.append((books.operation(place), standing.payments[number]))
            return tuple(found)


def _take_out(values: list[EntryT], value: EntryT) -> None:
    del values[bisect_left(values, value)]


class _Entry(NamedTuple):
    """A payment as it is counted; ``asset`` is None where it cannot be added up."""

    number: int
    at: int | None
    asset: tuple[str, str] | None
    atomic: int


def _entries(standing: _Standing) -> Iterator[_Entry]:
    for number, (terms, at) in enumerate(standing.payments):
        if (
            terms is None
            or terms.network is None
            or terms.asset is None
            or terms.amount is None
            or not _ATOMIC.fullmatch(terms.amount)
        ):
            yield _Entry(number, at, None, 0)
        else:
            asset = (terms.network, address_key(terms.asset))
            yield _Entry(number, at, asset, int(terms.amount))
