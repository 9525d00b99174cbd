"""One run, read through one template."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

from haia_trace_mcp.ecmascript import key_text
from haia_trace_mcp.index.columns import NO_TIME, NONE
from haia_trace_mcp.index.counterparties import address_key
from haia_trace_mcp.index.folding import Meaning, Reading
from haia_trace_mcp.index.joins import Answer, Ask, Joins
from haia_trace_mcp.index.operation import Operation, Payment
from haia_trace_mcp.index.ranking import Place, Verdicts
from haia_trace_mcp.index.run_data import RunData

_MADE_LIMIT: Final = 10_000


class RunView:
    """The state of each operation of a run, folded event by event."""

    def __init__(self, run: RunData, reading: Reading, shared: Verdicts) -> None:
        """Begin with nothing; places go into the ``shared`` verdicts of all runs, too."""
        self.run = run
        self.verdicts = Verdicts()
        self._shared = shared
        self.joins = Joins()
        self._reading = reading
        self._meanings: list[Meaning] = []
        self._masks: list[int] = []
        self._faults = array("I")
        self._places: list[Place] = []
        self._is_full = bytearray()
        self._done = 0
        self._made: dict[int, Operation] = {}
        """Operations that were asked for since their last event; making one takes some time."""

    def update(self) -> set[int]:
        """Fold the events that are new; return the operations that may read differently now."""
        columns = self.run.columns
        first, self._done = self._done, len(columns)
        if first == self._done:
            return set()
        self._fold(first)
        touched = set(columns.operation[first:])
        self._rank(touched)
        if self._reading.roles:
            touched |= self.joins.update((each, self._half(each)) for each in sorted(touched))
        for each in touched:
            self._made.pop(each, None)
        return touched

    def _fold(self, first: int) -> None:
        columns, masks, faults = self.run.columns, self._masks, self._faults
        kinds = columns.kinds.values_in_order
        self._meanings += map(self._reading.meaning, kinds[len(self._meanings) :])
        new = len(columns.operations) - len(masks)
        masks.extend([0] * new)
        faults.extend([0] * new)
        stages = [each.stages for each in self._meanings]
        are_faults = [each.is_fault for each in self._meanings]
        for operation, kind in zip(columns.operation[first:], columns.kind[first:], strict=True):
            masks[operation] |= stages[kind]
            faults[operation] += are_faults[kind]

    def _rank(self, touched: set[int]) -> None:
        known = len(self._places)
        old = [each for each in touched if each < known]
        self._withdraw(old)
        latest, order = self.run.columns.latest, self.run.order
        self._places.extend((latest[each], order, each) for each in range(known, len(self._masks)))
        self._is_full.extend(bytes(len(self._masks) - known))
        for each in old:
            self._places[each] = (latest[each], order, each)
        for each in touched:
            verdict = self._reading.completeness(self._masks[each], self._faults[each])
            self._is_full[each] = verdict == "full"
        full, partial = self._by_verdict(touched)
        for verdicts in (self.verdicts, self._shared):
            verdicts.full.add(full)
            verdicts.partial.add(partial)

    def leave(self) -> None:
        """Take the places out of the shared verdicts."""
        full, partial = self._by_verdict(range(len(self._places)))
        self._shared.full.remove(full)
        self._shared.partial.remove(partial)

    def _withdraw(self, operations: Iterable[int]) -> None:
        full, partial = self._by_verdict(operations)
        for verdicts in (self.verdicts, self._shared):
            verdicts.full.remove(full)
            verdicts.partial.remove(partial)

    def _by_verdict(self, operations: Iterable[int]) -> tuple[list[Place], list[Place]]:
        full: list[Place] = []
        partial: list[Place] = []
        for each in operations:
            (full if self._is_full[each] else partial).append(self._places[each])
        return full, partial

    def place(self, operation: int) -> Place:
        """Return where an operation stands in the order of last events."""
        return self._places[operation]

    def is_full(self, operation: int) -> bool:
        """Tell whether the verdict is full."""
        return bool(self._is_full[operation])

    def is_open(self, operation: int) -> bool:
        """Tell whether an operation may have been paid for and was not seen to complete."""
        if not self._reading.roles:
            return not self._is_full[operation]
        mask = self._masks[operation]
        is_due = mask & self._reading.paid and not mask & self._reading.settled
        return bool(is_due) and operation not in self.joins.other

    def addresses(self, operation: int) -> tuple[str, ...]:
        """Return the keys of whom the operation pays, or would pay, in the order of the file."""
        columns = self.run.columns
        terms = columns.terms_of(operation) or columns.offers_of(operation)
        return tuple(dict.fromkeys(address_key(each.pay_to) for each in terms if each.pay_to))

    def parties(self, operation: int) -> set[str]:
        """Return the keys of all counterparties of an operation."""
        return {*self.addresses(operation), *self.run.columns.hosts_of(operation)}

    def former_parties(self, operation: int) -> set[str]:
        """Return the keys of all that ever were counterparties of an operation."""
        columns = self.run.columns
        terms = columns.terms_of(operation) + columns.offers_of(operation)
        addresses = {address_key(each.pay_to) for each in terms if each.pay_to}
        return addresses.union(columns.hosts_of(operation))

    def payments(self, operation: int) -> tuple[Payment, ...]:
        """Return what the operation paid, or may have paid, once for each of its terms.

        The time is that of the first event that proves payment under these terms, or without one,
        settlement. A template without roles proves payment by any event that names terms.
        """
        columns, reading = self.run.columns, self._reading
        paid: dict[int, int] = {}
        settled: dict[int, int] = {}
        is_paid, first_paid = False, NO_TIME
        for row in columns.rows(operation):
            terms, at = columns.terms[row], columns.at[row]
            stages = self._meanings[columns.kind[row]].stages
            if stages & reading.paid or not reading.roles:
                is_paid, first_paid = True, _earlier(at, first_paid)
                if terms != NONE:
                    paid[terms] = _earlier(at, paid.get(terms, NO_TIME))
            elif stages & reading.settled and terms != NONE:
                settled[terms] = _earlier(at, settled.get(terms, NO_TIME))
        values = columns.all_terms.values_in_order
        found = {**settled, **paid}
        if found:
            return tuple(Payment(values[terms], _time(at)) for terms, at in found.items())
        if not is_paid or not reading.roles or operation in self.joins.other:
            return ()
        offers = columns.offers_of(operation)
        return (Payment(offers[0] if len(offers) == 1 else None, _time(first_paid)),)

    def operation(self, number: int) -> Operation:
        """Return an operation by its number."""
        made = self._made.get(number)
        if made is None:
            if len(self._made) >= _MADE_LIMIT:
                self._made.clear()
            made = self._made[number] = self._make(number)
        return made

    def _make(self, number: int) -> Operation:
        reading, columns = self._reading, self.run.columns
        mask = self._masks[number]
        other = self.joins.other.get(number)
        ids = columns.operations.values_in_order
        return Operation(
            run_id=self.run.run_id,
            operation_id=ids[number],
            template=reading.template.id,
            completeness="full" if self._is_full[number] else "partial",
            missing=reading.names(reading.required & ~mask),
            exception_count=self._faults[number],
            last_event_at=key_text(columns.latest[number]),
            confirmed=frozenset(reading.names(mask)),
            is_paid=bool(mask & reading.paid) if reading.roles else None,
            is_settled=bool(mask & reading.settled) if reading.roles else None,
            is_open=self.is_open(number),
            payments=self.payments(number),
            offers=tuple(columns.offers_of(number)),
            addresses=self.addresses(number),
            hosts=columns.hosts_of(number),
            joined=None if other is None else ids[other],
        )

    def _stages(self, row: int) -> int:
        return self._meanings[self.run.columns.kind[row]].stages

    def _half(self, operation: int) -> Ask | Answer | None:
        """Tell whether an operation may be half of a payment; see ``joins``."""
        columns, reading = self.run.columns, self._reading
        mask = self._masks[operation]
        is_paid, is_settled = bool(mask & reading.paid), bool(mask & reading.settled)
        if is_paid == is_settled:
            return None
        rows = list(columns.rows(operation))[::-1]
        terms = columns.terms_of(operation)
        offers = columns.offers_of(operation)
        proof = reading.paid if is_paid else reading.settled
        proved = next(row for row in rows if self._stages(row) & proof)
        if is_paid and offers and not terms:
            named = next(row for row in rows if columns.offered[row] != NONE)
            return Ask(operation, max(proved, named), frozenset(offers))
        if is_settled and terms:
            named = next(row for row in rows if columns.terms[row] != NONE)
            return Answer(operation, max(proved, named), frozenset(terms))
        return None


def _earlier(at: int, known: int) -> int:
    """Return the earlier of two times, either of which may be NO_TIME."""
    if NO_TIME in (at, known):
        return max(at, known)
    return min(at, known)


def _time(at: int) -> int | None:
    return None if at == NO_TIME else at
