"""The recorder, on clients of the x402 package, against what the original wrote."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from haia_oracle import ABSENT, ORACLE
from x402 import (
    PaymentPayload,
    PaymentRequired,
    PaymentResponseContext,
    SettleResponse,
    x402Client,
    x402ClientSync,
)
from x402.http import x402HTTPClientSync
from x402_buyer import CONTROLS, SIGNATURE, Scheme, make_client, offer, settled, unsettled

from haia_trace_mcp.index import TraceIndex
from haia_trace_mcp.recorder import Recorder
from haia_trace_mcp.recorder.run_file import RunFile
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates

START = 1_794_225_600_000


class Ticks:
    """A clock that a test sets."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".trace"


def start(root: Path, **options: Any) -> Recorder:
    clock = options.pop("clock", Ticks())
    return Recorder(RunFile.create(TraceRoot(root), clock), clock=clock, **options)


def lines(root: Path) -> list[bytes]:
    (path,) = (root / "events").glob("*.ndjson")
    return path.read_bytes().splitlines(keepends=True)


def events(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(root)]


def kinds(root: Path) -> list[str]:
    return [event["event_type"].removeprefix("x402.") for event in events(root)]


def pay(client: x402ClientSync, made: PaymentRequired, answer: SettleResponse | None) -> None:
    payload = client.create_payment_payload(made)
    assert isinstance(payload, PaymentPayload)
    if answer is not None:
        client.handle_payment_response(
            PaymentResponseContext(payload, payload.accepted, settle_response=answer)
        )


class Replayed:
    """Ids and times of recorded events, in the order in which a recorder asks for them."""

    def __init__(self, recorded: list[dict[str, Any]]) -> None:
        self._times = iter([_milliseconds(event["occurred_at"]) for event in recorded])
        self._ids = self._make_ids(recorded)

    def clock(self) -> int:
        return next(self._times)

    def new_id(self) -> str:
        return next(self._ids)

    def _make_ids(self, recorded: list[dict[str, Any]]) -> Iterator[str]:
        seen: set[str] = set()
        for event in recorded:
            operation = event.get("context_id")
            if operation is not None and operation not in seen:
                seen.add(operation)
                yield operation
            yield event["event_id"]


def _milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def read(case: str) -> list[bytes]:
    return (ORACLE / case / "events.ndjson").read_bytes().splitlines(keepends=True)


def replay(case: str, root: Path) -> tuple[Recorder, list[bytes]]:
    """Return a recorder for a recorded run, and the client's events of it, numbered anew."""
    if not ORACLE.is_dir():
        pytest.skip(ABSENT)
    recorded = [json.loads(line) for line in read(case)]
    ours = [event for event in recorded if event["role"] == "client"]
    expected = [
        json.dumps({**event, "seq": number}, separators=(",", ":")).encode() + b"\n"
        for number, event in enumerate(ours)
    ]
    replayed = Replayed(ours)
    file = RunFile.create(TraceRoot(root), Ticks())
    return Recorder(file, clock=replayed.clock, new_id=replayed.new_id), expected


def test_a_client_is_recorded_byte_for_byte_as_the_original_does(root: Path) -> None:
    recorder, expected = replay("case-366", root)
    client = make_client()
    recorder.attach(client)
    pay(client, offer(), settled())
    assert lines(root) == expected
    assert lines(root) == read("case-366")


def test_an_http_client_is_recorded_byte_for_byte_as_the_original_does(root: Path) -> None:
    recorder, expected = replay("case-370", root)
    client = make_client()
    http = x402HTTPClientSync(client)
    recorder.attach(client, http)
    for answer in (settled(), unsettled()):
        made = offer()
        http.handle_payment_required(made, "https://api.example.com/reports/weekly")
        pay(client, made, answer)
    assert lines(root) == expected


def test_the_run_is_called_after_its_start_and_is_new(root: Path) -> None:
    first, second = start(root), start(root)
    assert (first.run_id, second.run_id) == (str(START), str(START + 1))
    assert sorted(path.name for path in (root / "events").iterdir()) == [
        f"{START}.ndjson",
        f"{START + 1}.ndjson",
    ]


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_only_its_owner_may_read_a_run(root: Path) -> None:
    start(root)
    (path,) = (root / "events").iterdir()
    assert path.stat().st_mode & 0o077 == 0


def test_receipts_are_made_of_what_was_recorded(root: Path) -> None:
    client = make_client()
    with start(root).attach(client):
        pay(client, offer(), settled())
        pay(client, offer(), None)
        pay(client, offer(), unsettled())
    index = TraceIndex(TraceRoot(root), Templates(TraceRoot(root)))
    index.refresh()
    found = index.operations("x402-buyer")
    told = sorted((each.completeness, each.exception_count) for each in found)
    assert told == [("full", 0), ("partial", 0), ("partial", 1)]


def test_an_offer_that_is_paid_again_is_another_operation(root: Path) -> None:
    client = make_client()
    start(root).attach(client)
    made = offer()
    pay(client, made, unsettled())
    pay(client, made, settled())
    operations = [event["context_id"] for event in events(root)[1:]]
    assert operations[:3] == [operations[0]] * 3
    assert operations[3:] == [operations[3]] * 3
    assert operations[0] != operations[3]


def test_a_failure_of_another_hook_stays_with_its_payment(root: Path) -> None:
    client = make_client()
    start(root).attach(client)

    def fall_over(context: object) -> None:
        raise ValueError("mine")

    client.on_after_payment_creation(fall_over)
    with pytest.raises(ValueError, match="mine"):
        client.create_payment_payload(offer())
    assert kinds(root)[1:] == ["payment.creating", "payment.submitted", "payment.creation_failed"]
    assert len({event["context_id"] for event in events(root)[1:]}) == 1


def test_a_payment_that_could_not_be_signed_says_why_without_the_key(root: Path) -> None:
    key = "0x" + "ab" * 32
    client = make_client(Scheme(RuntimeError(f"bad key {key}")))
    start(root).attach(client)
    with pytest.raises(RuntimeError):
        client.create_payment_payload(offer())
    last = events(root)[-1]
    assert last["event_type"] == "x402.payment.creation_failed"
    assert last["payload"]["error"] == {"name": "RuntimeError", "message": "bad key [removed]"}
    assert key.encode() not in b"".join(lines(root))


def test_an_offer_instead_of_a_settlement_is_a_failed_verification(root: Path) -> None:
    client = make_client()
    start(root).attach(client)
    payload = client.create_payment_payload(offer())
    assert isinstance(payload, PaymentPayload)
    for more in ({"payment_required": offer("invalid")}, {"error": OSError("gone")}, {}):
        client.handle_payment_response(PaymentResponseContext(payload, payload.accepted, **more))
    verify, failed, silent = events(root)[-3:]
    assert verify["event_type"] == "x402.verify.failed"
    assert verify["payload"]["payment_required"]["error"] == "invalid"
    assert (failed["event_type"], silent["event_type"]) == ("x402.payment.failed",) * 2
    assert failed["payload"]["error"] == {"name": "OSError", "message": "gone"}
    assert "error" not in silent["payload"]
    assert len({event["context_id"] for event in events(root)[1:]}) == 1


def test_signatures_authorizations_and_extras_are_never_written(root: Path) -> None:
    client = make_client()
    http = x402HTTPClientSync(client)
    start(root).attach(client, http)
    made = offer()
    http.handle_payment_required(made, "https://api.example.com/")
    pay(client, made, settled())
    text = b"".join(lines(root)).decode()
    for secret in (
        SIGNATURE,
        "signature",
        "authorization",
        "nonce",
        f"{1:064x}",
        "USD Coin",
        "tags",
    ):
        assert secret not in text


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (object(), {"kind": "unknown", "attached": []}),
        (
            type("Part", (), {"on_payment_response": lambda self, hook: None})(),
            {
                "kind": "client",
                "attached": ["onPaymentResponse"],
                "missing": [
                    "onBeforePaymentCreation",
                    "onAfterPaymentCreation",
                    "onPaymentCreationFailure",
                ],
            },
        ),
    ],
)
def test_a_client_without_the_hooks_is_told_of_in_the_run(
    root: Path, client: Any, expected: dict[str, Any]
) -> None:
    start(root).attach(client)
    (told,) = events(root)
    assert told["payload"] == expected
    assert (told["event_type"], told["role"]) == (
        ("trace.attach_partial", "client")
        if "missing" in expected
        else ("trace.attach_failed", "unknown")
    )


class Explosive:
    """What raises whatever is asked of it."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("boom " + SIGNATURE)


def test_what_cannot_be_captured_is_told_and_never_raised(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hooks: list[Any] = []
    client: Any = type(
        "Client",
        (),
        {
            name: lambda self, hook: hooks.append(hook)
            for name in (
                "on_before_payment_creation",
                "on_after_payment_creation",
                "on_payment_creation_failure",
                "on_payment_response",
            )
        },
    )()
    recorder = start(root).attach(client)
    with caplog.at_level(logging.WARNING):
        for hook in hooks:
            assert hook(Explosive()) is None
    told = events(root)[1:]
    assert [event["event_type"] for event in told] == ["trace.capture_failed"] * 4
    assert [event["payload"]["hook"] for event in told] == [
        "onBeforePaymentCreation",
        "onAfterPaymentCreation",
        "onPaymentCreationFailure",
        "onPaymentResponse",
    ]
    assert all("context_id" not in event for event in told)
    assert recorder.lost == 4
    assert "boom" not in caplog.text


def test_an_event_beyond_the_limit_is_told_and_leaves_the_rest(root: Path) -> None:
    client = make_client()
    recorder = start(root).attach(client)
    pay(client, offer(pay_to="0x" + "a" * 70_000), None)
    pay(client, offer(), settled())
    assert kinds(root).count("trace.capture_failed") == 2
    assert kinds(root)[-1] == "payment.responded"
    assert recorder.lost == 2
    assert [event["seq"] for event in events(root)] == list(range(6))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_stops_no_payment(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = make_client()
    full = RunFile("1", os.open("/dev/full", os.O_WRONLY))
    recorder = Recorder(full).attach(client)
    with caplog.at_level(logging.WARNING):
        pay(client, offer(), settled())
    assert recorder.lost == 7  # what happened, and that it was not captured
    assert "OSError" in caplog.text


LIMITED = """
import resource, signal, sys
from haia_trace_mcp.recorder import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
recorder = Recorder.start(sys.argv[1])
recorder.record("a.b", "client", {"text": "x" * 500})
none = resource.RLIM_INFINITY
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, none))
assert not recorder.record("a.b", "client", {"text": "y" * 500})
resource.setrlimit(resource.RLIMIT_FSIZE, (none, none))
assert recorder.record("a.b", "client", {"text": "z" * 500})
"""


@pytest.mark.skipif(os.name == "nt", reason="no such limits")
def test_a_line_that_does_not_fit_is_taken_back(root: Path) -> None:
    subprocess.run([sys.executable, "-c", LIMITED, str(root)], check=True, timeout=60)
    assert [event["payload"]["text"][0] for event in events(root)] == ["x", "z"]
    assert [event["seq"] for event in events(root)] == [0, 1]


def test_after_its_end_nothing_is_written_and_nothing_is_raised(root: Path) -> None:
    client = make_client()
    recorder = start(root).attach(client)
    recorder.close()
    recorder.close()
    pay(client, offer(), settled())
    assert kinds(root) == ["trace.attached"]
    assert recorder.lost == 6


def test_time_never_goes_back_within_a_run(root: Path) -> None:
    clock = Ticks()
    recorder = start(root, clock=clock)
    for now in (START + 5, START, START + 7):
        clock.now = now
        recorder.record("a.b", "client", {})
    times = [event["occurred_at"][-5:] for event in events(root)]
    assert times == [".005Z", ".005Z", ".007Z"]


def test_odd_text_is_written_as_javascript_writes_it(root: Path) -> None:
    recorder = start(root)
    recorder.record("a.b", "client", {"text": 'é\u2028\x7f\x01\n"\\/\ud800', "pair": "😀"})
    (line,) = lines(root)
    assert 'é\u2028\x7f\\u0001\\n\\"\\\\/\\ud800'.encode() in line
    assert "😀".encode() in line


def test_threads_write_whole_lines_in_one_order(root: Path) -> None:
    recorder = start(root)

    def write(name: int) -> None:
        for number in range(200):
            recorder.record("a.b", "client", {"name": name, "number": number, "pad": "x" * 500})

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = events(root)
    assert [event["seq"] for event in found] == list(range(1600))
    for name in range(8):
        numbers = [e["payload"]["number"] for e in found if e["payload"]["name"] == name]
        assert numbers == list(range(200))


def test_payments_at_once_in_one_loop_are_kept_apart(root: Path) -> None:
    client = x402Client().register("eip155:*", Scheme()).set_spend_controls(CONTROLS)
    start(root).attach(client)

    async def buy() -> None:
        made = offer()
        await asyncio.sleep(0)
        payload = await client.create_payment_payload(made)
        assert isinstance(payload, PaymentPayload)
        await asyncio.sleep(0)
        context = PaymentResponseContext(payload, payload.accepted, settle_response=settled())
        await client.handle_payment_response(context)

    async def buy_many() -> None:
        await asyncio.gather(*(buy() for _ in range(50)))

    asyncio.run(buy_many())
    index = TraceIndex(TraceRoot(root), Templates(TraceRoot(root)))
    index.refresh()
    assert [each.completeness for each in index.operations("x402-buyer", limit=100)] == [
        "full"
    ] * 50
