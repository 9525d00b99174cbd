"""The index over all runs of a Trace root."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from haia_trace_mcp.ecmascript import Json, text_key
from haia_trace_mcp.errors import (
    AbsentError,
    RootError,
    RunError,
    RunsError,
    UnknownOperationError,
    UnknownRunError,
)
from haia_trace_mcp.index.account import Account, Spending, Total
from haia_trace_mcp.index.counterparties import address_key, host_key
from haia_trace_mcp.index.operation import Operation, Payment, Run, Terms
from haia_trace_mcp.receipts import Completeness, Receipt, in_order, make_receipt
from haia_trace_mcp.root import Folder, TraceRoot
from haia_trace_mcp.runs import check_envelope, list_runs, read_lines
from haia_trace_mcp.templates import Loaded, Template, Templates, roles_of

LATEST: Final = "latest"
_SIZE_LIMIT: Final = 2 << 30
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


@dataclass(slots=True)
class _RunState:
    run_id: str
    groups: dict[str, list[dict[str, Json]]]
    events: int
    problem: RunError | None
    links: int


class TraceIndex:
    """Answers from what the run files hold, as of the last ``refresh``."""

    def __init__(self, root: TraceRoot, templates: Templates) -> None:
        self._root = root
        self._templates = templates
        self._runs: list[_RunState] = []

    def refresh(self) -> None:
        """Take in what is new in the run files.

        Raises:
            RootError: the folder of the runs may not be read. Its absence means no runs. What is
                wrong with single runs is in ``runs`` and is raised by what needs them.
        """
        try:
            with self._root.folder("events") as folder:
                found = list_runs(folder.names())
                twice = Counter(run.run_id for run in found)
                self._runs = [
                    self._read(folder, run.name, run.run_id, twice[run.run_id]) for run in found
                ]
        except AbsentError:
            self._runs = []

    def _read(self, folder: Folder, name: str, run_id: str, files: int) -> _RunState:
        state = _RunState(run_id, {}, 0, None, 1)
        try:
            if files > 1:
                raise RunError(run_id, "several files are called so", code="ambiguous")
            state.links = folder.entry(name).links
            for line, value in read_lines(folder.read(name, _SIZE_LIMIT), run_id):
                event = check_envelope(value, run_id, line)
                state.events += 1
                if operation_id := event.get("context_id"):
                    state.groups.setdefault(str(operation_id), []).append(event)
        except RootError as error:
            state.problem = RunError(run_id, error.reason, code="unreadable")
        except RunError as error:
            state.problem = error
        if state.problem:
            state.groups, state.events = {}, 0
        return state

    def runs(self) -> tuple[Run, ...]:
        """Return all runs, oldest first, those with problems too."""
        return tuple(
            Run(each.run_id, each.events, len(each.groups), each.problem, each.links)
            for each in self._runs
        )

    def operations(
        self,
        template: str,
        run: str | None = None,
        completeness: Completeness | None = None,
        limit: int | None = None,
    ) -> tuple[Operation, ...]:
        """Return operations by the time of their last event, newest first.

        At one time, those of a later run come first, and in one run those that began later in the
        file. ``run`` is an id, or ``latest``.

        Raises:
            RunsError: a run in question cannot be used.
            UnknownRunError: there is no such run.
            TemplateError: there is no such template, or it cannot be used.
        """
        loaded = self._templates.load(template)
        found = self._all(loaded, self._usable(run))
        if completeness is not None:
            found = [each for each in found if each.completeness == completeness]
        return tuple(found[:limit])

    def operation(self, run_id: str, operation_id: str, template: str) -> Operation:
        """Return one operation; raises like ``receipt``."""
        loaded = self._templates.load(template)
        state = self._usable(run_id, latest=False)[0]
        return _operation(state, operation_id, self._events(state, operation_id), loaded)

    def of_counterparty(self, template: str, key: str | None) -> Account:
        """Return what happened with a counterparty by its key, or with None, with all.

        Raises:
            RunsError: any run cannot be used.
            TemplateError: there is no such template, or it cannot be used.
        """
        loaded = self._templates.load(template)
        found = self._all(loaded, self._usable(None))
        return _Account(
            [each for each in found if key is None or key in (*each.addresses, *each.hosts)]
        )

    def receipt(self, run_id: str, operation_id: str, template: str) -> Receipt:
        """Return the receipt of an operation.

        Raises:
            RunsError: the run cannot be used.
            UnknownRunError: there is no such run; ``latest`` is not understood here.
            UnknownOperationError: the run has no such operation.
            TemplateError: there is no such template, or it cannot be used.
        """
        loaded = self._templates.load(template)
        state = self._usable(run_id, latest=False)[0]
        events = self._events(state, operation_id)
        return make_receipt(operation_id, events, loaded.template)

    def _events(self, state: _RunState, operation_id: str) -> list[dict[str, Json]]:
        events = state.groups.get(operation_id)
        if events is None:
            raise UnknownOperationError(state.run_id, operation_id)
        return [each for each in in_order(list(events)) if isinstance(each, dict)]

    def _usable(self, run: str | None, *, latest: bool = True) -> Sequence[_RunState]:
        chosen = self._runs
        if latest and run == LATEST:
            chosen = chosen[-1:]
        elif run is not None:
            chosen = [each for each in self._runs if each.run_id == run]
            if not chosen:
                raise UnknownRunError(run)
        if problems := [each.problem for each in chosen if each.problem]:
            raise RunsError(problems)
        return chosen

    def _all(self, loaded: Loaded, runs: Iterable[_RunState]) -> list[Operation]:
        found = [
            _operation(state, operation_id, self._events(state, operation_id), loaded)
            for state in runs
            for operation_id in state.groups
        ]
        found.reverse()
        return sorted(found, key=lambda each: text_key(each.last_event_at), reverse=True)


class _Account:
    def __init__(self, operations: list[Operation]) -> None:
        self._operations = operations

    @property
    def operation_count(self) -> int:
        return len(self._operations)

    @property
    def full_count(self) -> int:
        return sum(each.completeness == "full" for each in self._operations)

    @property
    def open_count(self) -> int:
        return sum(each.is_open for each in self._operations)

    def open_operations(self, limit: int) -> tuple[Operation, ...]:
        return tuple([each for each in self._operations if each.is_open][:limit])

    def spent_since(self, at: int) -> Spending:
        totals: dict[tuple[str, str], Total] = {}
        unreadable: list[Operation] = []
        for operation in self._operations:
            for payment in operation.payments:
                terms = payment.terms
                if payment.at is not None and payment.at < at:
                    continue
                if (
                    payment.at is None
                    or terms is None
                    or terms.network is None
                    or terms.asset is None
                    or not re.fullmatch(r"[0-9]{1,78}", terms.amount or "")
                ):
                    if operation not in unreadable:
                        unreadable.append(operation)
                    continue
                key = (terms.network, address_key(terms.asset))
                total = totals.get(key, Total(0, 0))
                totals[key] = Total(total.atomic + int(terms.amount or ""), total.payments + 1)
        return Spending(totals, tuple(unreadable))

    def payments_since(self, at: int, limit: int) -> tuple[tuple[Operation, Payment], ...]:
        found = [
            (operation, payment)
            for operation in self._operations
            for payment in operation.payments
            if payment.at is not None and payment.at >= at
        ]
        found.sort(key=lambda each: each[1].at or 0, reverse=True)
        return tuple(found[:limit])


def _operation(
    state: _RunState, operation_id: str, events: list[dict[str, Json]], loaded: Loaded
) -> Operation:
    template = loaded.template
    receipt = make_receipt(operation_id, events, template)
    confirmed = frozenset(stage.id for stage in receipt.stages if stage.is_confirmed)
    roles = roles_of(loaded.name, frozenset(stage.id for stage in template.stages))
    is_paid = roles.paid in confirmed if roles else None
    is_settled = roles.settled in confirmed if roles else None
    is_partial = receipt.completeness == "partial"
    money = {roles.paid, roles.settled} if roles else set[str]()
    payments = _payments(events, template, money) if roles else _payments(events, template, None)
    if not payments and is_paid:
        time = next(e for e in events if _closes(e, template, money))["occurred_at"]
        payments = (Payment(None, str(time), _at(str(time))),)
    payload = [each["payload"] for each in events]
    terms = [t for p in payload if isinstance(p, dict) and (t := _terms(p.get("requirements")))]
    offers = [
        t
        for p in payload
        if isinstance(p, dict) and isinstance(a := p.get("accepts"), list)
        for each in a
        if (t := _terms(each))
    ]
    named = [p.terms for p in payments if p.terms] or terms or offers
    hosts = [
        h
        for p in payload
        if isinstance(p, dict)
        and isinstance(r := p.get("resource"), dict)
        and isinstance(u := r.get("url"), str)
        and (h := host_key(u))
    ]
    return Operation(
        run_id=state.run_id,
        operation_id=operation_id,
        template=template.id,
        completeness=receipt.completeness,
        missing=tuple(each.stage for each in receipt.missing),
        exception_count=len(receipt.exceptions),
        first_event_at=str(events[0]["occurred_at"]),
        last_event_at=str(events[-1]["occurred_at"]),
        confirmed=confirmed,
        is_paid=is_paid,
        is_settled=is_settled,
        is_open=bool(is_paid) and not is_settled if roles else is_partial,
        payments=payments,
        offers=tuple(dict.fromkeys(offers)),
        addresses=tuple(dict.fromkeys(address_key(t.pay_to) for t in named if t.pay_to)),
        hosts=tuple(dict.fromkeys(hosts)),
        joined=None,
    )


def _closes(event: dict[str, Json], template: Template, stages: set[str] | None) -> bool:
    return stages is None or any(
        witness.event == event["event_type"]
        and (witness.role is None or witness.role == event.get("role"))
        for stage in template.stages
        if stage.id in stages
        for witness in stage.witnesses
    )


def _payments(
    events: list[dict[str, Json]], template: Template, stages: set[str] | None
) -> tuple[Payment, ...]:
    found: dict[Terms, Payment] = {}
    for event in events:
        payload = event["payload"]
        terms = _terms(payload.get("requirements")) if isinstance(payload, dict) else None
        if terms and terms not in found and _closes(event, template, stages):
            time = str(event["occurred_at"])
            found[terms] = Payment(terms, time, _at(time))
    return tuple(found.values())


def _terms(value: Json) -> Terms | None:
    if not isinstance(value, dict):
        return None
    texts = [
        each if isinstance(each := value.get(name), str) else None
        for name in ("scheme", "network", "asset", "amount", "pay_to")
    ]
    return Terms(*texts)


def _at(time: str) -> int | None:
    if not _TIME.fullmatch(time):
        return None
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)
