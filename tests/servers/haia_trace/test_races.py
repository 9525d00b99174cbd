"""Run files that change at the worst moment: while they are read."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

import pytest
from haia_trace_events import Trace, lines, paid, settled

from haia_trace_mcp.errors import RunsError, TornReadError

pytestmark = pytest.mark.skipif(not hasattr(os, "pread"), reason="changes come between two preads")
BUYER = "x402-buyer"
Read = Callable[[int, int, int], bytes]


def before_reading(patch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Do something before each read; it is told how many came before."""
    read: Read = os.pread
    turns = iter(range(10**6))

    def pread(descriptor: int, count: int, offset: int) -> bytes:
        act(next(turns))
        return read(descriptor, count, offset)

    patch.setattr(os, "pread", pread)


def test_a_file_that_is_cut_while_it_is_read_is_read_anew(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.append(settled("1") + paid("2", 10))

    def cut(turn: int) -> None:
        if turn == 0:
            trace.file().write_bytes(lines(paid("1")))

    before_reading(monkeypatch, cut)
    index = trace.index()
    assert [each.operation_id for each in index.operations(BUYER)] == ["1"]
    assert index.operation("1000", "1", BUYER).completeness == "partial"


def test_a_file_that_is_cut_again_and_again_is_refused(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.append(settled("1"))
    data = trace.file().read_bytes()

    def cut(turn: int) -> None:
        trace.file().write_bytes(data[: len(data) - turn - 1])

    before_reading(monkeypatch, cut)
    index = trace.index()
    monkeypatch.undo()
    with pytest.raises(RunsError, match=r"became shorter each time it was read$"):
        index.operations(BUYER)
    index.refresh()
    assert [each.operation_id for each in index.operations(BUYER)] == ["1"]


def test_a_file_that_grows_while_it_is_read_is_read_to_where_it_ended(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.append(paid("1"))

    def grow(turn: int) -> None:
        if turn == 0:
            trace.append(settled("2", 10))

    before_reading(monkeypatch, grow)
    index = trace.index()
    monkeypatch.undo()
    assert [each.operation_id for each in index.operations(BUYER)] == ["1"]
    index.refresh()
    assert [each.operation_id for each in index.operations(BUYER)] == ["2", "1"]


def test_a_file_that_is_replaced_while_it_is_read_is_read_as_it_was_opened(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.append(paid("old"))

    def replace(turn: int) -> None:
        if turn == 0:
            (trace.path / "new").write_bytes(lines(settled("new")))
            (trace.path / "new").replace(trace.file())

    before_reading(monkeypatch, replace)
    index = trace.index()
    monkeypatch.undo()
    assert [each.operation_id for each in index.operations(BUYER)] == ["old"]
    index.refresh()
    assert [each.operation_id for each in index.operations(BUYER)] == ["new"]


def test_a_file_that_is_cut_while_a_receipt_is_made_ends_in_the_receipt_or_an_error(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace.append(paid("1") + settled("2", 10))
    index = trace.index()

    def cut(turn: int) -> None:
        if turn == 1:
            trace.file().write_bytes(lines(settled("2", 10)))

    before_reading(monkeypatch, cut)
    assert index.receipt("1000", "2", BUYER).completeness == "full"


def test_many_threads_ask_while_a_recorder_writes(trace: Trace) -> None:
    trace.append(settled("0"))
    index = trace.index()
    faults: list[BaseException] = []
    is_over = threading.Event()

    def ask() -> None:
        try:
            while not is_over.is_set():
                index.refresh()
                found = index.operations(BUYER, limit=5)
                account = index.of_counterparty(BUYER, "api.example.test")
                assert account.open_count <= 1
                assert len(account.open_operations(9)) <= 1
                account.spent_since(0)
                for each in found:
                    index.receipt(each.run_id, each.operation_id, BUYER)
        except (AssertionError, LookupError, RunsError, TornReadError) as error:
            faults.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for each in threads:
            each.start()
        for number in range(1, 60):
            for event in settled(str(number), number * 10):
                trace.append([event])
    finally:
        is_over.set()
        for each in threads:
            each.join(30)
        sys.setswitchinterval(interval)
    assert faults == []
    index.refresh()
    assert len(index.operations(BUYER)) == 60
    assert index.operations(BUYER) == trace.index().operations(BUYER)
