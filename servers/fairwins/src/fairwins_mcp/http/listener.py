"""The event loop: it listens, hands bytes to connections, and ends when it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, cast

from fairwins_mcp.errors import FairwinsMcpError
from fairwins_mcp.http.connection import Connection
from fairwins_mcp.http.connections import Connections
from fairwins_mcp.http.faults import HttpFault
from fairwins_mcp.http.replies import Reply
from fairwins_mcp.protocol import locate
from fairwins_mcp.upstream.loop_carrier import LoopCarrier
from fairwins_mcp.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from fairwins_mcp.http.connections import Deliver
    from fairwins_mcp.http.endpoint import Call, Endpoint
    from fairwins_mcp.http.limits import Limits
    from fairwins_mcp.shapes import Steps

BACKLOG = 512
SWEEP_SECONDS = 0.25
SETTLE_SECONDS = 0.1  # for requests to come on connections that were just made
GRACE_SECONDS = 0.5  # for calls to end by themselves
FLUSH_SECONDS = 0.2  # for answers to leave after that


class ListenError(FairwinsMcpError):
    """Say in a few words why an address cannot be listened on."""


class Listener:
    """Serve an endpoint over TCP.

    ``on_start`` gets the address, with the real port, once requests are accepted. ``note`` takes
    one line for the operator.
    """

    _carrier: LoopCarrier

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        note: Callable[[str], None],
        on_start: Callable[[str, int], object],
    ) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._note = note
        self._on_start = on_start
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def serve(self, host: str, port: int) -> None:
        """Serve until ``stop`` is called, or a signal comes to the main thread.

        Raises:
            ListenError: the address cannot be listened on.
        """
        asyncio.run(self._serve(host, port))

    def stop(self) -> None:
        """End the service from any thread; running calls have half a second to end."""
        if self._loop is None:
            self._stopping.set()
        else:
            self._loop.call_soon_threadsafe(self._stopping.set)

    async def _serve(self, host: str, port: int) -> None:
        loop = self._loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._explain)
        # A connection waits for one call at a time, so hardly a call ever waits for a thread; and
        # the loop must not wait for room.
        self._carrier = LoopCarrier(Workers(self._limits.connections, room=sys.maxsize))
        connections = Connections(self._endpoint, self._limits, loop.time, self._run, self._note)
        # The loop calls methods by name and asks for no class.
        factory = cast("Callable[[], asyncio.Protocol]", lambda: Connection(connections))
        try:
            server = await loop.create_server(factory, host, port, backlog=BACKLOG)
        except OSError as error:
            raise ListenError(error.strerror or str(error)) from error
        except UnicodeError as error:  # of the encoding in which names are looked up
            raise ListenError("that is no host name") from error
        self._on_start(*server.sockets[0].getsockname()[:2])
        while not self._stopping.is_set():
            try:
                await asyncio.wait_for(self._stopping.wait(), SWEEP_SECONDS)
            except TimeoutError:
                connections.sweep()
        # A proxy that has just made a connection would otherwise lose the request on its way. One
        # turn of the loop finds who waits to be accepted, and the next one accepts them.
        for _ in range(2):
            await asyncio.sleep(0)
        server.close()
        await asyncio.sleep(SETTLE_SECONDS)
        await self._wind_down(connections)
        await self._carrier.close()

    async def _wind_down(self, connections: Connections) -> None:
        empty = asyncio.Event()
        connections.on_empty = empty.set
        for end, seconds in ((connections.stop, GRACE_SECONDS), (connections.cut, FLUSH_SECONDS)):
            end()
            if not len(connections):
                return
            try:
                await asyncio.wait_for(empty.wait(), seconds)
            except TimeoutError:
                continue
        connections.abort()

    def _run(self, call: Call, deliver: Deliver) -> None:
        """Take the steps of a call."""
        self._carrier.run(self._guard(call), partial(deliver, call))

    def _guard(self, call: Call) -> Steps[Reply | None]:
        """Answer in place of steps that fail."""
        try:
            return (yield from call.steps())
        except Exception as error:  # noqa: BLE001 - the client still waits for an answer
            self._note(f"internal error: {type(error).__name__} at {locate(error)}")
            return Reply.of(HttpFault(500, "internal_error", "this server has a fault"))

    def _explain(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """Note what went wrong in the loop, without what the log of the library would quote."""
        error = context.get("exception")
        kind = f" ({type(error).__name__})" if isinstance(error, BaseException) else ""
        self._note(f"event loop: {str(context.get('message', 'error')).partition(':')[0]}{kind}")


def end_on_signals(listener: Listener) -> None:
    """Let SIGINT and SIGTERM stop a listener; a second one ends the process at once."""
    has_come = False

    def end(number: int, frame: object) -> None:
        nonlocal has_come
        if has_come:
            os._exit(128 + number)
        has_come = True
        listener.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
