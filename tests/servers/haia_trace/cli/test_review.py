"""The command line on which people look at reviews, and decide them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from trace_room import SELLER, TraceRoom
from trace_served import answer

from haia_trace_mcp.cli import main
from haia_trace_mcp.cli.review import watch

NOBODY = "49185038-2f6c-4b0a-8f43-6d0c1f9a7e21"
HOSTILE = "\x1b[2J\x9b31m\x07\r\x7f\u202e\ud800"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    made = TraceRoom(tmp_path / ".trace")
    made.pay("op", settled=False)
    return made


def opened(room: TraceRoom, amount: str = "0.25") -> str:
    return str(room.check(amount=amount).review_id)


def run(room: TraceRoom, *words: str) -> int:
    return main(["review", words[0], "--dir", str(room.path), *words[1:]])


def test_reviews_are_listed_with_a_time_for_each_entry(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = opened(room), opened(room, "2")
    assert run(room, "approve", first) == 0
    capsys.readouterr()
    assert run(room, "list") == 0
    head, one, two = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "STATUS", "OPENED", "DECIDED", "AMOUNT", "ASSET", "COUNTERPARTY", "RULES", "REVIEW",
    ]  # fmt: skip
    assert one.startswith("approved  2026-11-09T12:00:00.000Z  20")
    assert one.endswith(f"{SELLER.lower()}  open_partial               {first}")
    assert two.startswith("pending   2026-11-09T12:00:00.000Z  - ")
    assert two.split()[3:] == [
        "2", "USDC", "on", "eip155:8453", SELLER.lower(), "open_partial,review_above", second,
    ]  # fmt: skip
    assert run(room, "list", "--status", "approved", "--json") == 0
    [review] = json.loads(capsys.readouterr().out)
    assert (review["review_id"], review["status"]) == (first, "approved")
    assert run(room, "list", "--status", "rejected") == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == (
        "",
        "haia-trace-mcp: none is rejected; `haia-trace-mcp review list` shows all\n",
    )


def test_a_review_is_shown_with_reasons_and_evidence(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    review_id = opened(room)
    assert run(room, "show", review_id) == 0
    out = capsys.readouterr().out
    assert f"review:       {review_id}\n" in out
    assert "amount:       0.25 USDC on eip155:8453\n" in out
    assert "open_partial:\n  1 earlier operation" in out
    assert "    run 1, operation op\n" in out
    assert "history:\n" in out


def test_a_decision_is_made_once_and_reaches_the_agent(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    review_id = opened(room)
    assert run(room, "reject", review_id, "--note", "the file\nnever came") == 0
    assert "note:\n  the file\n  never came\n" in capsys.readouterr().out
    status = answer(room.path, "get_review_status", review_id=review_id)
    assert (status["status"], status["note"]) == ("rejected", "the file\nnever came")
    before = room.log.read_bytes()
    for verdict in ("approve", "reject"):
        assert run(room, verdict, review_id) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert "was rejected at" in told.err
    assert room.log.read_bytes() == before


def test_what_is_not_there_is_no_and_makes_nothing(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["show"], ["approve"], ["reject"]):
        for review_id in (NOBODY, "", "../1", HOSTILE):
            assert run(room, *words, review_id) == 1
            told = capsys.readouterr()
            assert told.out == ""
            assert "no review is called" in told.err
            assert not CONTROLS.search(told.err)
    assert run(room, "list") == 0
    assert capsys.readouterr().err.startswith("haia-trace-mcp: there are no reviews; ")
    assert not (room.path / "guard").exists()


def test_the_log_is_verified(room: TraceRoom, capsys: pytest.CaptureFixture[str]) -> None:
    opened(room)
    assert run(room, "verify") == 0
    out = capsys.readouterr().out
    assert out.startswith("1 line, 1 review\nevery line is as it was written\nhead ")
    with room.log.open("ab") as file:
        file.write(b'{"type":"dec')
    run(room, "reject", opened(room, "3"))
    capsys.readouterr()
    assert run(room, "verify", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["torn"] == [{"line": 2, "size": 12, "is_record": False}]
    assert found["first_broken"] is None
    room.log.write_bytes(room.log.read_bytes().replace(b'"0.25"', b'"0.26"'))
    assert run(room, "verify") == 1
    assert "the review log is broken at line" in capsys.readouterr().out
    # Nothing is decided on a log that somebody changed.
    assert run(room, "list") == 2
    assert "broken at line" in capsys.readouterr().err


def test_a_decision_that_somebody_marks_as_cut_off_is_pointed_at(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    run(room, "reject", opened(room))
    room.log.write_bytes(room.log.read_bytes().removesuffix(b"\n") + b"#torn\n")
    capsys.readouterr()
    assert run(room, "verify") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "2 lines, 1 review"
    assert told[1].startswith("line 2 is marked as cut off by a crash (")
    assert told[2] == "line 2 lacks nothing but its end: look whether somebody marked it"
    assert told[3] == "every other line is as it was written"


def test_a_watch_tells_each_step_as_it_comes(
    room: TraceRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    first = opened(room)
    reviews = room.new_reviews()
    steps: list[Any] = [
        lambda: opened(room, "2"),
        lambda: room.new_reviews().reject(first, f"no{HOSTILE}"),
    ]

    def pause() -> bool:
        if steps:
            steps.pop(0)()
            return True
        return False

    assert watch(reviews, pause, as_json=False) == 0
    told = capsys.readouterr()
    assert told.err == "haia-trace-mcp: 1 pending; waiting for more\n"
    one, two = told.out.splitlines()
    assert one.startswith("2026-11-09T12:00:00.000Z  pending   ")
    assert "2 USDC on eip155:8453 to" in one
    assert f"rejected  {first}" in two
    assert not CONTROLS.search(told.out)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_watch_is_a_process_that_an_interrupt_ends_quietly(room: TraceRoom) -> None:
    words = ["review", "watch", "--json", "--interval", "0.01", "--dir", str(room.path)]
    with subprocess.Popen(
        [sys.executable, "-m", "haia_trace_mcp", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        seen: Any = None
        amount = 2
        os.set_blocking(process.stdout.fileno(), False)
        while seen is None and amount < 100_000:
            amount += 1  # the watch begins at some moment, and tells what comes after that
            opened(room, str(amount))
            seen = process.stdout.readline() or None
        assert seen is not None
        assert json.loads(seen)["status"] == "pending"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    "words", [["list"], ["show", NOBODY], ["verify"], ["watch"], ["list", "--json"]]
)
def test_no_control_character_of_a_log_reaches_the_terminal(
    room: TraceRoom, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    room.log.parent.mkdir()
    record = {
        "type": "opened",
        "review_id": NOBODY,
        "created_at": "2026-11-09T12:00:00.000Z",
        "counterparty": f"seller{HOSTILE}",
        "amount": "1",
        "asset": f"asset{HOSTILE}",
        "template": f"template{HOSTILE}",
        "reasons": [
            {
                "rule": "open_partial",
                "detail": f"detail{HOSTILE}",
                "evidence": [{"run_id": f"run{HOSTILE}", "operation_id": f"op{HOSTILE}\n"}],
            }
        ],
    }
    decided = {
        "type": "decided",
        "review_id": NOBODY,
        "status": "rejected",
        "decided_at": "2026-11-09T12:00:01.000Z",
        "note": f"note{HOSTILE}",
    }
    room.log.write_text("".join(json.dumps(each) + "\n" for each in (record, decided)))
    if words == ["watch"]:
        assert watch(room.new_reviews(), lambda: False, as_json=False) == 0
    else:
        assert run(room, *words) == 0
    told = capsys.readouterr()
    assert told.out + told.err
    assert not CONTROLS.search(told.out + told.err)


def test_a_root_that_is_not_there_is_told_and_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nothing"
    for words in (["list"], ["approve", NOBODY], ["verify"]):
        assert main(["review", *words, "--dir", str(missing)]) == 2
        assert "is not there. --dir names a folder" in capsys.readouterr().err
    assert not missing.exists()


def test_a_reader_who_has_seen_enough_ends_the_command_quietly(room: TraceRoom) -> None:
    opened(room)
    words = [sys.executable, "-m", "haia_trace_mcp", "review", "list", "--dir", str(room.path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr is not None
        assert process.stderr.read() == b""
