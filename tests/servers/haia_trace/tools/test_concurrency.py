"""Many calls at once: one review, limits that hold, and nobody waits for somebody else's file."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from trace_room import HOST, SELLER, TraceRoom
from trace_served import META, by_id, line, served, talk, tool_line

PAYMENT = {"counterparty": SELLER, "amount": "0.25"}


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    return TraceRoom(tmp_path / ".trace")


def decisions(answers: list[Any]) -> list[str]:
    return [each["result"]["structuredContent"]["decision"] for each in answers]


def test_many_checks_at_once_open_one_review(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    calls = [tool_line("check_before_pay", number, **PAYMENT) for number in range(100)]
    with ThreadPoolExecutor() as threads:
        batches = list(threads.map(lambda _: talk(room.path, *calls), range(3)))
    answers = [each for batch in batches for each in batch]
    assert len(answers) == 300
    assert set(decisions(answers)) == {"review"}
    found = {each["result"]["structuredContent"]["review_id"] for each in answers}
    [line] = room.log.read_text().splitlines()
    assert found == {json.loads(line)["review_id"]}
    assert room.new_reviews().verify().first_broken is None


def test_checks_at_the_same_moment_cannot_both_pass_a_limit(
    room: TraceRoom, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.json"
    policy.write_text(
        json.dumps(
            {
                "reservationSeconds": 600,
                "perCounterpartyLimit": {"amount": "5.00", "windowHours": 24},
            }
        )
    )
    calls = [
        tool_line("check_before_pay", number, counterparty=HOST, amount="0.50")
        for number in range(20)
    ]
    options = ("--guard-config", str(policy))
    with ThreadPoolExecutor() as threads:
        batches = list(threads.map(lambda _: talk(room.path, *calls, options=options), range(2)))
    taken = decisions([each for batch in batches for each in batch])
    assert (taken.count("allow"), taken.count("review")) == (10, 30)
    assert len(room.new_reviews().list_reviews("pending")) == 1


def test_a_check_that_waits_for_the_log_holds_no_other_call_up(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    with served(room.path) as server:
        with room.new_reviews().session():
            server.send(tool_line("check_before_pay", 1, **PAYMENT))
            server.send(line("tools/list", 2, _meta=META), tool_line("list_operations", 3))
            answered = by_id([server.receive(), server.receive()])
            assert answered.keys() == {2, 3}
            assert len(answered[3]["result"]["structuredContent"]["operations"]) == 1
        last = server.receive()
    assert (last["id"], decisions([last])) == (1, ["review"])


def test_a_log_that_stays_locked_is_an_error_and_no_allow(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    with served(room.path) as server, room.new_reviews().session():
        server.send(tool_line("check_before_pay", 1, **PAYMENT))
        result = server.receive()["result"]
    assert result["isError"] is True
    assert "no allow" in result["content"][0]["text"]
    assert "locked by another process" in result["content"][0]["text"]


def test_what_is_recorded_or_decided_meanwhile_is_seen_by_the_next_call(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    with served(room.path) as server:
        server.send(tool_line("check_before_pay", 1, **PAYMENT))
        review_id = server.receive()["result"]["structuredContent"]["review_id"]
        room.new_reviews().approve(review_id)
        server.send(tool_line("get_review_status", 2, review_id=review_id))
        assert server.receive()["result"]["structuredContent"]["status"] == "approved"
        room.record("x402.payment.responded", "op", {})
        server.send(tool_line("check_before_pay", 3, **PAYMENT))
        assert decisions([server.receive()]) == ["allow"]
