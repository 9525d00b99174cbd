"""What the server asks of the system: one file is written, and nobody is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import audited_command
import pytest
from trace_room import SELLER, TraceRoom
from trace_served import META, initialize, line, tool_line

NAMED = {"run_id": "1", "operation_id": "op"}
CALLS = [
    line("server/discover", 1, _meta=META),
    line("tools/list", 2, _meta=META),
    tool_line("list_operations", 3),
    tool_line("get_receipt", 4, **NAMED),
    tool_line("explain", 5, **NAMED),
    tool_line("explain", 6, **NAMED, template="nobodys"),
    tool_line("get_review_status", 7, review_id="49185038-2f6c-4b0a-8f43-6d0c1f9a7e21"),
    initialize("2025-11-25", 8),
    line("tools/list", 9),
]
CHECK = tool_line("check_before_pay", 10, counterparty=SELLER, amount="0.25")


def audited(tmp_path: Path, lines: list[bytes], *words: str) -> list[tuple[str, str]]:
    """Return what the command asked of the system."""
    report = tmp_path / "audited"
    done = subprocess.run(
        [sys.executable, "-B", audited_command.__file__, *words],
        input=b"".join(lines),
        capture_output=True,
        timeout=120,
        env={**os.environ, "AUDITED": str(report)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == len(lines)
    found = [json.loads(each) for each in report.read_text().splitlines()]
    # The event loop wakes itself by a pair of sockets that belong to nobody else.
    return [(event, about) for event, about in found if about != os.devnull]


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    made = TraceRoom(tmp_path / ".trace")
    made.pay("op", settled=False)
    return made


def test_reading_writes_nothing_and_calls_nobody(room: TraceRoom, tmp_path: Path) -> None:
    assert audited(tmp_path, CALLS, "--dir", str(room.path)) == []


def test_a_review_is_written_to_the_log_and_nowhere_else(room: TraceRoom, tmp_path: Path) -> None:
    found = audited(tmp_path, [*CALLS, CHECK], "--dir", str(room.path))
    assert found == [("os.mkdir", "guard"), ("open", "decisions.ndjson")]
    assert sorted(path.name for path in room.path.rglob("*") if path.is_file()) == [
        "1.ndjson",
        "decisions.ndjson",
    ]


def test_an_allowed_payment_leaves_no_trace(room: TraceRoom, tmp_path: Path) -> None:
    allowed = tool_line("check_before_pay", 10, counterparty="other.example", amount="0.25")
    assert audited(tmp_path, [*CALLS, allowed], "--dir", str(room.path)) == []


def test_an_index_is_kept_only_where_the_operator_asks_for_it(
    room: TraceRoom, tmp_path: Path
) -> None:
    found = audited(tmp_path, CALLS, "--dir", str(room.path), "--index")
    in_memory = [about for event, about in found if event == "sqlite3.connect"]
    assert set(in_memory) == {":memory:"}  # the file itself is written through the root
    others = {event for event, _ in found if not event.startswith("sqlite3.")}
    assert others == {"open", "os.mkdir", "os.rename"}
    assert [path.name for path in (room.path / "guard").iterdir()] == ["index.sqlite"]


def test_the_audit_would_tell(tmp_path: Path) -> None:
    """Show the hook to find what it is there for."""
    noted = audited_command.found
    audited_command.begun.append(True)
    try:
        audited_command.note("open", ("x", "w", 0))
        audited_command.note("open", ("y", None, os.O_RDWR))
        audited_command.note("open", ("z", "r", os.O_RDONLY))
        audited_command.note("socket.getaddrinfo", ("issuer.example", 443))
        assert [about for _, about in noted] == ["x", "y", "issuer.example"]
    finally:
        audited_command.begun.clear()
        noted.clear()
