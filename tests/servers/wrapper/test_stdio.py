"""A wrapper over standard input and output: the same server, one message a line."""

from __future__ import annotations

import asyncio
import io
import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest
from wrapped import REVISIONS, TOKEN, wrap

from mcp_wrapper_scaffold import Context, WrapperServer
from mcp_wrapper_scaffold.lifespan import LifespanError
from mcp_wrapper_scaffold.stdio import StdioBridge

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def echo(args: dict[str, Any], ctx: Context) -> object:
    """Return the arguments."""
    return {"got": args, "revision": ctx.protocol_version}


class Desk:
    """A tool that waits, and what became of it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = asyncio.Event()
        self.cancelled = threading.Event()

    async def wait(self, args: dict[str, Any], ctx: Context) -> object:
        """Wait to be released."""
        self.begun.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return {"waited": True}


class Script:
    """Input that is fed while the server reads it."""

    def __init__(self, *parts: bytes | Callable[[], bytes]) -> None:
        self._parts = queue.Queue[Any]()
        for part in (*parts, b""):
            self._parts.put(part)

    def read(self) -> bytes:
        """Return the next part; functions are called when their turn has come."""
        part = self._parts.get()
        value: bytes = part() if callable(part) else part
        return value


class Pipe(io.BytesIO):
    """Output that tells of each line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = 0
        self.changed = threading.Condition()

    def flush(self) -> None:
        """Count lines."""
        with self.changed:
            self.lines = self.getvalue().count(b"\n")
            self.changed.notify_all()

    def await_lines(self, number: int) -> bytes:
        """Return nothing, once there are so many lines."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.lines >= number, 30)
        return b"\n"


def line(method: str, request_id: object = 1, **params: object) -> bytes:
    """Return a request."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def call(name: str, request_id: object = 1, **arguments: object) -> bytes:
    """Return a call of a tool in the newest revision."""
    return line("tools/call", request_id, name=name, arguments=arguments, _meta=META)


def initialize(version: str) -> bytes:
    """Return the beginning of a handshake."""
    info = {"name": "test", "version": "1"}
    return line("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=info)


def cancel(request_id: object) -> bytes:
    """Return a cancellation."""
    params = {"requestId": request_id}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(message).encode() + b"\n"


def talk(
    *parts: bytes | Callable[[], bytes],
    app: WrapperServer | None = None,
    output: Pipe | None = None,
    **options: Any,
) -> list[Any]:
    """Return what a wrapper answers to an input, line by line."""
    pipe = output or Pipe()

    async def run() -> None:
        with anyio.fail_after(60):
            bridge = StdioBridge(app or wrap(echo), TOKEN, pipe, **options)
            await bridge.run(Script(*parts).read)

    anyio.run(run)
    return [json.loads(each) for each in pipe.getvalue().splitlines()]


def by_id(answers: Iterable[Any]) -> dict[object, Any]:
    """Return answers by their ids; calls are answered as they end."""
    return {answer["id"]: answer for answer in answers}


@pytest.mark.parametrize("version", REVISIONS[:-1])
def test_a_handshake_settles_the_revision_of_what_follows(version: str) -> None:
    answers = by_id(
        talk(
            initialize(version),
            b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
            line("tools/list", 1),
            line("tools/call", "two", name="echo", arguments={"a": 1}),
        )
    )
    assert answers.keys() == {0, 1, "two"}
    assert answers[0]["result"]["protocolVersion"] == version
    assert [tool["name"] for tool in answers[1]["result"]["tools"]] == ["echo"]
    assert answers["two"]["result"]["revision"] == version
    assert ("structuredContent" in answers["two"]["result"]) is (version >= "2025-06-18")


def test_the_newest_revision_needs_no_handshake() -> None:
    answers = by_id(talk(line("server/discover", 1, _meta=META), call("echo", 2, a="ø")))
    assert "2026-07-28" in answers[1]["result"]["supportedVersions"]
    assert answers[2]["result"]["structuredContent"]["got"] == {"a": "ø"}
    assert answers[2]["result"]["resultType"] == "complete"


def test_a_name_that_is_no_ascii_is_answered_as_unknown() -> None:
    [answer] = talk(call("øl"))
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_lines_may_come_in_any_parts(size: int) -> None:
    whole = call("echo", 1, a="Ærlig 🍋") + b"\r\n\n" + call("echo", 2).rstrip()
    parts = [whole[start : start + size] for start in range(0, len(whole), size)]
    answers = by_id(talk(*parts))
    assert answers[1]["result"]["got"] == {"a": "Ærlig 🍋"}
    assert answers.keys() == {1, 2}


def test_a_batch_is_answered_in_revisions_that_have_them() -> None:
    batch = [json.loads(line("ping", number)) for number in (1, 2)]
    answers = talk(initialize("2025-03-26"), json.dumps(batch).encode() + b"\n")
    assert [each["id"] for each in answers[1]] == [1, 2]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"nonsense\n", -32700),
        (b"\xff\n", -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"7\n", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}\n', -32600),
        (line("no/such", 1, _meta=META), -32601),
    ],
)
def test_what_is_no_request_is_an_error_and_the_next_line_is_answered(
    sent: bytes, code: int
) -> None:
    answers = talk(sent, call("echo", 9))
    assert by_id(answers)[9]["result"]["got"] == {}
    [error] = [answer["error"] for answer in answers if "error" in answer]
    assert error["code"] == code


def test_a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() -> None:
    answers = by_id(talk(b'{"' + b"x" * 5000 + b"\n" + call("echo", 2), line_bytes=1000))
    assert answers[None]["error"]["code"] == -32600
    assert "1000 bytes" in answers[None]["error"]["message"]
    assert answers[2]["result"]["got"] == {}


def test_a_long_line_is_not_kept_while_it_comes() -> None:
    parts = [b"x" * 100_000] * 100
    answers = by_id(talk(*parts, b"\n" + call("echo", 2), line_bytes=1000))
    assert answers[None]["error"]["code"] == -32600
    assert answers[2]["result"]["got"] == {}


def test_a_refusal_of_http_is_told_as_an_error_of_the_protocol() -> None:
    long = call("echo", 3, a="x" * (1 << 20))
    answers = by_id(talk(long, line_bytes=1 << 22))
    assert answers[3]["error"]["code"] == -32603
    assert "bytes" in answers[3]["error"]["message"]


def test_a_slow_call_holds_no_other_up() -> None:
    desk, pipe = Desk(), Pipe()

    async def run() -> None:
        def release() -> bytes:
            pipe.await_lines(1)
            loop.call_soon_threadsafe(desk.release.set)
            return b"\n"

        loop = asyncio.get_running_loop()
        script = Script(call("wait", 1), call("echo", 2), release)
        with anyio.fail_after(60):
            await StdioBridge(wrap(desk.wait, echo), TOKEN, pipe).run(script.read)

    anyio.run(run)
    answers = [json.loads(each) for each in pipe.getvalue().splitlines()]
    assert [answer["id"] for answer in answers] == [2, 1]
    assert answers[1]["result"]["waited"] is True


@pytest.mark.parametrize("together", [True, False])
def test_a_cancelled_call_ends_without_an_answer(together: bool) -> None:
    desk = Desk()

    def begun() -> bytes:
        assert together or desk.begun.wait(30)
        return cancel(1) + call("echo", 2)

    answers = talk(call("wait", 1), begun, app=wrap(desk.wait, echo))
    assert [answer["id"] for answer in answers] == [2]
    assert desk.cancelled.is_set() or not desk.begun.is_set()


def test_a_cancellation_of_nothing_is_nothing() -> None:
    answers = talk(cancel(7), cancel({}), cancel([1]), cancel(None), call("echo", 2))
    assert [answer["id"] for answer in answers] == [2]


def test_a_call_that_runs_when_the_input_ends_has_a_while_to_end() -> None:
    desk = Desk()
    assert talk(call("wait", 1), app=wrap(desk.wait), grace_seconds=0.05) == []
    assert desk.cancelled.is_set()


def test_a_client_that_takes_no_answers_ends_the_server() -> None:
    class Closed(Pipe):
        def write(self, data: Any) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    desk = Desk()
    parts = (call("wait", 1), lambda: desk.begun.wait(30) and call("echo", 2))
    assert talk(*parts, app=wrap(desk.wait, echo), output=Closed()) == []
    assert desk.cancelled.is_set()


def test_a_crash_below_fails_one_message() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        raise RuntimeError("secret")

    answers = by_id(talk(call("echo", 1), call("echo", 2), app=app))  # type: ignore[arg-type] # any application
    assert {answer["error"]["message"] for answer in answers.values()} == {"Internal error"}
    assert answers.keys() == {1, 2}


def test_an_application_that_does_not_start_is_told() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    with pytest.raises(LifespanError, match="no database"):
        talk(app=app)  # type: ignore[arg-type] # any application


PROGRAM = """
import sys
from mcp_wrapper_scaffold import AllowEntry, CallableSecret, ToolDef, create_wrapper_server
from mcp_wrapper_scaffold.stdio import serve_stdio

async def loud(args, ctx):
    print("from a handler")
    return {"ok": True}

def make(token):
    return create_wrapper_server(
        agent_token=CallableSecret(lambda: token),
        allowlist=[AllowEntry("https://api.example.com", "GET", "/v1/*")],
        tools=[ToolDef(name="loud", description="Prints.", handler=loud)],
    )

serve_stdio(make)
"""


def test_what_a_handler_prints_is_kept_out_of_the_answers(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, script], input=call("loud", 1), capture_output=True, timeout=60, check=True
    )
    [answer] = [json.loads(each) for each in done.stdout.splitlines()]
    assert answer["result"]["ok"] is True
    assert done.stderr.strip() == b"from a handler"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_ends_the_process_although_its_input_is_open(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(call("loud", 1))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(30) != 0
