"""The index: what it answers, and how it follows the files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from haia_trace_events import OTHER, SELLER, USDC, Trace, event, lines, paid, settled, terms

from haia_trace_mcp.errors import (
    RootError,
    RunsError,
    TemplateError,
    UnknownOperationError,
    UnknownRunError,
)
from haia_trace_mcp.index import Limits, Terms, TraceIndex, address_key, host_key

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes of POSIX")
BUYER = "x402-buyer"
KEY = SELLER.lower()
NINE = 1785574800000  # 2026-08-01T09:00:00.000Z


def ids(index: TraceIndex, **chosen: object) -> list[tuple[str, str]]:
    found = index.operations(BUYER, **chosen)  # type: ignore[arg-type]  # as a test likes
    return [(each.run_id, each.operation_id) for each in found]


def test_an_empty_root_has_no_runs(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    (trace.path / "events").rmdir()
    index = trace.index()
    assert index.runs() == ()
    assert ids(index) == ids(index, run="latest") == []
    assert index.of_counterparty(BUYER, None).operation_count == 0


def test_an_operation_says_what_its_events_prove(trace: Trace) -> None:
    trace.append(settled("full") + paid("open", 1000) + [event("required", "walked away", 2000)])
    trace.append([event("x402.settle.failed", "open", 3000)])
    open_one, last, full = trace.index().operations(BUYER)
    assert (full.completeness, full.missing, full.exception_count) == ("full", (), 0)
    assert (full.is_paid, full.is_settled, full.is_open) == (True, True, False)
    assert (open_one.completeness, open_one.missing) == ("partial", ("settlement",))
    assert (open_one.is_paid, open_one.is_open, open_one.exception_count) == (True, True, 1)
    assert open_one.last_event_at == "2026-08-01T09:00:03.000Z"
    assert open_one.confirmed == {"challenge", "payment"}
    assert (last.missing, last.is_open) == (("payment", "settlement"), False)
    (payment,) = full.payments
    assert payment.terms == Terms("exact", "eip155:8453", USDC, "250000", SELLER)
    assert payment.at == NINE + 2
    assert (full.addresses, full.hosts) == ((KEY,), ("api.example.test",))


def test_operations_are_told_newest_first(trace: Trace) -> None:
    trace.append(paid("b", 5) + paid("a", 10) + paid("c", 5))
    trace.append(paid("b", 5), run="999")
    trace.append([event("required", "b", 900)])
    index = trace.index()
    assert ids(index) == [("1000", "b"), ("1000", "a"), ("999", "b"), ("1000", "c")]
    assert ids(index, limit=2) == [("1000", "b"), ("1000", "a")]
    assert ids(index, run="latest") == ids(index, run="999") == [("999", "b")]


def test_runs_are_in_the_order_of_their_file_names(trace: Trace) -> None:
    for name in ("a", "a-b", "10", "9", "\U0001f600", "\ue000", "webhooks"):
        trace.append(paid(), run=name)
    (trace.path / "events/notes.txt").write_text("not a run")
    (trace.path / "events/old.NDJSON").write_text("not a run")
    found = [run.run_id for run in trace.index().runs()]
    assert found == ["10", "9", "a-b", "a", "webhooks", "\U0001f600", "\ue000"]


def test_a_verdict_can_be_asked_for(trace: Trace) -> None:
    trace.append(settled("1") + paid("2", 10) + settled("3", 20))
    index = trace.index()
    assert ids(index, completeness="full") == [("1000", "3"), ("1000", "1")]
    assert ids(index, completeness="partial", run="1000") == [("1000", "2")]


def test_events_of_no_operation_count_and_are_not_told(trace: Trace) -> None:
    trace.append([event("trace.attached", None), event("required", "", 1), *paid("1")])
    index = trace.index()
    assert [(run.events, run.operations) for run in index.runs()] == [(5, 1)]
    assert ids(index) == [("1000", "1")]


def test_the_same_id_in_two_runs_is_two_operations(trace: Trace) -> None:
    trace.append(paid("op"), run="1")
    trace.append(settled("op"), run="2")
    index = trace.index()
    assert index.operation("1", "op", BUYER).completeness == "partial"
    assert index.operation("2", "op", BUYER).completeness == "full"
    assert len(index.receipt("1", "op", BUYER).events) == 3
    assert index.of_counterparty(BUYER, KEY).operation_count == 2


def test_what_is_not_there_is_named(trace: Trace) -> None:
    trace.append(paid("op"))
    index = trace.index()
    for ask in (index.receipt, index.operation):
        with pytest.raises(UnknownRunError, match=r'no run is called "latest"'):
            ask("latest", "op", BUYER)
        with pytest.raises(UnknownOperationError, match=r'run "1000" holds no operation "Op"'):
            ask("1000", "Op", BUYER)
        with pytest.raises(TemplateError, match=r"^template not found: nope"):
            ask("1000", "op", "nope")
    with pytest.raises(UnknownRunError):
        index.operations(BUYER, run="../events/1000")


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        (b"oops\n", "malformed", "line 4: malformed event"),
        (b"\n \xc2\xa0\n[1,]\n", "malformed", "line 6: malformed event"),
        (b"null\n", "envelope", "line 4: is null; an event is an object"),
        (b"[]\n", "envelope", "line 4: is an array; an event is an object"),
        (lines([event("x", at=1, role=5)]), "envelope", "line 4, field role: is a number; it has"),
        (lines([event("x", at=1, payload="x")]), "envelope", "line 4, field payload: is a string"),
        (lines([event("x", at=1, seq="1")]), "envelope", "line 4, field seq: is a string; it has"),
        (lines([event("x", at=1, seq=True)]), "envelope", "line 4, field seq: is true; it has"),
        (lines([event("x", at=1, adapter=None)]), "envelope", "line 4, field adapter: is missing"),
        (
            b'{"event_id":"\\u001b[31m","event_type":0}\n',
            "envelope",
            "line 4, field event_type: is a",
        ),
    ],
)
def test_a_run_that_breaks_the_event_contract_is_refused_whole(
    line: bytes, code: str, place: str, trace: Trace
) -> None:
    trace.append(lines(paid("op")) + line)
    trace.append(paid("op"), run="2000")
    index = trace.index()
    problem = index.runs()[0].problem
    assert problem is not None
    assert (problem.run_id, problem.code) == ("1000", code)
    assert str(problem).startswith(f'run "1000", {place}')
    assert str(problem).isprintable()
    for ask in (
        lambda: index.operations(BUYER),
        lambda: index.operations(BUYER, run="1000"),
        lambda: index.of_counterparty(BUYER, KEY),
        lambda: index.receipt("1000", "op", BUYER),
    ):
        with pytest.raises(RunsError) as refusal:
            ask()
        assert refusal.value.problems == (problem,)
    assert ids(index, run="latest") == [("2000", "op")]
    trace.append(paid("later"))
    index.refresh()
    assert str(index.runs()[0].problem) == str(problem)


def test_all_runs_with_problems_are_told(trace: Trace) -> None:
    for run in ("1", "2", "3"):
        trace.append(b"oops\n", run=run)
    with pytest.raises(RunsError, match=r'^run "1", line 1: .* \(and 2 more\)$') as refusal:
        trace.index().operations(BUYER)
    assert [each.run_id for each in refusal.value.problems] == ["1", "2", "3"]


def test_a_mended_run_is_read_again(trace: Trace) -> None:
    trace.append(b"oops\n")
    index = trace.index()
    trace.file().write_bytes(lines(paid("op")))
    index.refresh()
    assert ids(index) == [("1000", "op")]


def test_two_files_of_one_id_are_both_refused(trace: Trace) -> None:
    trace.append(paid(), run="")
    index = trace.index()
    assert ids(index) == [(".ndjson", "op-1")]
    trace.append(paid(), run=".ndjson")
    index.refresh()
    assert [(run.run_id, run.problem and run.problem.code) for run in index.runs()] == [
        (".ndjson", "ambiguous"),
        (".ndjson", "ambiguous"),
    ]
    trace.file(".ndjson").unlink()
    index.refresh()
    assert ids(index) == [(".ndjson", "op-1")]


@posix
def test_a_file_whose_name_is_no_utf_8_is_refused(trace: Trace) -> None:
    name = os.fsdecode(b"\xff.ndjson")
    try:
        (trace.path / "events" / name).write_bytes(lines(paid()))
    except OSError:
        pytest.skip("this file system refuses such names itself")
    problem = trace.index().runs()[0].problem
    assert problem is not None
    assert problem.reason == "the name of the file is no UTF-8"
    assert str(problem).isprintable()


@posix
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_a_run_that_is_no_regular_file_is_refused(kind: str, trace: Trace, tmp_path: Path) -> None:
    trace.append(paid("op"), run="1")
    path = trace.file("2")
    if kind == "link":
        (tmp_path / "else").write_bytes(lines(paid()))
        path.symlink_to(tmp_path / "else")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    index = trace.index()
    with pytest.raises(RunsError, match=r'^run "2": is a (symbolic link|named pipe|folder)'):
        index.operations(BUYER)
    assert ids(index, run="1") == [("1", "op")]
    path.rmdir() if kind == "folder" else path.unlink()
    index.refresh()
    assert ids(index) == [("1", "op")]


@posix
def test_an_events_folder_that_is_a_link_is_an_error_and_not_an_empty_one(
    trace: Trace, tmp_path: Path
) -> None:
    (trace.path / "events").rename(tmp_path / "moved")
    (trace.path / "events").symlink_to(tmp_path / "moved")
    with pytest.raises(RootError, match=r"symbolic link"):
        trace.index()


@posix
def test_hard_links_are_counted(trace: Trace, tmp_path: Path) -> None:
    trace.append(paid())
    os.link(trace.file(), tmp_path / "another name")
    assert [run.links for run in trace.index().runs()] == [2]


def test_sizes_are_limited(trace: Trace) -> None:
    data = lines(paid("op"))
    trace.append(data)
    size = max(map(len, data.split(b"\n")))
    assert ids(trace.index(Limits(run_file=len(data), line=size))) == [("1000", "op")]
    with pytest.raises(RunsError, match=rf"has {len(data)} bytes, more than the limit of 10$"):
        trace.index(Limits(run_file=10)).operations(BUYER)
    with pytest.raises(RunsError, match=rf"line [123]: .* longer than the limit of {size - 1} "):
        trace.index(Limits(line=size - 1)).operations(BUYER)
    trace.append(b"x" * (size + 1))
    with pytest.raises(RunsError, match=r"longer than the limit"):
        trace.index(Limits(line=size)).operations(BUYER)


def test_a_torn_last_line_waits_for_its_end(trace: Trace) -> None:
    data = lines(settled("op"))
    index = trace.index()
    for place in range(0, len(data), 7):
        trace.append(data[place : place + 7])
        index.refresh()
        whole = data[: place + 7].count(b"\n")
        assert [run.events for run in index.runs()] == [whole]
    assert [each.completeness for each in index.operations(BUYER)] == ["full"]


@pytest.mark.parametrize(
    "change", ["shorter", "same size", "replaced", "other start", "gone and back"]
)
def test_a_file_that_is_another_one_is_read_anew(change: str, trace: Trace) -> None:
    trace.append(paid("old") + paid("old-2", 10))
    index = trace.index()
    index.of_counterparty(BUYER, KEY)
    assert len(ids(index)) == 2
    path, before = trace.file(), trace.file().stat()
    data = path.read_bytes()
    if change == "shorter":
        path.write_bytes(lines(paid("new")))
    elif change == "same size":
        path.write_bytes(data.replace(b"old-2", b"new-2"))
    elif change == "replaced":
        (trace.path / "new").write_bytes(data.replace(b"old", b"new"))
        (trace.path / "new").replace(path)
    elif change == "other start":
        path.write_bytes(data.replace(b"old", b"new") + lines(paid("newest", 90)))
    else:
        path.unlink()
        index.refresh()
        assert ids(index) == []
        trace.append(paid("new"))
    if path.stat().st_mtime_ns == before.st_mtime_ns:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    index.refresh()
    fresh = trace.index()
    assert ids(index) == ids(fresh)
    assert index.operations(BUYER) == fresh.operations(BUYER)
    assert index.of_counterparty(BUYER, KEY).operation_count == len(ids(fresh))


def test_a_new_time_alone_does_not_make_another_file(trace: Trace) -> None:
    trace.append(paid("op"))
    index = trace.index()
    os.utime(trace.file(), ns=(0, 5))
    index.refresh()
    trace.append(paid("later", 10))
    index.refresh()
    assert ids(index) == [("1000", "later"), ("1000", "op")]


def test_a_receipt_is_made_from_what_the_file_holds_now(trace: Trace) -> None:
    trace.append(paid("op", description="AAAA") + paid("last", 99))
    index = trace.index()
    before = index.receipt("1000", "op", BUYER)
    # Changed in place, behind the back of the last refresh.
    trace.file().write_bytes(trace.file().read_bytes().replace(b'"AAAA"', b'"BBBB"'))
    after = index.receipt("1000", "op", BUYER)
    assert "AAAA" in before.text()
    assert "BBBB" in after.text()
    trace.file().write_bytes(b"")
    with pytest.raises(UnknownOperationError):
        index.receipt("1000", "op", BUYER)
    trace.file().unlink()
    with pytest.raises((UnknownRunError, UnknownOperationError)):
        index.receipt("1000", "op", BUYER)


def test_odd_bytes_and_values_are_read_as_the_original_reads_them(trace: Trace) -> None:
    raw = lines(paid("op"))
    bent = raw.replace(b'"op-2"', b'"\xff\\ud800"').replace(b'"seq": 1,', b'"seq": 1e400,')
    assert bent != raw
    trace.append(
        bent + lines([event("responded", "op", 9, payload={"requirements": 5, "accepts": {}})])
    )
    index = trace.index()
    receipt = index.receipt("1000", "op", BUYER)
    assert receipt.completeness == "full"
    assert '"\ufffd\\ud800"' in receipt.text()
    assert '"seq": null' in receipt.text()
    assert len(index.operation("1000", "op", BUYER).payments) == 1


def test_templates_are_read_anew_for_each_answer(trace: Trace) -> None:
    trace.append(paid("op"))
    index = trace.index()
    assert index.operation("1000", "op", BUYER).missing == ("settlement",)
    text = "template: mine\nversion: 1\nstages:\n- id: s\n  required: true\n  match:\n  - event: "
    trace.template(BUYER, text + "x402.payment.required")
    assert index.operation("1000", "op", BUYER).template == "mine"
    assert index.operation("1000", "op", BUYER).completeness == "full"
    trace.template(BUYER, text + "another")
    assert [each.completeness for each in index.operations(BUYER)] == ["partial"]
    assert index.operation("1000", "op", BUYER).is_open


def test_money_is_added_up_from_a_time_on(trace: Trace) -> None:
    trace.append(settled("1", 0) + paid("2", 1000, amount="5"))
    trace.append(paid("3", 500, asset=OTHER, network="base") + paid("4", 2000, pay_to=OTHER))
    account = trace.index().of_counterparty(BUYER, KEY)
    asset = ("eip155:8453", USDC.lower())
    totals = account.spent_since(0).totals
    assert {key: (each.atomic, each.payments) for key, each in totals.items()} == {
        asset: (250005, 2),
        ("base", OTHER): (250000, 1),
    }
    assert account.spent_since(NINE + 1002).totals[asset].atomic == 5
    assert account.spent_since(NINE + 1003).totals == {}
    found = account.payments_since(NINE + 500, 10)
    assert [(each.operation_id, payment.at) for each, payment in found] == [
        ("2", NINE + 1002),
        ("3", NINE + 502),
    ]
    assert len(account.payments_since(0, 1)) == 1


@pytest.mark.parametrize(
    "change", [{"amount": None}, {"amount": "1.5"}, {"amount": 5}, {"asset": None}, {"network": 1}]
)
def test_payments_that_cannot_be_added_up_are_told(change: dict[str, object], trace: Trace) -> None:
    trace.append(paid("1") + paid("odd", 1000, **change))  # type: ignore[arg-type]  # odd on purpose
    account = trace.index().of_counterparty(BUYER, KEY)
    spending = account.spent_since(NINE + 500)
    assert [each.operation_id for each in spending.unreadable] == ["odd"]
    assert spending.unreadable_count == 1
    assert account.spent_since(NINE + 5000).unreadable_count == 0


def test_a_payment_at_an_unreadable_time_counts_as_of_any_time(trace: Trace) -> None:
    for each in paid("odd"):
        trace.append([{**each, "occurred_at": "2026-08-01 09:00"}])
    spending = trace.index().of_counterparty(BUYER, KEY).spent_since(NINE * 2)
    assert [each.operation_id for each in spending.unreadable] == ["odd"]


def test_an_operation_counts_for_addresses_and_hosts_in_any_spelling(trace: Trace) -> None:
    trace.append(paid("1"))
    index = trace.index()
    for key in (
        address_key(SELLER),
        address_key(SELLER.upper()),
        host_key("API.example.test."),
        host_key("https://api.example.test:99/x"),
    ):
        assert index.of_counterparty(BUYER, key).operation_count == 1
    assert index.of_counterparty(BUYER, "another.test").operation_count == 0


def test_an_offer_that_was_not_taken_counts_for_nobody_else(trace: Trace) -> None:
    offers = event("required", "1", payload={"accepts": [terms(), terms(pay_to=OTHER)]})
    trace.append([offers])
    index = trace.index()
    assert index.of_counterparty(BUYER, OTHER).operation_count == 1
    trace.append([event("submitted", "1", 1, payload={"requirements": terms()})])
    index.refresh()
    assert index.of_counterparty(BUYER, OTHER).operation_count == 0
    assert index.of_counterparty(BUYER, KEY).open_count == 1


def asked(operation: str, at: int, *offered: dict[str, object]) -> list[dict[str, object]]:
    payload = {"accepts": list(offered or [terms()]), "tool_name": "report"}
    return [
        event("required", operation, at, payload=payload),
        event("requested", operation, at + 1, payload=payload),
    ]


def answered(operation: str, at: int, **changes: object) -> list[dict[str, object]]:
    payload = {"requirements": terms(**changes), "settle": {"success": True}}  # type: ignore[arg-type]
    return [event("responded", operation, at, payload=payload)]


def test_the_halves_of_an_mcp_payment_are_joined(trace: Trace) -> None:
    trace.append(asked("ask", 0))
    index = trace.index()
    account = index.of_counterparty(BUYER, KEY)
    assert account.open_count == 1
    assert account.spent_since(0).totals["eip155:8453", USDC.lower()].payments == 1
    trace.append(answered("answer", 9))
    index.refresh()
    account = index.of_counterparty(BUYER, KEY)
    ask, answer = (index.operation("1000", each, BUYER) for each in ("ask", "answer"))
    assert (ask.joined, answer.joined) == ("answer", "ask")
    assert (ask.is_open, answer.is_open, account.open_count) == (False, False, 0)
    assert account.spent_since(0).totals["eip155:8453", USDC.lower()].payments == 1
    assert (ask.completeness, answer.completeness) == ("partial", "partial")


def test_an_answer_goes_to_the_closest_ask_before_it(trace: Trace) -> None:
    trace.append(asked("dead", 0) + asked("alive", 10) + answered("answer", 20))
    trace.append(asked("late", 30))
    index = trace.index()
    found = {each.operation_id: each.joined for each in index.operations(BUYER)}
    assert found == {"dead": None, "alive": "answer", "answer": "alive", "late": None}
    assert index.of_counterparty(BUYER, KEY).open_count == 2


def test_each_ask_has_one_answer(trace: Trace) -> None:
    trace.append(asked("first", 0) + asked("second", 10) + asked("third", 20))
    trace.append(answered("one", 30) + answered("two", 40))
    index = trace.index()
    found = {each.operation_id: each.joined for each in index.operations(BUYER)}
    assert found == {
        "first": None,
        "second": "two",
        "third": "one",
        "one": "third",
        "two": "second",
    }
    assert index.of_counterparty(BUYER, KEY).open_count == 1


def test_other_terms_another_run_and_the_wrong_order_are_not_joined(trace: Trace) -> None:
    trace.append(answered("early", 0) + asked("ask", 10) + answered("dearer", 20, amount="9"))
    trace.append(answered("elsewhere", 30), run="2000")
    assert {each.joined for each in trace.index().operations(BUYER)} == {None}


def test_an_ask_with_several_offers_is_closed_for_all_who_offered(trace: Trace) -> None:
    trace.append(asked("ask", 0, terms(), terms(pay_to=OTHER)))
    index = trace.index()
    accounts = [index.of_counterparty(BUYER, key) for key in (KEY, OTHER)]
    assert [each.open_count for each in accounts] == [1, 1]
    assert [each.spent_since(0).unreadable_count for each in accounts] == [1, 1]
    trace.append(answered("answer", 9, pay_to=OTHER))
    index.refresh()
    accounts = [index.of_counterparty(BUYER, key) for key in (KEY, OTHER)]
    assert [each.open_count for each in accounts] == [0, 0]
    assert [each.spent_since(0).unreadable_count for each in accounts] == [0, 0]


def test_an_ask_that_is_answered_under_its_own_id_gives_the_other_answer_back(trace: Trace) -> None:
    trace.append(asked("first", 0) + asked("second", 10) + answered("answer", 20))
    index = trace.index()
    assert index.operation("1000", "answer", BUYER).joined == "second"
    trace.append(answered("second", 30))
    index.refresh()
    assert index.operation("1000", "answer", BUYER).joined == "first"
    assert index.of_counterparty(BUYER, KEY).open_count == 0
    assert index.operations(BUYER) == trace.index().operations(BUYER)


def test_other_templates_see_other_stages(trace: Trace) -> None:
    trace.append(
        [
            event(
                "verify.ok",
                "op",
                1,
                event_type="x402.verify.ok",
                role="server",
                payload={"requirements": terms()},
            )
        ]
    )
    index = trace.index()
    seller = index.operation("1000", "op", "x402-seller")
    assert (seller.is_paid, seller.is_open, seller.missing) == (True, True, ("settlement",))
    assert index.operation("1000", "op", BUYER).is_open is False
    escrow = index.operation("1000", "op", "escrow-arc")
    assert (escrow.is_paid, escrow.missing) == (False, ("agreement", "deposit", "disposition"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("https://API.Example.com:8443/x?y#z", "api.example.com"),
        ("api.example.com.", "api.example.com"),
        ("http://user:pass@host.test/", "host.test"),
        ("https://[2001:DB8::1]:80/", "2001:db8::1"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://[0:0::0:1]/", "::1"),
        ("https://[::ffff:7f00:1]/", "127.0.0.1"),
        ("https://evil。example。/", "evil.example"),
        ("localhost:3000", "localhost"),
        ("mcp://tool/report", None),
        ("https://", None),
        ("https://[::1", None),
        ("", None),
        ("...", None),
    ],
)
def test_hosts_have_one_spelling(text: str, key: str | None) -> None:
    assert host_key(text) == key


def test_addresses_have_one_spelling() -> None:
    assert address_key(SELLER) == address_key(KEY) == KEY
    assert address_key("So1ana") == "So1ana"


@pytest.mark.skipif(sys.platform == "win32", reason="there, files do not tell when they changed")
def test_a_change_is_seen_although_its_time_was_put_back(trace: Trace) -> None:
    trace.append(settled("1"))
    path, index = trace.file("1000"), trace.index()
    assert index.operations(BUYER, completeness="full")
    before = path.stat()
    path.write_bytes(
        path.read_bytes().replace(b"x402.payment.responded", b"x402.payment.RESPONDED")
    )
    while (
        path.stat().st_ctime_ns == before.st_ctime_ns
        or path.stat().st_mtime_ns != before.st_mtime_ns
    ):
        os.utime(
            path, ns=(before.st_atime_ns, before.st_mtime_ns)
        )  # clocks of old kernels are coarse
    index.refresh()
    assert index.operations(BUYER, completeness="full") == ()
