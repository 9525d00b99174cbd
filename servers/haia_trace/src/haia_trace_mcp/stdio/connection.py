"""One client's connection: requests of both eras, answered to the last one."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import anyio
from mcp.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from haia_trace_mcp.stdio.batches import Batch
from haia_trace_mcp.stdio.eras import Era
from haia_trace_mcp.stdio.messages import (
    BATCHED,
    UnreadableError,
    encode,
    is_modern,
    read_batch,
    read_message,
)
from haia_trace_mcp.stdio.pipes import Lines, Output

LOG = logging.getLogger(__name__)
GRACE_SECONDS: Final = 10.0
STOP_SECONDS: Final = 2.0
_UNDER_WAY: Final = 256

RequestId: TypeAlias = "int | str"


class Connection:
    """Carries messages between lines and a server of the SDK.

    Each era has a loop of the SDK to itself, so that a client may use both, as the protocol has it.

    Args:
        server: answers the messages.
        read: waits for some bytes and returns them; none at the end.
        write: writes some bytes, all of them.
        grace_seconds: how long calls may take to end when no more can come.
    """

    def __init__(
        self,
        server: Server[Any],
        read: Callable[[], bytes],
        write: Callable[[bytes], object],
        *,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._server = server
        self._read = read
        self._write = write
        self._grace = grace_seconds
        self._under_way: Counter[RequestId] = Counter()
        self._settled = anyio.Event()
        self._batches: list[Batch] = []
        self._revision: str | None = None
        """What a handshake settled."""
        self._lines: Lines | None = None
        self._scope = anyio.CancelScope()

    async def run(self) -> None:
        """Answer until the input ends, ``stop`` is called, or nobody reads answers any more."""
        self._output = Output(self._write)
        self._lines = Lines(self._read)
        with self._scope:
            async with anyio.create_task_group() as group:
                self._modern = Era(self._server, group, self._send)
                self._legacy = Era(self._server, group, self._send)
                try:
                    await self._follow(self._lines)
                finally:
                    # The SDK answers what is left with an error.
                    self._modern.end()
                    self._legacy.end()

    def stop(self) -> None:
        """Read no more, and end after what is under way; has to be called in the event loop."""
        self._grace = min(self._grace, STOP_SECONDS)
        if self._lines is not None:
            self._lines.end()

    async def _follow(self, lines: Lines) -> None:
        while (line := await lines.get()) is not None:
            if line.strip():
                await self._take(line)
        with anyio.move_on_after(self._grace):
            await self._settle_below(1)

    async def _take(self, line: bytes) -> None:
        members = read_batch(line) if self._revision == BATCHED else None
        if members is None:
            await self._take_one(line, None)
            return
        batch = Batch()
        self._batches.append(batch)
        for member in members:
            await self._take_one(json.dumps(member), batch)
        batch.is_whole = True
        await self._close(batch)

    async def _take_one(self, line: bytes | str, batch: Batch | None) -> None:
        try:
            message = read_message(line)
        except UnreadableError as error:
            if error.reply is None:
                LOG.warning("a line that is no message, and names no request, is not answered")
            elif batch is None:
                await self._put(encode(error.reply))
            else:
                batch.answers.append(error.reply)
            return
        if isinstance(message, JSONRPCRequest):
            await self._request(message, batch)
        elif isinstance(message, JSONRPCNotification):
            await self._notify(message)
        # The server asks its client nothing, so what looks like an answer answers nothing.

    async def _request(self, message: JSONRPCRequest, batch: Batch | None) -> None:
        await self._settle_below(_UNDER_WAY)
        self._under_way[message.id] += 1
        if batch is not None:
            batch.expected.append(message.id)
        era = self._modern if is_modern(message) else self._legacy
        era.request_ids[message.id] += 1
        unanswered = partial(self._settle, message.id)
        metadata = ServerMessageMetadata(on_request_unanswered=unanswered)
        await era.take(SessionMessage(message, metadata))
        # What follows on a handshake can only be read by the revision that it settles.
        while message.method == "initialize" and era.request_ids[message.id]:
            await self._wait()

    async def _notify(self, message: JSONRPCNotification) -> None:
        era = self._legacy
        if message.method == "notifications/cancelled":
            named: object = (message.params or {}).get("requestId")
            if isinstance(named, int | str) and self._modern.request_ids[named]:
                era = self._modern
        await era.take(SessionMessage(message))

    async def _send(self, message: JSONRPCMessage) -> None:
        """Write what the server says, and note which request is answered with it."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            await self._put(encode(message))
            return
        if isinstance(message, JSONRPCResponse) and "protocolVersion" in message.result:
            self._revision = str(message.result["protocolVersion"])
        batch = next((each for each in self._batches if message.id in each.expected), None)
        if batch is None:
            await self._put(encode(message))
        else:
            batch.answers.append(message)
        await self._settle(message.id)

    async def _settle(self, request_id: RequestId) -> None:
        """Note that a request has its answer, or will get none because it was cancelled."""
        for era in (self._modern, self._legacy):
            era.request_ids -= Counter({request_id: 1})
        for batch in self._batches:
            if request_id in batch.expected:
                batch.expected.remove(request_id)
                await self._close(batch)
                break
        # Last: an input that has ended waits for what is under way, and for nothing else.
        self._under_way -= Counter({request_id: 1})
        self._settled.set()

    async def _close(self, batch: Batch) -> None:
        """Answer a batch, if nothing is expected any more."""
        if batch.is_whole and not batch.expected and batch in self._batches:
            self._batches.remove(batch)
            if batch.answers:
                await self._put(b"[" + b",".join(map(encode, batch.answers)) + b"]")

    async def _settle_below(self, count: int) -> None:
        while self._under_way.total() >= count:
            await self._wait()

    async def _wait(self) -> None:
        self._settled = anyio.Event()
        await self._settled.wait()

    async def _put(self, line: bytes) -> None:
        try:
            await self._output.put(line)
        except OSError as error:
            LOG.warning("standard output cannot be written: %s", error.strerror)
            self._scope.cancel()
