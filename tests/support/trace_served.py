"""The receipts server as clients find it: in this process, and as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from haia_trace_mcp.server import make_server
from haia_trace_mcp.service import Settings, TraceService

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def ask(folder: Path, work: Callable[[Client], Awaitable[Any]], **settings: Any) -> Any:
    """Return what comes of work with a client of a server in this process."""

    async def run() -> Any:
        server = make_server(TraceService.start(Settings(folder, **settings)))
        with anyio.fail_after(60):
            async with Client(server) as client:
                return await work(client)

    return anyio.run(run)


def call(folder: Path, tool: str, **arguments: Any) -> Any:
    """Return the result of one call."""
    return ask(folder, lambda client: client.call_tool(tool, arguments))


def answer(folder: Path, tool: str, **arguments: Any) -> Any:
    """Return the structured content of a call that works, which its text says too."""
    result = call(folder, tool, **arguments)
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content or "\\ud" in (
        result.content[0].text
    )
    return result.structured_content


def refusal(folder: Path, tool: str, **arguments: Any) -> str:
    """Return the text of a call that fails."""
    result = call(folder, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    [content] = result.content
    return str(content.text)


def line(method: str, request_id: object = 1, **params: object) -> bytes:
    """Return a request of a revision with a handshake, or with ``_meta`` of one without."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def tool_line(name: str, request_id: object = 1, **arguments: object) -> bytes:
    """Return a call of a tool in the newest revision."""
    return line("tools/call", request_id, name=name, arguments=arguments, _meta=META)


def initialize(version: str, request_id: object = 0) -> bytes:
    """Return the beginning of a handshake."""
    info = {"name": "test", "version": "1"}
    return line("initialize", request_id, protocolVersion=version, capabilities={}, clientInfo=info)


def command(folder: Path, *options: str) -> list[str]:
    """Return the command that serves a folder."""
    return [sys.executable, "-W", "error", "-m", "haia_trace_mcp", "--dir", str(folder), *options]


def talk(folder: Path, *lines: bytes, options: tuple[str, ...] = ()) -> list[Any]:
    """Return what a process answers to lines, after which the input ends at once."""
    done = subprocess.run(
        command(folder, *options), input=b"".join(lines), capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(each) for each in done.stdout.splitlines()]


def by_id(answers: Iterator[Any] | list[Any]) -> dict[object, Any]:
    """Return answers by their ids."""
    return {each["id"]: each for each in answers}


class Served:
    """A process that serves, with its pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, *lines: bytes) -> None:
        """Write lines."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Return the next answer."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


@contextmanager
def served(folder: Path, *options: str) -> Generator[Served]:
    """Start a process that serves a folder, and end it."""
    with subprocess.Popen(
        command(folder, *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Served(process)
        finally:
            process.kill()
