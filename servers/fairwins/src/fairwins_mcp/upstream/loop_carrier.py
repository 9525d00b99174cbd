"""Exchanges with the Member API on an event loop, which waits for all of them at once.

To hand a call to a thread and its answer back would cost about as much as the call itself.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, TypeVarTuple

from fairwins_mcp.upstream.dialing import Dialer
from fairwins_mcp.upstream.dialogue import StaleLinkError
from fairwins_mcp.upstream.loop_link import LoopLink
from fairwins_mcp.upstream.pool import Pool

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from fairwins_mcp.answers import RawAnswer
    from fairwins_mcp.shapes import Steps
    from fairwins_mcp.upstream.exchange import Exchange
    from fairwins_mcp.upstream.loop_link import Outcome, Settle
    from fairwins_mcp.workers import Workers

Result = TypeVar("Result")
Values = TypeVarTuple("Values")

# What is less than that is read sooner than a thread would have to let the loop go on: after 5 ms.
MAX_INLINE_BYTES = 32 << 10


class LoopCarrier:
    """Carry exchanges with the API on the running event loop.

    ``workers`` are threads for what would hold up the loop: to look up a name and connect, and to
    make something of a large answer.
    """

    def __init__(self, workers: Workers) -> None:
        self.loop = asyncio.get_running_loop()
        self.workers = workers
        self.dialer = Dialer()
        self.pool: Pool[LoopLink] = Pool(self.loop.call_at, self.loop.time)
        self._links: set[LoopLink] = set()
        self._is_closed = False
        self._all_lost = asyncio.Event()

    def run(self, steps: Steps[Result], finish: Callable[[Result], object]) -> None:
        """Take steps, which must not raise, and carry each exchange between them.

        ``finish`` gets their result, in the loop, but never before this has returned.
        """
        _Journey(self, steps, finish).resume(partial(next, steps))

    def admit(self, link: LoopLink) -> None:
        """Count a new connection in."""
        self._links.add(link)
        if self._is_closed:
            link.close()

    def forget(self, link: LoopLink) -> None:
        """Count a connection out that is over."""
        self._links.discard(link)
        if not self._links:
            self._all_lost.set()

    async def close(self) -> None:
        """Close all connections, and wait until they are."""
        self._is_closed = True
        self.pool.close()
        for link in list(self._links):
            link.close()
        if self._links:
            self._all_lost.clear()
            await self._all_lost.wait()


class _Journey(Generic[Result]):
    """Steps that are being taken."""

    __slots__ = ("_carrier", "_finish", "_steps")

    def __init__(
        self, carrier: LoopCarrier, steps: Steps[Result], finish: Callable[[Result], object]
    ) -> None:
        self._carrier = carrier
        self._steps = steps
        self._finish = finish

    def resume(self, step: Callable[[], Exchange]) -> None:
        """Take one step, and begin with the next exchange or the end."""
        self._take(step)()

    def _take(self, step: Callable[[], Exchange]) -> Callable[[], object]:
        """Take one step; return what has to be done in the loop then."""
        try:
            exchange = step()
        except StopIteration as end:
            return partial(self._conclude, end.value)
        return _Passage(self._carrier, exchange, self._arrive).start

    def _conclude(self, result: Result) -> None:
        self._carrier.loop.call_soon(self._finish, result)

    def _arrive(self, outcome: Outcome) -> None:
        if isinstance(outcome, Exception):
            self.resume(partial(self._steps.throw, outcome))
        elif len(outcome.body) <= MAX_INLINE_BYTES:
            self.resume(partial(self._steps.send, outcome))
        else:
            self._carrier.workers.submit(partial(self._step_aside, outcome))

    def _step_aside(self, answer: RawAnswer) -> None:
        """Take a step in a thread."""
        call_in(self._carrier.loop, self._take(partial(self._steps.send, answer)))


class _Passage:
    """One exchange: over a kept connection where there is one, else over a new one.

    That a kept connection has ended may show only when a request is on its way, and then nobody
    knows whether it arrived. So a request that must not arrive twice gets a new one.
    """

    __slots__ = (
        "_carrier",
        "_exchange",
        "_is_over",
        "_kept",
        "_link",
        "_opening",
        "_settle",
        "_timer",
    )

    def __init__(self, carrier: LoopCarrier, exchange: Exchange, settle: Settle) -> None:
        self._carrier = carrier
        self._exchange = exchange
        self._settle = settle
        self._timer: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[None] | None = None
        self._link: LoopLink | None = None
        self._kept: LoopLink | None = None
        self._is_over = False

    def start(self) -> None:
        """Begin, with an eye on the time and on the caller."""
        carrier, exchange = self._carrier, self._exchange
        self._timer = carrier.loop.call_at(exchange.end, self._end, TimeoutError())
        exchange.cancellation.on_request(self._interrupt)
        if exchange.request.is_repeatable:
            self._kept = carrier.pool.take(exchange.base)
        if self._kept is not None:
            self._converse(self._kept)
        else:
            self._dial()

    def _interrupt(self) -> None:
        """End it, from any thread."""
        call_in(self._carrier.loop, self._end, ConnectionAbortedError())

    def _converse(self, link: LoopLink) -> None:
        self._link = link
        if self._exchange.is_over:  # nobody waits for an answer, so nothing is asked
            self._interrupt()
        else:
            link.converse(self._exchange, self._hear)

    def _hear(self, outcome: Outcome) -> None:
        """Take what came of a request; a read that finds its connection ended goes out again."""
        kept, self._kept = self._kept, None
        if kept is None or not isinstance(outcome, StaleLinkError) or self._exchange.is_over:
            self._end(outcome)
        else:
            kept.close()
            self._dial()

    def _dial(self) -> None:
        self._carrier.workers.submit(self._dial_aside)

    def _dial_aside(self) -> None:
        """Connect, in a thread."""
        try:
            sock = self._carrier.dialer.dial(self._exchange.base, self._exchange.left())
        except Exception as error:  # noqa: BLE001 - who waits for an answer has to know
            call_in(self._carrier.loop, self._end, error)
            return
        if not call_in(self._carrier.loop, self._open, sock):
            sock.close()

    def _open(self, sock: socket.socket) -> None:
        """Go on in the loop with a connected socket."""
        if self._is_over:
            sock.close()
        else:
            self._opening = self._carrier.loop.create_task(self._attach(sock))

    async def _attach(self, sock: socket.socket) -> None:
        carrier, exchange = self._carrier, self._exchange
        link = LoopLink(sock, exchange.base, carrier)
        try:
            await carrier.dialer.attach(carrier.loop, sock, exchange.base, link, exchange.left())
        except Exception as error:  # noqa: BLE001 - likewise
            sock.close()
            self._end(error)
        except asyncio.CancelledError:
            sock.close()
            raise
        else:
            self._converse(link)

    def _end(self, outcome: Outcome) -> None:
        if self._is_over:
            return
        self._is_over = True
        exchange, link = self._exchange, self._link
        exchange.cancellation.on_request(None)
        if self._timer is not None:
            self._timer.cancel()
        if self._opening is not None:
            self._opening.cancel()
        if link is not None:
            if isinstance(outcome, Exception) or exchange.is_over:
                link.close()
            else:
                self._carrier.pool.give(link)
        self._settle(outcome)


def call_in(
    loop: asyncio.AbstractEventLoop,
    act: Callable[[*Values], object],
    *values: *Values,
) -> bool:
    """Have something done in a loop, from any thread; tell whether the loop still goes on."""
    try:
        loop.call_soon_threadsafe(act, *values)
    except RuntimeError:
        return False
    return True
