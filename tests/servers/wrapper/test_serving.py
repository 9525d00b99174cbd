"""The wrapper as a process of its own: its start, its log, its end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from wrapped import TOKEN, wrap

from mcp_wrapper_scaffold import ListenError, serve

SCRIPT = """\
import asyncio, os
from mcp_wrapper_scaffold import EnvSecret, ToolDef, create_wrapper_server, serve

async def echo(args, ctx):
    return {"got": args}

async def hang(args, ctx):
    await asyncio.Event().wait()

async def crash(args, ctx):
    raise RuntimeError(os.environ["AGENT_TOKEN"])

app = create_wrapper_server(
    tools=[
        ToolDef(name=each.__name__, description="For tests.", handler=each)
        for each in (echo, hang, crash)
    ],
    agent_token=EnvSecret("AGENT_TOKEN"),
    allowlist=[],
)
serve(app, port=0)
"""
WINDOWS = sys.platform == "win32"


@contextmanager
def process() -> Generator[tuple[subprocess.Popen[bytes], int]]:
    """Run a wrapper; the second value is its port."""
    environment = {**os.environ, "AGENT_TOKEN": TOKEN}
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as running:
        assert running.stderr is not None
        try:
            line = running.stderr.readline().decode()
            found = re.search(r"listening on http://127\.0\.0\.1:([0-9]+)/mcp", line)
            assert found is not None, line + running.stderr.read().decode()
            yield running, int(found[1])
        finally:
            running.kill()


def post(port: int, method: str, token: str = TOKEN, **params: object) -> tuple[int, object]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    fields = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    connection.request("POST", "/mcp?key=secret-in-query", body, fields)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    return answer.status, content


@pytest.mark.skipif(WINDOWS, reason="there, a process cannot be sent these")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_well_and_the_log_has_no_secret(number: signal.Signals) -> None:
    with process() as (running, port):
        assert post(port, "tools/call", name="echo")[0] == 200
        assert post(port, "tools/call", token="wrong")[0] == 401
        _, crashed = post(port, "tools/call", name="crash")
        assert "Internal error" in json.dumps(crashed)
        assert TOKEN not in json.dumps(crashed)
        running.send_signal(number)
        out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (0, b"")
    log = err.decode()
    assert "tool crash failed" in log
    assert "[secret removed]" in log
    assert TOKEN not in log
    assert "secret-in-query" not in log
    assert "Exception in ASGI" not in log


@pytest.mark.skipif(WINDOWS, reason="there, a process cannot be sent this")
def test_a_call_that_hangs_does_not_keep_it_alive() -> None:
    with process() as (running, port), socket.create_connection(("127.0.0.1", port)) as client:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}'
        client.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        assert post(port, "tools/call", name="echo")[0] == 200
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)
        answer = client.recv(10_000)
    assert running.returncode == 0
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"The server is stopping" in answer
    assert b"Traceback" not in err


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"cannot listen on 127\.0\.0\.1 port {port}: "):
            serve(wrap(), port=port)


def test_a_host_that_there_is_not_is_told() -> None:
    with pytest.raises(ListenError, match=r"cannot listen on nowhere\.invalid: "):
        serve(wrap(), host="nowhere.invalid", port=0)
