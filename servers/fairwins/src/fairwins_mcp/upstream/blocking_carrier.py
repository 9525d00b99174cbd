"""Exchanges with the Member API by threads, each of which waits for its own."""

from __future__ import annotations

from contextlib import contextmanager

from fairwins_mcp.upstream.blocking_link import BlockingLink
from fairwins_mcp.upstream.deadlines import Deadlines
from fairwins_mcp.upstream.dialing import Dialer
from fairwins_mcp.upstream.dialogue import StaleLinkError
from fairwins_mcp.upstream.pool import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypeVar

    from fairwins_mcp.answers import RawAnswer
    from fairwins_mcp.shapes import Steps
    from fairwins_mcp.upstream.exchange import Exchange

    Result = TypeVar("Result")


class BlockingCarrier:
    """Carry exchanges with the API from any thread, which waits for them."""

    def __init__(self) -> None:
        self._deadlines = Deadlines()
        self._dialer = Dialer()
        self._pool: Pool[BlockingLink] = Pool(self._deadlines.add)

    def run(self, steps: Steps[Result]) -> Result:
        """Take steps to their end, carry each exchange between them, and return their result."""
        try:
            exchange = next(steps)
            while True:
                try:
                    raw = self._carry(exchange)
                except Exception as error:  # noqa: BLE001 - the steps know what to make of it
                    exchange = steps.throw(error)
                else:
                    exchange = steps.send(raw)
        except StopIteration as end:
            result: Result = end.value
            return result

    def close(self) -> None:
        """Close the connections that no exchange uses, and keep none from now on."""
        self._pool.close()

    def _carry(self, exchange: Exchange) -> RawAnswer:
        """Converse over a kept connection where there is one, else over a new one.

        That a kept connection has ended may show only when a request is on its way, and then
        nobody knows whether it arrived. So a request that must not arrive twice gets a new one.
        """
        kept = self._pool.take(exchange.base) if exchange.request.is_repeatable else None
        if kept is not None:
            try:
                return self._converse(kept, exchange)
            except StaleLinkError:
                if exchange.is_over:
                    raise
        return self._converse(self._open(exchange), exchange, is_new=True)

    def _open(self, exchange: Exchange) -> BlockingLink:
        sock = self._dialer.dial(exchange.base, exchange.left())
        try:
            return BlockingLink(sock, exchange.base, self._dialer.find_context(exchange.base))
        except BaseException:
            sock.close()
            raise

    def _converse(self, link: BlockingLink, exchange: Exchange, is_new: bool = False) -> RawAnswer:
        is_sound = False
        try:
            with self._interruptible(link, exchange):
                if is_new:
                    link.shake_hands(exchange.left())
                raw = link.converse(exchange)
            # Interrupts are taken back by now, and one that came shows here: the connection is of
            # no more use, and an interrupted body can look like a complete one.
            exchange.left()
            is_sound = not exchange.is_over
            return raw
        finally:
            if is_sound:
                self._pool.give(link)
            else:
                link.close()

    @contextmanager
    def _interruptible(self, link: BlockingLink, exchange: Exchange) -> Generator[None]:
        """End what waits on a connection when time is up or the caller gives up.

        A socket's own timeout starts anew with every byte, so it bounds no whole exchange.
        """
        deadline = self._deadlines.add(exchange.end, link.interrupt)
        exchange.cancellation.on_request(link.interrupt)
        try:
            yield
        finally:
            exchange.cancellation.on_request(None)
            deadline.cancel()
