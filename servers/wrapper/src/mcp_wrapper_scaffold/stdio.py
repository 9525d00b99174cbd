"""A wrapper over standard input and output, for one client that started it.

Each line is a message; it is answered by the same application that answers over HTTP, so that both
ways show the same server. The client is whoever owns the process: there is no token to bring, and
the application is given one that nobody else knows.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, cast

import anyio
import anyio.to_thread
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER, encode_header_value
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST, PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message

from mcp_wrapper_scaffold.http.application import MCP_PATH
from mcp_wrapper_scaffold.http.messages import is_object, read_id
from mcp_wrapper_scaffold.http.replies import encode, error_of
from mcp_wrapper_scaffold.lifespan import running

LOG = logging.getLogger(__name__)
GRACE_SECONDS: Final = 5.0  # for calls to end by themselves, once no more can come
_CHUNK: Final = 1 << 16
_WAITING: Final = 64  # lines that are read ahead; more stay in the pipe
_NAMES: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class _Work:
    message: object
    request_id: str | int | None
    line: bytes
    gone: asyncio.Event  # is set when the client does not want the answer any more


class StdioBridge:
    """Carry messages between lines and an application.

    Args:
        app: what ``create_wrapper_server`` returned.
        token: one that it takes.
        line_bytes: the longest line.
    """

    def __init__(self, app: ASGIApp, token: str, line_bytes: int) -> None:
        self._app = app
        self._token = token
        self._line_bytes = line_bytes
        self._version: str | None = None  # as the handshake settled it
        self._running: dict[str | int, asyncio.Event] = {}
        self._writing = asyncio.Lock()

    async def run(self, read: Callable[[], bytes], output: BinaryIO) -> None:
        """Answer lines until there are none; calls that still run then have five seconds to end.

        Args:
            read: waits for some bytes and returns them; none at the end.
            output: takes one line for each answer.
        """
        lines = _read_lines(read, self._line_bytes)
        async with running(self._app), anyio.create_task_group() as group:
            while (line := await lines.get()) is not None:
                if len(line) > self._line_bytes:
                    reason = f"Invalid request: a message has at most {self._line_bytes} bytes"
                    await self._write(encode(error_of(None, INVALID_REQUEST, reason)), output)
                elif line.strip():
                    await self._take(line, group.start_soon, output)
            group.cancel_scope.deadline = anyio.current_time() + GRACE_SECONDS

    async def _take(self, line: bytes, start: Callable[..., object], output: BinaryIO) -> None:
        message = _decode(line)
        method, request_id = _method(message), read_id(message)
        if method == "notifications/cancelled":
            self._cancel(message)
            return
        gone = asyncio.Event()
        if request_id is not None:
            self._running[request_id] = gone
        work = (_Work(message, request_id, line, gone), output)
        if method == "initialize":
            # What follows can only be read once the revision is settled.
            await self._answer(*work)
        else:
            start(self._answer, *work)

    async def _answer(self, work: _Work, output: BinaryIO) -> None:
        try:
            reply = await self._exchange(self._fields(work.message), work.line, work.gone)
        finally:
            if work.request_id is not None and self._running.get(work.request_id) is work.gone:
                del self._running[work.request_id]
        if not reply:
            return
        if _method(work.message) == "initialize":
            self._settle(reply)
        await self._write(_as_rpc(work.request_id, reply), output)

    def _cancel(self, message: object) -> None:
        params: object = message.get("params") if is_object(message) else None
        asked: object = params.get("requestId") if is_object(params) else None
        if isinstance(asked, str | int) and asked in self._running:
            self._running[asked].set()

    def _settle(self, reply: bytes) -> None:
        result: object = json.loads(reply).get("result")
        if is_object(result) and result.get("protocolVersion") in HANDSHAKE_PROTOCOL_VERSIONS:
            self._version = cast("str", result["protocolVersion"])

    def _fields(self, message: object) -> Mapping[str, str]:
        """Return the fields that a client over HTTP would send with a message."""
        fields = {
            "host": "localhost",
            "content-type": "application/json",
            "authorization": f"Bearer {self._token}",
        }
        params: object = message.get("params") if is_object(message) else None
        meta: object = params.get("_meta") if is_object(params) else None
        version: object = meta.get(PROTOCOL_VERSION_META_KEY) if is_object(meta) else None
        method = _method(message)
        if not isinstance(version, str):
            version = None if method == "initialize" else self._version
        if version is not None:
            fields[MCP_PROTOCOL_VERSION_HEADER] = encode_header_value(version)
        fields["mcp-method"] = encode_header_value(method)
        named: object = params.get(_NAMES.get(method, "")) if is_object(params) else None
        if isinstance(named, str):
            fields["mcp-name"] = encode_header_value(named)
        return fields

    async def _exchange(self, fields: Mapping[str, str], body: bytes, gone: asyncio.Event) -> bytes:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": MCP_PATH,
            "raw_path": MCP_PATH.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in fields.items()],
            "client": None,
            "server": None,
        }
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[bytes] = []

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return b"".join(sent)

    async def _write(self, line: bytes, output: BinaryIO) -> None:
        def write() -> None:
            output.write(line + b"\n")
            output.flush()

        async with self._writing:
            await anyio.to_thread.run_sync(write, abandon_on_cancel=True)


def serve_stdio(
    make: Callable[[str], ASGIApp], *, line_bytes: int = 1 << 20, log_level: str = "warning"
) -> None:
    """Serve a wrapper over standard input and output until the input ends.

    The log goes to stderr, and so does whatever else is printed meanwhile: the output is for
    answers alone.

    Args:
        make: returns the wrapper for a token that it has to take.
        line_bytes: the longest message.
        log_level: ``debug``, ``info``, ``warning`` or ``error``.
    """
    logging.basicConfig(
        stream=sys.stderr, level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    token = secrets.token_urlsafe(32)
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        bridge = StdioBridge(make(token), token, line_bytes)
        anyio.run(bridge.run, lambda: os.read(0, _CHUNK), output)


def _read_lines(read: Callable[[], bytes], longest: int) -> asyncio.Queue[bytes | None]:
    """Return a queue that a thread fills with lines, None at the end.

    The thread is left alone when the server ends: nothing can wake a read of a pipe. It waits
    while the queue is full, and of a line that is too long it keeps the beginning alone.
    """
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING)
    loop = asyncio.get_running_loop()

    def put(line: bytes | None) -> None:
        asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

    def fill() -> None:
        rest = b""
        while chunk := _read_or_end(read):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                put(line)
            rest = rest[: longest + 1]
        if rest.strip():
            put(rest)
        put(None)

    threading.Thread(target=fill, name="stdio", daemon=True).start()
    return lines


def _read_or_end(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except OSError as error:
        LOG.warning("standard input cannot be read: %s", error.strerror)
        return b""


def _decode(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None  # the application says what is wrong with it


def _method(message: object) -> str:
    method: object = message.get("method") if is_object(message) else None
    return method if isinstance(method, str) else ""


def _as_rpc(request_id: str | int | None, reply: bytes) -> bytes:
    """Return an answer as a JSON-RPC message, which a refusal of HTTP is none of."""
    value: Any = json.loads(reply)
    if isinstance(value, list) or "jsonrpc" in value:
        return reply
    reason = str(value.get("error", {}).get("reason", "no answer"))
    return encode(error_of(request_id, INTERNAL_ERROR, reason))
