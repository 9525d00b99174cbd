"""Whatever happens to the run files: the index agrees with a fresh one and with a slow reading."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from haia_trace_events import OTHER, SELLER, Trace, event, lines, terms
from haia_trace_model import NINE, read_model
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from haia_trace_mcp.index import IndexStore, TraceIndex
from haia_trace_mcp.templates import Templates

RUNS = st.sampled_from(["9", "10", "10-b", "\U0001f600"])
TEMPLATES = ("x402-buyer", "x402-seller", "mine")
MINE = """
template: mine
version: 1
stages:
- id: s
  required: true
  match:
  - event: x402.payment.submitted
"""
KEYS = (SELLER.lower(), OTHER, "api.example.test", "b.example.test", None)

PAYLOADS: list[dict[str, Any]] = [
    {},
    {"requirements": terms()},
    {"requirements": terms(amount="7", pay_to=OTHER)},
    {"requirements": terms(amount=None)},
    {"requirements": 5, "accepts": "x", "resource": []},
    {"accepts": [terms()]},
    {"accepts": [terms(), terms(amount="7", pay_to=OTHER), 5]},
    {"requirements": terms(), "resource": {"url": "https://API.example.test/x"}},
    {"resource": {"url": "http://b.example.test:8080/"}},
]
KINDS = ["required", "requested", "creating", "submitted", "responded", "failed", "x402.verify.ok"]
EVENTS = st.builds(
    lambda kind, operation, at, payload, role, odd: event(
        kind, operation, at, payload=payload, role=role, **odd
    ),
    st.sampled_from(KINDS),
    st.sampled_from(["a", "b", "c", "é", "", None]),
    st.integers(0, 59_999),
    st.sampled_from(PAYLOADS),
    st.sampled_from(["client", "client", "server", None]),
    st.sampled_from([{}, {}, {}, {"occurred_at": "2026-08-01T09:00:00Z"}, {"seq": 1e300}]),
)


class Following(RuleBasedStateMachine):
    """Run files under change, and one index that follows them."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="haia-trace-"))
        self.trace = Trace(self.folder)
        self.trace.template("mine", MINE)
        self.store = IndexStore(self.trace.root)
        self.index = self.trace.index(store=self.store)
        self.clock = 1
        self.rest: dict[str, bytes] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def touch(self, path: Path) -> None:
        """Let the time of a change differ from the last one, whatever the clock's grain is."""
        self.clock += 1
        os.utime(path, ns=(self.clock, self.clock))

    def change(self, run: str, data: bytes) -> None:
        """Write a run's file, where it is, at another time than before."""
        self.trace.file(run).write_bytes(data)
        # Whatever the grain of the system's clock is.
        self.clock += 1
        os.utime(self.trace.file(run), ns=(self.clock, self.clock))

    def data(self, run: str) -> bytes | None:
        """Return what a run's file holds; None without one."""
        path = self.trace.file(run)
        return path.read_bytes() if path.exists() else None

    @rule(run=RUNS, events=st.lists(EVENTS, min_size=1, max_size=6))
    def append(self, run: str, events: list[dict[str, Any]]) -> None:
        self.change(run, (self.data(run) or b"") + self.rest.pop(run, b"") + lines(events))

    @rule(run=RUNS, events=st.lists(EVENTS, min_size=1, max_size=2), cut=st.integers(1, 400))
    def append_a_torn_piece(self, run: str, events: list[dict[str, Any]], cut: int) -> None:
        written = self.rest.pop(run, b"") + lines(events)
        cut = min(cut, len(written))
        self.rest[run] = written[-cut:]
        self.change(run, (self.data(run) or b"") + written[:-cut])

    @rule(run=RUNS)
    def lose_a_torn_piece(self, run: str) -> None:
        """Cut a torn piece off, as a recorder may that starts again."""
        data = self.data(run)
        if data is not None:
            self.rest.pop(run, None)
            self.change(run, data[: data.rfind(b"\n") + 1])

    @rule(run=RUNS, seed=st.integers(0, 99))
    def cut(self, run: str, seed: int) -> None:
        whole = (self.data(run) or b"").splitlines(keepends=True)
        if whole:
            self.rest.pop(run, None)
            self.change(run, b"".join(whole[: random.Random(seed).randrange(len(whole))]))

    @rule(run=RUNS)
    def edit_in_place(self, run: str) -> None:
        data = self.data(run)
        if data is not None:
            self.change(run, data.replace(b'"a"', b'"b"').replace(b'"client"', b'"server"'))

    @rule(run=RUNS, other=RUNS)
    def rename(self, run: str, other: str) -> None:
        if self.trace.file(run).exists() and run != other:
            self.trace.file(run).replace(self.trace.file(other))
            self.rest[other] = self.rest.pop(run, b"")

    @rule(run=RUNS)
    def remove(self, run: str) -> None:
        self.trace.file(run).unlink(missing_ok=True)
        self.rest.pop(run, None)

    @rule()
    def restart(self) -> None:
        self.index.save()
        self.store = IndexStore(self.trace.root)
        self.index = self.trace.index(store=self.store)
        assert self.store.problem is None

    @rule()
    def save_and_go_on(self) -> None:
        self.index.save()

    @invariant()
    def the_index_agrees(self) -> None:
        if not hasattr(self, "index"):
            return
        self.index.refresh()
        fresh = self.trace.index()
        assert self.index.runs() == fresh.runs()
        for template in TEMPLATES:
            self.compare(fresh, template)

    def compare(self, fresh: TraceIndex, template: str) -> None:
        found = self.index.operations(template)
        assert found == fresh.operations(template)
        model = read_model(self.trace.path / "events", Templates(self.trace.root).load(template))
        assert len(found) == len(model)
        for each, expected in zip(found, model, strict=True):
            expected.check(each)
            receipt = self.index.receipt(each.run_id, each.operation_id, template)
            assert receipt == fresh.receipt(each.run_id, each.operation_id, template)
        full = tuple(each for each in found if each.completeness == "full")
        assert self.index.operations(template, completeness="full") == full
        assert self.index.operations(template, run="latest") == tuple(
            each for each in found if each.run_id == self.index.runs()[-1].run_id
        )
        for key in KEYS:
            ours, theirs = (each.of_counterparty(template, key) for each in (self.index, fresh))
            inside = [each for each in found if key in (None, *each.addresses, *each.hosts)]
            assert ours.operation_count == theirs.operation_count == len(inside)
            assert ours.full_count == sum(each.completeness == "full" for each in inside)
            assert ours.open_operations(99) == tuple(each for each in inside if each.is_open)
            assert ours.open_count == len(ours.open_operations(99))
            for at in (0, NINE + 30_000):
                assert ours.spent_since(at, 99) == theirs.spent_since(at, 99)
                assert ours.payments_since(at, 99) == theirs.payments_since(at, 99)
                due = [
                    payment
                    for each in inside
                    for payment in each.payments
                    if payment.at is None or payment.at >= at
                ]
                spending = ours.spent_since(at, 99)
                counted = sum(total.payments for total in spending.totals.values())
                assert counted + spending.unreadable_count == len(due)


Following.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestFollowing = Following.TestCase
