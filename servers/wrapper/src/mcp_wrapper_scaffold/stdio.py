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
from contextlib import suppress
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
LINE_BYTES: Final = 1 << 20
GRACE_SECONDS: Final = 5.0
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
        output: takes one line for each answer.
        line_bytes: the longest line.
        grace_seconds: for calls to end by themselves, once no more can come.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        output: BinaryIO,
        *,
        line_bytes: int = LINE_BYTES,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._app = app
        self._token = token
        self._output = output
        self._line_bytes = line_bytes
        self._grace_seconds = grace_seconds
        self._version: str | None = None  # as the handshake settled it
        self._running: dict[str | int, asyncio.Event] = {}
        self._writing = asyncio.Lock()
        self._group = anyio.create_task_group()

    async def run(self, read: Callable[[], bytes]) -> None:
        """Answer lines until there are none, or nobody takes answers any more.

        Args:
            read: waits for some bytes and returns them; none at the end.
        """
        lines = _Lines(read, self._line_bytes)
        async with running(self._app), self._group:
            while (line := await lines.get()) is not None:
                if len(line) > self._line_bytes:
                    reason = f"Invalid request: a message has at most {self._line_bytes} bytes"
                    await self._write(encode(error_of(None, INVALID_REQUEST, reason)))
                elif line.strip():
                    await self._take(line)
            self._group.cancel_scope.deadline = anyio.current_time() + self._grace_seconds

    async def _take(self, line: bytes) -> None:
        message = _decode(line)
        method, request_id = _method(message), read_id(message)
        if method == "notifications/cancelled":
            self._cancel(message)
            return
        gone = asyncio.Event()
        if request_id is not None:
            self._running[request_id] = gone
        work = _Work(message, request_id, line, gone)
        if method == "initialize":
            # What follows can only be read once the revision is settled.
            await self._answer(work)
        else:
            self._group.start_soon(self._answer, work)

    async def _answer(self, work: _Work) -> None:
        try:
            reply = await self._exchange(self._fields(work.message), work.line, work.gone)
        except Exception as error:  # noqa: BLE001 - one request must not end the others
            LOG.error("a message could not be answered: %s", type(error).__name__)
            reply = encode(error_of(work.request_id, INTERNAL_ERROR, "Internal error"))
        finally:
            if work.request_id is not None and self._running.get(work.request_id) is work.gone:
                del self._running[work.request_id]
        if not reply:
            return
        if _method(work.message) == "initialize":
            self._settle(reply)
        await self._write(_as_rpc(work.request_id, reply))

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

    async def _write(self, line: bytes) -> None:
        def write() -> None:
            self._output.write(line + b"\n")
            self._output.flush()

        async with self._writing:
            try:
                # A client that reads nothing holds answers up, and not the server.
                await anyio.to_thread.run_sync(write, abandon_on_cancel=True)
            except OSError as error:
                LOG.warning("standard output cannot be written: %s", error.strerror)
                self._group.cancel_scope.cancel()


def serve_stdio(make: Callable[[str], ASGIApp], *, log_level: str = "warning") -> None:
    """Serve a wrapper over standard input and output until the input ends.

    The log goes to stderr, and so does whatever else is printed meanwhile: the output is for
    answers alone.

    Args:
        make: returns the wrapper for a token that it has to take.
        log_level: ``debug``, ``info``, ``warning`` or ``error``.
    """
    logging.basicConfig(
        stream=sys.stderr, level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    token = secrets.token_urlsafe(32)
    app = make(token)
    sys.stdout.flush()
    with suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        anyio.run(_bridge, app, token, output)


async def _bridge(app: ASGIApp, token: str, output: BinaryIO) -> None:
    await StdioBridge(app, token, output).run(lambda: os.read(0, _CHUNK))


class _Lines:
    """Lines that a thread reads ahead.

    The thread is left alone when the server ends: nothing can wake a read of a pipe. It waits while
    many lines are waiting, and of a line that is too long it keeps the beginning alone.

    Args:
        read: waits for some bytes and returns them; none at the end.
        longest: the longest line.
    """

    def __init__(self, read: Callable[[], bytes], longest: int) -> None:
        self._read = read
        self._longest = longest
        self._slots = threading.Semaphore(_WAITING)
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._fill, name="stdio", daemon=True).start()

    async def get(self) -> bytes | None:
        """Return the next line, None at the end."""
        line = await self._queue.get()
        self._slots.release()
        return line

    def _fill(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            rest = b""
            while chunk := _read_or_end(self._read):
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    self._put(line)
                rest = rest[: self._longest + 1]
            self._put(rest)
            self._put(None)

    def _put(self, line: bytes | None) -> None:
        self._slots.acquire()
        self._loop.call_soon_threadsafe(self._queue.put_nowait, line)


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
