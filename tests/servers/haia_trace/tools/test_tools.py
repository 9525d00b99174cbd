"""The five tools, asked by a client of the SDK."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from trace_room import NOON, SELLER, TraceRoom
from trace_served import answer, ask, call, refusal

from counterfoil_bindings.haia_trace.stubs import TOOL_NAMES
from haia_trace_mcp.ecmascript import print_json
from haia_trace_mcp.errors import AbsentError
from haia_trace_mcp.server import make_server
from haia_trace_mcp.service import Settings, TraceService
from haia_trace_mcp.tools.answers import DEPTH_LIMIT

NOBODY = "49185038-2f6c-4b0a-8f43-6d0c1f9a7e21"
NAMED = {"run_id": "1", "operation_id": "op"}
CALLS: list[tuple[str, dict[str, str]]] = [
    ("list_operations", {}),
    ("get_receipt", NAMED),
    ("check_before_pay", {"counterparty": SELLER, "amount": "0.25"}),
    ("explain", NAMED),
]


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    return TraceRoom(tmp_path / ".trace")


def ids(listing: Any) -> list[tuple[str, str]]:
    return [(each["run_id"], each["operation_id"]) for each in listing["operations"]]


def test_operations_are_listed_newest_first_with_verdict_and_gaps(room: TraceRoom) -> None:
    room.pay("paid", at=NOON)
    room.pay("open", at=NOON + 1, settled=False, fault=True, run="2")
    found = answer(room.path, "list_operations")
    assert found == {
        "operations": [
            {
                "run_id": "2",
                "operation_id": "open",
                "template": "x402-buyer",
                "completeness": "partial",
                "missing_stages": ["challenge", "settlement"],
                "exception_count": 1,
                "last_event_at": "2026-11-09T12:00:00.001Z",
            },
            {
                "run_id": "1",
                "operation_id": "paid",
                "template": "x402-buyer",
                "completeness": "partial",
                "missing_stages": ["challenge"],
                "exception_count": 0,
                "last_event_at": "2026-11-09T12:00:00.000Z",
            },
        ],
        "runs_scanned": 2,
    }


def test_a_run_is_chosen_by_its_id_or_as_the_latest_and_limits_hold(room: TraceRoom) -> None:
    for number in range(60):
        room.pay(f"op-{number:02}", at=NOON + number, run="9" if number % 2 else "10")
    whole = answer(room.path, "list_operations")
    assert (len(whole["operations"]), whole["runs_scanned"]) == (50, 2)
    assert len(answer(room.path, "list_operations", limit=100)["operations"]) == 60
    assert ids(answer(room.path, "list_operations", limit=1)) == [("9", "op-59")]
    latest = answer(room.path, "list_operations", run="latest", limit=100)
    assert {run for run, _ in ids(latest)} == {"9"}  # by name, so after "10"
    assert (len(latest["operations"]), latest["runs_scanned"]) == (30, 1)
    assert ids(answer(room.path, "list_operations", run="10", limit=2)) == [
        ("10", "op-58"),
        ("10", "op-56"),
    ]
    assert answer(room.path, "list_operations", completeness="full")["operations"] == []
    assert "at most 100" in refusal(room.path, "list_operations", limit=101)


def test_a_folder_without_runs_is_no_error_and_says_so(room: TraceRoom) -> None:
    nothing = {"operations": [], "runs_scanned": 0}
    for arguments in ({}, {"run": "latest"}):
        assert answer(room.path, "list_operations", **arguments) == nothing
    shutil.rmtree(room.path / "events")
    assert answer(room.path, "list_operations") == nothing


def test_a_run_that_cannot_be_used_is_named_and_fails_what_needs_it(room: TraceRoom) -> None:
    room.pay("op", run="1")
    room.pay("other", run="2")
    with (room.path / "events/2.ndjson").open("a") as file:
        file.write('{"event_id":"e9","event_type":"x","occurred_at":7}\n')
    (room.path / "events/3.ndjson").write_bytes(b"nonsense\n")
    told = refusal(room.path, "list_operations")
    assert 'run "2", line 3, field occurred_at: is a number; it has to be a string' in told
    assert 'run "3", line 1: malformed event' in told
    assert 'run "2", line 3' in refusal(room.path, "list_operations", run="2")
    assert 'run "3", line 1' in refusal(room.path, "list_operations", run="latest")
    assert 'run "2", line 3' in refusal(room.path, "get_receipt", run_id="2", operation_id="other")
    assert 'run "2", line 3' in refusal(room.path, "explain", run_id="2", operation_id="other")
    told = refusal(room.path, "check_before_pay", counterparty=SELLER, amount="0.25")
    assert told.startswith("The payment was not checked, which is no allow:")
    assert 'run "2", line 3' in told
    assert not room.log.exists()
    # What does not need the broken runs is answered.
    assert ids(answer(room.path, "list_operations", run="1")) == [("1", "op")]
    assert answer(room.path, "get_receipt", **NAMED)["run_id"] == "1"


def test_many_broken_runs_are_counted(room: TraceRoom) -> None:
    for number in range(30):
        (room.path / f"events/{number:02}.ndjson").write_bytes(b"nonsense\n")
    told = refusal(room.path, "list_operations").splitlines()
    assert told[1].startswith('- run "00", line 1')
    assert told[-1] == "- and 10 more runs"


def test_ids_that_are_not_there_are_errors_that_say_which(room: TraceRoom) -> None:
    room.pay("op")
    for tool in ("get_receipt", "explain"):
        assert 'run "1" holds no operation "OP"' in refusal(
            room.path, tool, run_id="1", operation_id="OP"
        )
        assert 'no run is called "latest"' in refusal(
            room.path, tool, run_id="latest", operation_id="op"
        )
        assert 'no run is called ".."' in refusal(room.path, tool, run_id="..", operation_id="op")
    assert 'no run is called "7"' in refusal(room.path, "list_operations", run="7")
    assert NOBODY in refusal(room.path, "get_review_status", review_id=NOBODY)
    for tool, arguments in CALLS:
        told = refusal(room.path, tool, **arguments, template="nobodys")
        assert "template not found: nobodys" in told
        assert "Leave template out" in told
    assert "names no host" in refusal(
        room.path, "check_before_pay", counterparty="1.2.3", amount="1"
    )


@pytest.mark.parametrize(
    ("tool", "arguments"), [*CALLS, ("get_review_status", {"review_id": NOBODY})]
)
def test_a_root_that_went_away_is_an_error_and_no_empty_history(
    room: TraceRoom, tool: str, arguments: dict[str, str]
) -> None:
    room.pay("op")

    async def work(client: Any) -> Any:
        await client.call_tool("list_operations", {})
        shutil.rmtree(room.path)
        return await client.call_tool(tool, arguments)

    result = ask(room.path, work)
    assert result.is_error
    assert "is not there" in result.content[0].text


def test_a_receipt_is_printed_as_the_original_prints_it(room: TraceRoom) -> None:
    payload = {
        "z": 1.0,
        "1": [],
        "0": {},
        "big": 12345678901234567890,
        "huge": 1e21,
        "small": 1e-7,
        "text": "ø\u2028\x7f",
    }
    room.record("x402.payment.required", "op", payload)
    with (room.path / "events/1.ndjson").open("a") as file:
        file.write((room.path / "events/1.ndjson").read_text().replace('"e1"', '"\\ud800"'))
    result = call(room.path, "get_receipt", **NAMED)
    text = result.content[0].text
    assert text.endswith('\n  ],\n  "run_id": "1"\n}')
    assert text.startswith('{\n  "operation": {\n    "template": "x402-buyer",\n    "version": 2,')
    start = text.index('"payload"')
    assert text[start : text.index("}\n    }", start)] == (
        '"payload": {\n'
        '        "0": {},\n'
        '        "1": [],\n'
        '        "z": 1,\n'
        '        "big": 12345678901234567000,\n'
        '        "huge": 1e+21,\n'
        '        "small": 1e-7,\n'
        '        "text": "ø\u2028\x7f"\n      '
    )
    assert '"event_id": "\\ud800"' in text
    # No client could read that in UTF-8, so beside the text it is replaced.
    assert result.structured_content == json.loads(text.replace("\\ud800", "\ufffd"))


def test_an_infinite_number_is_null_as_in_the_original(room: TraceRoom) -> None:
    room.record("x402.payment.required", "op", {"a": 0})
    path = room.path / "events/1.ndjson"
    path.write_text(path.read_text().replace('{"a": 0}', '{"a": 1e400}'))
    assert answer(room.path, "get_receipt", **NAMED)["events"][0]["payload"] == {"a": None}


def test_an_operation_of_an_odd_id_is_listed_all_the_same(room: TraceRoom) -> None:
    room.pay("\ud800")
    room.pay("a\nb\x1b[31m")
    found = [name for _, name in ids(answer(room.path, "list_operations"))]
    assert sorted(found) == ["a\nb\x1b[31m", "\ufffd"]
    receipt = answer(room.path, "get_receipt", run_id="1", operation_id="a\nb\x1b[31m")
    assert receipt["operation"]["operation_id"] == "a\nb\x1b[31m"
    told = refusal(room.path, "get_receipt", run_id="1", operation_id="x\x1b[31m\n")
    assert '"x\\u001b[31m\\u000a"' in told


@pytest.mark.parametrize(("levels", "is_sent"), [(DEPTH_LIMIT - 1, True), (DEPTH_LIMIT, False)])
def test_an_event_that_no_client_could_read_is_refused_by_its_id(
    room: TraceRoom, levels: int, is_sent: bool
) -> None:
    value: Any = "deep"
    for _ in range(levels - 1):
        value = [value]
    room.record("x402.payment.required", "op", {"a": value} if levels else value)
    result = call(room.path, "get_receipt", **NAMED)
    assert result.is_error is not is_sent
    if not is_sent:
        assert 'the event "e1" is nested deeper' in result.content[0].text


def test_a_payment_goes_from_review_to_a_decision_that_the_agent_reads(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    first = answer(room.path, "check_before_pay", counterparty=SELLER, amount="0.25")
    assert first["decision"] == "review"
    assert first["reasons"][0] == {
        "rule": "open_partial",
        "detail": "1 earlier operation with this counterparty was paid and not seen to complete; "
        "the policy lets 0 be so.",
        "evidence": [NAMED],
    }
    assert first["reasons"][-1]["rule"] == "history"
    again = answer(room.path, "check_before_pay", counterparty=SELLER.lower(), amount="0.250")
    assert again["review_id"] == first["review_id"]
    status = answer(room.path, "get_review_status", review_id=first["review_id"])
    assert status["status"] == "pending"
    assert status["reasons"] == first["reasons"]
    room.new_reviews().reject(first["review_id"], "never arrived")
    status = answer(room.path, "get_review_status", review_id=first["review_id"])
    assert (status["status"], status["note"]) == ("rejected", "never arrived")
    assert status["decided_at"] >= "2026-11-09"


def test_the_policy_of_the_operator_decides(room: TraceRoom, tmp_path: Path) -> None:
    policy = tmp_path / "haia-guard.config.json"
    policy.write_text(json.dumps({"denylist": [SELLER]}))
    payment = {"counterparty": SELLER, "amount": "0.25"}
    blocked = ask(
        room.path, lambda client: client.call_tool("check_before_pay", payment), policy=policy
    )
    assert blocked.structured_content["decision"] == "block"
    assert answer(room.path, "check_before_pay", **payment)["decision"] == "allow"


def test_an_explanation_names_the_blind_spot(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    found = answer(room.path, "explain", **NAMED)
    assert {**NAMED, "template": "x402-buyer", "completeness": "partial"}.items() <= found.items()
    assert "leave the same receipt" in found["explanation"]


def test_a_template_that_is_there_and_broken_is_not_to_be_left_out(room: TraceRoom) -> None:
    (room.path / "templates").mkdir()
    (room.path / "templates/x402-buyer.yaml").write_text("stages: []", "utf-8")
    told = refusal(room.path, "get_receipt", **NAMED)
    assert "invalid template" in told
    assert "Leave template out" not in told


def test_templates_of_the_project_and_of_another_folder_are_taken(
    room: TraceRoom, tmp_path: Path
) -> None:
    room.pay("op")
    text = "template: own\nversion: 1.5\nstages:\n- {id: sent, required: true, match: [{event: x}]}"
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "mine.yaml").write_text(text)
    assert "not found" in refusal(room.path, "get_receipt", **NAMED, template="mine")
    work = {**NAMED, "template": "mine"}
    found = ask(room.path, lambda c: c.call_tool("get_receipt", work), templates=folder)
    assert found.structured_content["operation"]["version"] == 1.5
    assert '"version": 1.5' in found.content[0].text


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_no_answer_breaks_the_output_schema_for_odd_but_valid_events(
    room: TraceRoom, name: str
) -> None:
    for number, text in enumerate(("", " ", "\u0000", "7", "é")):
        event = {
            "event_id": text,
            "event_type": "x402.payment.submitted" if number else "",
            "occurred_at": text,
            "seq": -1.5,
            "adapter": text,
            "payload": {"requirements": 7, "resource": [], "accepts": {"a": None}},
            "context_id": "op",
            "role": text or "client",
        }
        with (room.path / "events/1.ndjson").open("a") as file:
            file.write(json.dumps(event) + "\n")
    arguments: dict[str, Any] = dict(CALLS).get(name, {"review_id": NOBODY})
    result = call(room.path, name, **arguments)
    assert result.is_error is (name == "get_review_status")


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_crash_tells_a_client_nothing(
    room: TraceRoom, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Crashing(TraceService):
        def list_operations(self, *arguments: Any, **named: Any) -> Any:
            raise RuntimeError("a secret")

    async def run() -> Any:
        async with Client(make_server(Crashing.start(Settings(room.path))), mode=mode) as client:
            with pytest.raises(MCPError) as raised:
                await client.call_tool("list_operations", {})
            return raised.value.error

    error = anyio.run(run)
    assert (error.code, error.message, error.data) == (-32603, "Internal error", None)
    assert "a secret" in caplog.text  # which is where the operator looks


def test_a_warm_start_answers_as_a_cold_one(room: TraceRoom) -> None:
    for number in range(20):
        room.pay(f"op-{number}", at=NOON + number, settled=number % 3 == 0)
    cold = answer(room.path, "list_operations", limit=100)
    first = TraceService.start(Settings(room.path, keeps_index=True))
    first.warm()
    first.save()
    room.pay("op-20", at=NOON + 20)
    warm = TraceService.start(Settings(room.path, keeps_index=True))
    [run] = warm.runs()
    assert run.operations == 21
    listed = warm.list_operations(limit=100).operations
    assert [each.operation_id for each in listed[1:]] == [name for _, name in ids(cold)]
    shutil.rmtree(room.path)
    warm.warm()  # tells nobody
    with pytest.raises(AbsentError):
        warm.runs()


def test_what_a_receipt_says_is_the_same_in_text_and_in_structure(room: TraceRoom) -> None:
    room.pay("op", fault=True)
    result = call(room.path, "get_receipt", **NAMED)
    receipt = room.index
    receipt.refresh()
    expected = receipt.receipt("1", "op", "x402-buyer")
    text = result.content[0].text
    assert text == expected.text()[:-3] + ',\n  "run_id": "1"\n}'
    assert text == print_json({**expected.to_json(), "run_id": "1"})
    assert result.structured_content == json.loads(text)
