"""The server over standard input and output: every call is answered, in every revision."""

from __future__ import annotations

import io
import json
import queue
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from locales import needs_ascii_path
from mcp import MCPError
from mcp.server import Server
from mcp.types import CallToolResult, TextContent
from trace_room import TraceRoom
from trace_served import META, by_id, command, initialize, line, served, talk, tool_line

from haia_trace_mcp.stdio import Connection
from haia_trace_mcp.stdio.pipes import LINE_LIMIT

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return TraceRoom(tmp_path / ".trace").path


def cancel(request_id: object) -> bytes:
    message = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": request_id},
    }
    return json.dumps(message).encode() + b"\n"


class Desk:
    """A server of the SDK with tools that wait, crash and answer what cannot be sent."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.server: Server[Any] = Server("desk", on_call_tool=self.call)
        self.cancelled = threading.Event()

    async def call(self, ctx: Any, params: Any) -> CallToolResult:
        if params.name == "wait":
            self.begun.set()
            try:
                while not self.release.is_set():
                    await anyio.sleep(0.001)
            except anyio.get_cancelled_exc_class():
                self.cancelled.set()
                raise
        if params.name == "odd":
            return CallToolResult(content=[], structured_content={"text": "\ud800"})
        if params.name == "fail":
            raise MCPError(code=-32602, message="no")
        return CallToolResult(content=[TextContent(type="text", text=params.name)])


class Script:
    """Input that is fed while the server reads it: bytes, and functions that make them."""

    def __init__(self, *parts: bytes | Callable[[], bytes]) -> None:
        self._parts = queue.Queue[Any]()
        for part in (*parts, b""):
            self._parts.put(part)

    def read(self) -> bytes:
        part = self._parts.get()
        value: bytes = part() if callable(part) else part
        return value


class Pipe(io.BytesIO):
    """Output that others can wait for."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def put(self, data: bytes) -> None:
        with self._changed:
            self.write(data)
            self._changed.notify_all()

    def await_lines(self, number: int) -> bytes:
        with self._changed:
            assert self._changed.wait_for(lambda: self.getvalue().count(b"\n") >= number, 30)
        return b"\n"


def exchange(
    *parts: bytes | Callable[[], bytes],
    desk: Desk | None = None,
    pipe: Pipe | None = None,
    **options: Any,
) -> list[Any]:
    """Return what a desk answers to an input, line by line."""
    used = pipe or Pipe()

    async def run() -> None:
        with anyio.fail_after(60):
            server = (desk or Desk()).server
            await Connection(server, Script(*parts).read, used.put, **options).run()

    anyio.run(run)
    return [json.loads(each) for each in used.getvalue().splitlines()]


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_handshake_settles_the_revision(folder: Path, version: str) -> None:
    answers = by_id(
        talk(
            folder,
            initialize(version),
            READY,
            line("tools/list", 1),
            line("tools/call", "two", name="list_operations", arguments={}),
            line("tools/call", 3, name="get_receipt", arguments={}),
            line("ping", 4),
        )
    )
    assert answers[0]["result"]["protocolVersion"] == version
    assert len(answers[1]["result"]["tools"]) == 5
    assert ("structuredContent" in answers["two"]["result"]) is (version >= "2025-06-18")
    assert json.loads(answers["two"]["result"]["content"][0]["text"])["runs_scanned"] == 0
    assert answers[3]["result"]["isError"] is True
    assert answers[4]["result"] == {}


def test_one_process_serves_both_eras(folder: Path) -> None:
    answers = by_id(
        talk(
            folder,
            line("server/discover", 1, _meta=META),
            initialize("2025-11-25", 2),
            READY,
            line("tools/list", 3),
            line("tools/list", 4, _meta=META),
            line("ping", 5),
            line("ping", 6, _meta=META),
        )
    )
    assert "2026-07-28" in answers[1]["result"]["supportedVersions"]
    assert answers[2]["result"]["protocolVersion"] == "2025-11-25"
    assert "resultType" not in answers[3]["result"]
    assert answers[4]["result"]["resultType"] == "complete"
    assert answers[5]["result"] == {}
    assert answers[6]["error"]["code"] == -32601


def test_every_call_is_answered_although_the_input_ends_at_once(folder: Path) -> None:
    calls = [tool_line("list_operations", number) for number in range(400)]
    answers = talk(folder, *calls)
    assert by_id(answers).keys() == set(range(400))
    assert all(each["result"]["isError"] is False for each in answers)


def test_a_last_line_needs_no_line_feed_and_lines_come_in_any_parts() -> None:
    whole = tool_line("ä", 1) + b"\r\n\n" + tool_line("b", 2).rstrip()
    parts = [whole[place : place + 7] for place in range(0, len(whole), 7)]
    answers = by_id(exchange(*parts))
    assert answers[1]["result"]["content"][0]["text"] == "ä"
    assert answers[2]["result"]["content"][0]["text"] == "b"


@pytest.mark.parametrize(
    "sent",
    [
        line("ping", 1, a="x").replace(b'"x"', b'"\\ud800"'),
        b"\xef\xbb\xbf" + line("ping", 1),
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}\n',
        b'{"id": 1, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": 1, "method": 7}\n',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
        + b"[" * 500
        + b"]" * 500
        + b"}}\n",
    ],
)
def test_a_request_that_cannot_be_read_is_refused_by_its_id(sent: bytes) -> None:
    answers = by_id(exchange(sent, tool_line("next", 2)))
    assert answers[1]["error"]["code"] == -32600
    assert answers[2]["result"]["content"][0]["text"] == "next"


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"7\n",
        b"[]\n",
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": true, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n',
        cancel(7),
        cancel({}),
        cancel(None),
    ],
)
def test_what_names_no_request_is_not_answered_and_the_next_line_is(sent: bytes) -> None:
    [answer] = exchange(sent, tool_line("next", 2))
    assert answer["result"]["content"][0]["text"] == "next"


def test_a_line_that_is_too_long_is_not_kept_and_the_next_one_is_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    part = b"x" * (1 << 20)
    count = LINE_LIMIT // len(part)
    [answer] = exchange(*[part] * (3 * count), b"\n" + tool_line("next", 2))
    assert answer["id"] == 2
    [answer] = exchange(part * (count + 1) + b"\n" + tool_line("next", 3))
    assert answer["id"] == 3
    assert [each.message for each in caplog.records if "a line of more" in each.message] == [
        f"a line of more than {LINE_LIMIT} bytes is not read"
    ] * 2


def test_a_batch_is_answered_in_one_line_by_the_revision_that_has_them() -> None:
    members = [
        json.loads(line("ping", 1)),
        json.loads(READY),
        {"jsonrpc": "2.0", "id": 2, "method": 7},
        json.loads(line("ping", 3)),
    ]
    batch = json.dumps(members).encode() + b"\n"
    answers = exchange(initialize("2025-03-26") + READY + batch)
    [together] = [each for each in answers if isinstance(each, list)]
    assert by_id(together).keys() == {1, 2, 3}
    assert by_id(together)[2]["error"]["code"] == -32600
    [only] = exchange(initialize("2025-06-18"), batch)
    assert only["id"] == 0


def test_an_answer_that_cannot_be_sent_becomes_an_error() -> None:
    answers = by_id(exchange(tool_line("odd", 1), tool_line("fail", 2), tool_line("next", 3)))
    assert answers[1]["error"] == {"code": -32603, "message": "Internal error"}
    assert answers[2]["error"]["code"] == -32602
    assert answers[3]["result"]["content"][0]["text"] == "next"


@pytest.mark.parametrize("era", [[META], [None]])
def test_a_cancelled_call_ends_without_an_answer(era: list[Any]) -> None:
    desk = Desk()
    [meta] = era
    named = {"name": "wait", "arguments": {}, **({"_meta": meta} if meta else {})}
    before = [] if meta else [initialize("2025-11-25"), READY]

    def begun() -> bytes:
        assert desk.begun.wait(30)
        return cancel(1) + line("ping", 2)

    answers = exchange(*before, line("tools/call", 1, **named), begun, desk=desk)
    assert [each["id"] for each in answers if each["id"] != 0] == [2]
    assert desk.cancelled.is_set()


def test_a_call_under_way_at_the_end_has_a_while_and_then_an_error() -> None:
    desk = Desk()
    [answer] = exchange(tool_line("wait", 1), desk=desk, grace_seconds=0.05)
    assert answer["error"]["message"] == "Connection closed"
    assert desk.cancelled.is_set()


def test_a_slow_call_holds_no_other_up() -> None:
    desk, pipe = Desk(), Pipe()

    def release() -> bytes:
        pipe.await_lines(1)
        desk.release.set()
        return b"\n"

    answers = exchange(tool_line("wait", 1), tool_line("next", 2), release, desk=desk, pipe=pipe)
    assert [each["id"] for each in answers] == [2, 1]


def test_more_calls_than_are_taken_at_once_are_answered_in_the_end() -> None:
    desk = Desk()

    def release() -> None:
        desk.begun.wait(30)
        desk.release.set()

    thread = threading.Thread(target=release)
    thread.start()
    answers = exchange(*(tool_line("wait", number) for number in range(1000)), desk=desk)
    thread.join()
    assert by_id(answers).keys() == set(range(1000))


def test_a_client_that_takes_no_answers_ends_the_server() -> None:
    class Closed(Pipe):
        def put(self, data: bytes) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    desk = Desk()

    def begun() -> bytes:
        assert desk.begun.wait(30)
        return line("ping", 2)

    stays_open = threading.Event()

    def wait() -> bytes:
        stays_open.wait(30)
        return b""

    assert exchange(tool_line("wait", 1), begun, wait, desk=desk, pipe=Closed()) == []
    stays_open.set()
    assert desk.cancelled.is_set()


@ON_POSIX
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["SIGINT", "SIGTERM"]
)
def test_a_signal_ends_the_process_although_its_input_is_open(
    folder: Path, number: signal.Signals, status: int
) -> None:
    with served(folder) as server:
        server.send(tool_line("list_operations", 1))
        assert server.receive()["id"] == 1
        server.process.send_signal(number)
        assert server.process.wait(30) == status
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


@ON_POSIX
def test_a_signal_lets_a_call_end_that_is_under_way(tmp_path: Path) -> None:
    room = TraceRoom(tmp_path / ".trace")
    room.pay("op", settled=False)
    check = tool_line("check_before_pay", 1, counterparty="weather.example.test", amount="1")
    with served(room.path) as server:
        with room.new_reviews().session():
            server.send(check, line("ping", 2, _meta=META))
            assert server.receive()["id"] == 2
            server.process.send_signal(signal.SIGTERM)
        assert server.receive()["result"]["structuredContent"]["decision"] == "review"
        assert server.process.wait(30) == 0


def test_a_client_that_closes_both_ends_leaves_no_process_and_no_traceback(folder: Path) -> None:
    with served(folder) as server:
        server.send(tool_line("list_operations", 1))
        assert server.receive()["id"] == 1
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(tool_line("list_operations", 2))
        assert server.process.wait(30) == 0
        assert server.process.stderr is not None
        assert b"Traceback" not in server.process.stderr.read()


PRINTING = """
import os, subprocess, sys
from haia_trace_mcp import cli
from haia_trace_mcp.service import TraceService
listing = TraceService.list_operations
def loud(self, *arguments):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-c", "print(input() if False else 'child')"], check=True)
    return listing(self, *arguments)
TraceService.list_operations = loud
sys.exit(cli.main())
"""


def test_what_is_printed_meanwhile_stays_out_of_the_answers(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-u", "-c", PRINTING, "--dir", str(folder)],
        input=tool_line("list_operations", 1),
        capture_output=True,
        timeout=60,
        check=True,
    )
    [answer] = [json.loads(each) for each in done.stdout.splitlines()]
    assert answer["result"]["isError"] is False
    assert {b"printed", b"written", b"child"} <= set(done.stderr.splitlines())


@needs_ascii_path
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_the_wire_is_utf8_whatever_the_system_thinks(folder: Path, encoding: str) -> None:
    done = subprocess.run(
        command(folder),
        input=json.dumps(
            {
                "jsonrpc": "2.0",
                "id": "Đ 🌍",
                "method": "tools/call",
                "params": {"name": "list_operations", "arguments": {"run": "Đ 🌍"}, "_meta": META},
            },
            ensure_ascii=False,
        ).encode()
        + b"\n",
        capture_output=True,
        timeout=60,
        check=True,
        env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"},
    )
    answer = json.loads(done.stdout.decode())
    assert answer["id"] == "Đ 🌍"
    assert 'no run is called "Đ 🌍"' in answer["result"]["content"][0]["text"]


@ON_POSIX
@pytest.mark.parametrize(("closed", "name"), [("0<&-", "input"), ("1>&-", "output")])
def test_a_stream_that_is_closed_is_named(folder: Path, closed: str, name: str) -> None:
    words = shlex.join(command(folder))
    done = subprocess.run(
        ["sh", "-c", f"{words} {closed}"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr == f"haia-trace-mcp: standard {name} is closed\n".encode()
