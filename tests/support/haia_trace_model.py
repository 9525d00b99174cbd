"""A slow and simple reading of run files, which the index has to agree with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haia_trace_mcp.ecmascript import text_key
from haia_trace_mcp.index import Operation, Payment, Terms, address_key, host_key
from haia_trace_mcp.receipts import in_order, make_receipt
from haia_trace_mcp.runs import list_runs, read_lines
from haia_trace_mcp.templates import Loaded, roles_of

NINE = 1785574800000
NAMES = ("scheme", "network", "asset", "amount", "pay_to")


class ModelOperation:
    """One operation by the events that are in the file, in the file's order."""

    def __init__(self, run_id: str, operation_id: str, loaded: Loaded) -> None:
        self.run_id = run_id
        self.operation_id = operation_id
        self.loaded = loaded
        self.rows: list[tuple[int, dict[str, Any]]] = []
        self.joined: ModelOperation | None = None

    def proves(self, event: dict[str, Any]) -> set[str]:
        """Return the stages that an event proves."""
        return {
            stage.id
            for stage in self.loaded.template.stages
            for witness in stage.witnesses
            if witness.event == event["event_type"]
            and witness.role in (None, event.get("role", ""))
        }

    @property
    def roles(self) -> tuple[str, str] | None:
        """Return which stages mean paid and settled."""
        stages = frozenset(stage.id for stage in self.loaded.template.stages)
        found = roles_of(self.loaded.name, stages)
        return (found.paid, found.settled) if found else None

    def named(self, stage: str | None = None) -> list[tuple[int, Terms, dict[str, Any]]]:
        """Return the terms of payment in events, all or those that prove a stage."""
        return [
            (row, found, event)
            for row, event in self.rows
            if (found := to_terms(event["payload"].get("requirements"))) is not None
            and (stage is None or stage in self.proves(event))
        ]

    def offers(self) -> list[tuple[int, Terms]]:
        """Return the terms in offers, with those that stand there again."""
        return [
            (row, found)
            for row, event in self.rows
            for offer in event["payload"].get("accepts") or []
            if (found := to_terms(offer)) is not None
        ]

    def first(self, stage: str) -> int | None:
        """Return the row that first proves a stage."""
        return next((row for row, event in self.rows if stage in self.proves(event)), None)

    def half(self) -> tuple[str, int, set[Terms]] | None:
        """Return what half of a payment the operation may be, since which row, and its terms."""
        if not self.roles:
            return None
        paid, settled = map(self.first, self.roles)
        named, offered = self.named(), self.offers()
        if paid is not None and settled is None and offered and not named:
            return "ask", max(paid, offered[0][0]), {each for _, each in offered}
        if settled is not None and paid is None and named:
            return "answer", max(settled, named[0][0]), {each for _, each, _ in named}
        return None

    def payments(self) -> set[Payment]:
        """Return what was paid, or may have been."""
        if not self.roles:
            return {Payment(*each) for each in earliest(self.named())}
        paid, settled = self.roles
        found = dict(earliest(self.named(settled))) | dict(earliest(self.named(paid)))
        rows = [event for _, event in self.rows if paid in self.proves(event)]
        if not found and rows and self.joined is None:
            offers = {each for _, each in self.offers()}
            times = [at for each in rows if (at := to_time(each)) is not None]
            only = next(iter(offers)) if len(offers) == 1 else None
            return {Payment(only, min(times, default=None))}
        return {Payment(*each) for each in found.items()}

    def check(self, found: Operation) -> None:
        """Assert that the index tells the same."""
        events = in_order([event for _, event in self.rows])
        receipt = make_receipt(self.operation_id, events, self.loaded.template)
        confirmed = {stage.id for stage in receipt.stages if stage.is_confirmed}
        assert (found.run_id, found.operation_id) == (self.run_id, self.operation_id)
        assert found.completeness == receipt.completeness
        assert found.missing == tuple(each.stage for each in receipt.missing)
        assert found.exception_count == len(receipt.exceptions)
        assert found.last_event_at == events[-1]["occurred_at"]
        assert found.confirmed == confirmed
        assert found.joined == (self.joined.operation_id if self.joined else None)
        assert set(found.payments) == self.payments()
        assert len(found.payments) == len(self.payments())
        assert found.is_open == self.is_open(confirmed, receipt.completeness)
        assert {*found.addresses, *found.hosts} == self.parties()

    def is_open(self, confirmed: set[str], completeness: str) -> bool:
        """Tell whether the operation may have been paid for and was not seen to complete."""
        if not self.roles:
            return completeness == "partial"
        paid, settled = self.roles
        return paid in confirmed and settled not in confirmed and self.joined is None

    def parties(self) -> set[str]:
        """Return the keys of all counterparties."""
        terms = [each for _, each, _ in self.named()] or [each for _, each in self.offers()]
        urls = [
            url
            for _, event in self.rows
            if isinstance(url := (event["payload"].get("resource") or {}).get("url"), str)
        ]
        hosts = {key for url in urls if (key := host_key(url)) is not None}
        return {address_key(each.pay_to) for each in terms if each.pay_to} | hosts


def to_terms(value: Any) -> Terms | None:
    """Return terms as the index has them."""
    if not isinstance(value, dict):
        return None
    return Terms(*(value[n] if isinstance(value.get(n), str) else None for n in NAMES))


def to_time(event: dict[str, Any]) -> int | None:
    """Return the time of an event of these tests: some moment of the minute after nine."""
    text: str = event["occurred_at"]
    if len(text) != 24 or not text.startswith("2026-08-01T09:00:"):
        return None
    return NINE + int(text[17:19]) * 1000 + int(text[20:23])


def earliest(named: list[tuple[int, Terms, dict[str, Any]]]) -> list[tuple[Terms, int | None]]:
    """Return when terms were first named."""
    found: dict[Terms, list[int]] = {}
    for _, terms, event in named:
        at = to_time(event)
        found.setdefault(terms, []).extend([] if at is None else [at])
    return [(terms, min(times, default=None)) for terms, times in found.items()]


def read_model(folder: Path, loaded: Loaded) -> list[ModelOperation]:
    """Return all operations below a folder of run files, newest first."""
    found: list[tuple[tuple[str, str, int], ModelOperation]] = []
    for run in list_runs(path.name for path in folder.iterdir()):
        operations: dict[str, ModelOperation] = {}
        for row, (_, event) in enumerate(read_lines((folder / run.name).read_bytes(), run.run_id)):
            assert isinstance(event, dict)
            name = str(event.get("context_id", ""))
            if name:
                made = ModelOperation(run.run_id, name, loaded)
                operations.setdefault(name, made).rows.append((row, event))
        join(list(operations.values()))
        for number, each in enumerate(operations.values()):
            last = max(text_key(event["occurred_at"]) for _, event in each.rows)
            found.append(((last, text_key(run.name), number), each))
    return [each for _, each in sorted(found, key=lambda pair: pair[0], reverse=True)]


def join(operations: list[ModelOperation]) -> None:
    """Join the halves of payments."""
    halves = [(half, each) for each in operations if (half := each.half()) is not None]
    halves.sort(key=lambda pair: pair[0][1])
    for place, ((kind, _, terms), answer) in enumerate(halves):
        if kind == "answer":
            fitting = [
                ask
                for (ask_kind, _, offered), ask in halves[:place]
                if ask_kind == "ask" and ask.joined is None and offered & terms
            ]
            if fitting:
                fitting[-1].joined, answer.joined = answer, fitting[-1]
