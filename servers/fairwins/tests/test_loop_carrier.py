"""The way on an event loop: its threads, connections that come too late, and its end."""

from __future__ import annotations

import asyncio
import threading
import unittest
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from support import configure

from fairwins_mcp.api import Api
from fairwins_mcp.caller import Caller
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.errors import ApiError, CancelledCallError
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import Settings
from fairwins_mcp.upstream.loop_carrier import MAX_INLINE_BYTES, LoopCarrier
from fairwins_mcp.workers import Workers
from upstream import TIMEOUT, Asked, Upstream, reply

if TYPE_CHECKING:
    from fairwins_mcp.answers import Answer
    from fairwins_mcp.shapes import Steps

Result = TypeVar("Result")


class HeldWorkers(Workers):
    """Threads that are all busy: a job waits until somebody runs it."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Callable[[], None]] = []

    def submit(self, job: Callable[[], None]) -> None:
        self.jobs.append(job)


class Sender:
    """Send a read to an API."""

    def __init__(self, url: str, timeout: str = "15000") -> None:
        self.cancellation = Cancellation()
        self._api = Api(Settings.from_environment(configure(url, FAIRWINS_TIMEOUT_MS=timeout)))

    def send(self) -> Steps[Answer]:
        request = ApiRequest("GET", "/x", None, bearer=False)
        return self._api.send(request, Caller(None, ""), self.cancellation)

    def fail(self) -> Steps[ApiError | CancelledCallError]:
        """Come to the failure."""
        try:
            yield from self.send()
        except (ApiError, CancelledCallError) as error:
            return error
        raise AssertionError("this does not fail")


def take(carrier: LoopCarrier, steps: Steps[Result]) -> asyncio.Future[Result]:
    result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
    carrier.run(steps, result.set_result)
    return result


class OnALoop(unittest.IsolatedAsyncioTestCase):
    def connect(self, script: Callable[[Asked], bytes]) -> Upstream:
        return self.enterContext(Upstream(script))

    def open_carrier(self, workers: Workers | None = None) -> LoopCarrier:
        carrier = LoopCarrier(workers or Workers())
        self.addAsyncCleanup(carrier.close)
        return carrier

    async def test_a_large_answer_holds_up_nobody_and_a_small_one_needs_no_thread(self) -> None:
        carrier = self.open_carrier()
        for size, is_large in ((MAX_INLINE_BYTES, False), (MAX_INLINE_BYTES + 1, True)):
            answer = reply(b"{" + b" " * (size - 2) + b"}")
            sender = Sender(self.connect(lambda asked, answer=answer: answer).url)

            def find_thread(sender: Sender = sender) -> Steps[int]:
                yield from sender.send()
                return threading.get_ident()

            reader = await take(carrier, find_thread())
            self.assertEqual(reader != threading.get_ident(), is_large)

    async def test_one_call_may_hold_several_exchanges_of_any_outcome(self) -> None:
        sizes = [2, MAX_INLINE_BYTES + 1, 10]
        upstream = self.connect(lambda asked: reply(b"{%s}" % (b" " * (sizes[asked.number] - 2))))
        good, bad = Sender(upstream.url), Sender("http://127.0.0.1:9")

        def several() -> Steps[list[object]]:
            found: list[object] = []
            for _ in sizes:
                answer = yield from good.send()
                found.append(len(answer.text))
            failure = yield from bad.fail()
            return [*found, type(failure)]

        self.assertEqual(await take(self.open_carrier(), several()), [*sizes, ApiError])
        self.assertEqual(upstream.accepted, 1)

    async def test_a_result_never_comes_before_its_steps_were_handed_over(self) -> None:
        def none() -> Steps[int]:
            return 1
            yield  # which makes it steps

        carrier, results = self.open_carrier(), list[int]()
        carrier.run(none(), results.append)
        self.assertEqual(results, [])
        await asyncio.sleep(0)
        self.assertEqual(results, [1])

    async def test_time_runs_out_also_before_there_is_a_connection(self) -> None:
        sender = Sender("http://127.0.0.1:9", timeout="20")
        failure = await take(self.open_carrier(HeldWorkers()), sender.fail())
        assert isinstance(failure, ApiError)
        self.assertEqual((failure.code, failure.is_sent), ("api_timeout", False))

    async def test_a_connection_that_comes_after_its_call_is_closed(self) -> None:
        upstream, workers = self.connect(lambda asked: reply()), HeldWorkers()
        sender = Sender(upstream.url)
        result = take(self.open_carrier(workers), sender.fail())
        sender.cancellation.request()
        self.assertIsInstance(await result, CancelledCallError)
        (dial,) = workers.jobs
        dial()
        is_closed = await asyncio.to_thread(upstream.wait_for, lambda: upstream.ended == 1)
        self.assertEqual((is_closed, upstream.asked), (True, []))

    async def test_the_end_hangs_up_on_what_is_under_way(self) -> None:
        late = threading.Event()

        def wait(asked: Asked) -> bytes:
            late.wait(TIMEOUT)
            return reply()

        upstream = self.connect(wait)
        carrier = LoopCarrier(Workers())
        result = take(carrier, Sender(upstream.url).fail())
        self.assertTrue(await asyncio.to_thread(upstream.wait_for, lambda: bool(upstream.asked)))
        await carrier.close()
        late.set()
        self.assertTrue(await asyncio.to_thread(upstream.wait_for, lambda: upstream.ended == 1))
        self.assertFalse(result.done())


class AfterALoop(unittest.TestCase):
    def test_a_connection_that_comes_after_its_loop_is_closed(self) -> None:
        upstream, workers = self.enterContext(Upstream(lambda asked: reply())), HeldWorkers()
        sender = Sender(upstream.url)

        async def begin() -> None:
            take(LoopCarrier(workers), sender.send())

        asyncio.run(begin())
        (dial,) = workers.jobs
        dial()
        self.assertTrue(upstream.wait_for(lambda: upstream.ended == 1))
        sender.cancellation.request()  # which nobody is there to hear


if __name__ == "__main__":
    unittest.main()
