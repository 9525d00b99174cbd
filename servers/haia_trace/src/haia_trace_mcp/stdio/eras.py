"""The SDK's loops, which serve one era each: with a handshake, or without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

import anyio
from anyio.abc import TaskGroup
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage


class Era:
    """A loop of the SDK that begins with the first message for it.

    Args:
        server: answers the messages.
        group: runs the loop.
        send: takes what the server says.

    Attributes:
        request_ids: how many requests of an id it has not settled.
    """

    def __init__(
        self,
        server: Server[Any],
        group: TaskGroup,
        send: Callable[[JSONRPCMessage], Awaitable[None]],
    ) -> None:
        self.request_ids: Counter[int | str] = Counter()
        self._server = server
        self._group = group
        self._send = send
        self._has_begun = False
        self._in, self._out = anyio.create_memory_object_stream[SessionMessage | Exception]()

    async def take(self, message: SessionMessage) -> None:
        """Hand a message to the loop, which is done with it when the next one is taken."""
        if not self._has_begun:
            self._has_begun = True
            self._group.start_soon(self._serve)
        await self._in.send(message)

    def end(self) -> None:
        """Let the loop end."""
        self._in.close()
        if not self._has_begun:
            self._out.close()

    async def _serve(self) -> None:
        options = self._server.create_initialization_options()
        await self._server.run(self._out, _Sink(self._send), options)


class _Sink:
    """The end of the loop where its messages come out."""

    def __init__(self, send: Callable[[JSONRPCMessage], Awaitable[None]]) -> None:
        self._send = send

    async def send(self, item: SessionMessage, /) -> None:
        await self._send(item.message)

    async def aclose(self) -> None:
        """Have nothing to close: the output outlives each loop."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()
