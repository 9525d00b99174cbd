"""Both ways to the API behind one face: from a thread that waits, and on an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
from fairwins_mcp.upstream.loop_carrier import LoopCarrier
from fairwins_mcp.workers import Workers

if TYPE_CHECKING:
    from fairwins_mcp.shapes import Steps

Result = TypeVar("Result")
TIMEOUT = 30  # seconds; what hangs fails its test, not the run


class LoopThread:
    """An event loop in a thread of its own, with a carrier on it.

    ``errors`` are those that reached the loop, where none should.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _, context: self.errors.append(str(context)))
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.carrier = self._wait_for(self._make())

    def run(self, steps: Steps[Result]) -> Result:
        """Take steps to their end, and wait for that."""
        outcome: Future[Callable[[], Result]] = Future()

        def capture() -> Steps[Callable[[], Result]]:
            try:
                result = yield from steps
            except Exception as error:  # noqa: BLE001 - it is raised where somebody waits
                return _raiser(error)
            return lambda: result

        self._loop.call_soon_threadsafe(self.carrier.run, capture(), outcome.set_result)
        return outcome.result(TIMEOUT)()

    def close(self) -> None:
        """Close all connections and end the loop."""
        self._wait_for(self.carrier.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT)
        assert not self._thread.is_alive()
        self._loop.close()
        assert not self.errors, self.errors

    async def _make(self) -> LoopCarrier:
        return LoopCarrier(Workers(room=1 << 30))

    def _wait_for(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT)


def _raiser(error: Exception) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


WAYS: dict[str, Callable[[], BlockingCarrier | LoopThread]] = {
    "threads": BlockingCarrier,
    "loop": LoopThread,
}
