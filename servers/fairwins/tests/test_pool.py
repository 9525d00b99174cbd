"""The pool of connections itself, with a clock that stands still until it is moved."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable

from support import configure

from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import Settings
from fairwins_mcp.upstream.blocking_link import BlockingLink
from fairwins_mcp.upstream.dialing import Dialer
from fairwins_mcp.upstream.dialogue import StaleLinkError
from fairwins_mcp.upstream.exchange import Exchange
from fairwins_mcp.upstream.pool import IDLE_SECONDS, MAX_IDLE, Pool
from upstream import TIMEOUT, Upstream, reply


class Waiting(unittest.TestCase):
    def setUp(self) -> None:
        self.time = 0.0
        self.due: list[tuple[float, Callable[[], None]]] = []
        self.upstream = self.enterContext(Upstream(lambda asked: reply()))
        base = Settings.from_environment(configure(self.upstream.url)).base
        assert base is not None
        self.base = base
        self.pool: Pool[BlockingLink] = Pool(
            lambda moment, job: self.due.append((moment, job)), self.now
        )
        self.addCleanup(self.pool.close)

    def now(self) -> float:
        return self.time

    def use(self, link: BlockingLink) -> BlockingLink:
        request = ApiRequest("GET", "/", None, bearer=False)
        link.converse(Exchange(self.base, request, {"Host": "x"}, TIMEOUT, Cancellation()))
        return link

    def dial(self) -> BlockingLink:
        link = BlockingLink(Dialer().dial(self.base, TIMEOUT), self.base)
        self.addCleanup(link.close)
        return link

    def open(self) -> BlockingLink:
        return self.use(self.dial())

    def test_a_connection_waits_for_a_limited_time(self) -> None:
        link = self.open()
        self.pool.give(link)
        self.time = IDLE_SECONDS - 1
        self.assertIs(self.pool.take(self.base), link)
        self.pool.give(self.use(link))
        self.time += IDLE_SECONDS
        self.assertIsNone(self.pool.take(self.base))
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 1))

    def test_it_is_closed_in_time_also_when_nobody_calls(self) -> None:
        first, second = self.open(), self.open()
        self.pool.give(first)
        self.time = 5.0
        self.pool.give(second)
        ((moment, job),) = self.due
        self.assertEqual(moment, IDLE_SECONDS)
        self.time = moment
        job()
        self.assertEqual(len(self.pool), 1)
        (_, (moment, job)) = self.due
        self.assertEqual(moment, 5.0 + IDLE_SECONDS)
        self.time = moment
        job()
        self.assertEqual((len(self.pool), len(self.due)), (0, 2))
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 2))

    def test_the_latest_is_taken_first_so_that_the_others_can_expire(self) -> None:
        links = [self.open() for _ in range(3)]
        for link in links:
            self.pool.give(link)
        self.assertEqual([self.pool.take(self.base) for _ in range(4)], [*reversed(links), None])

    def test_a_limited_number_waits(self) -> None:
        links = [self.open() for _ in range(MAX_IDLE + 2)]
        for link in links:
            self.pool.give(link)
        self.assertEqual(len(self.pool), MAX_IDLE)
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 2))

    def test_a_connection_serves_no_other_api(self) -> None:
        self.pool.give(self.open())
        other = Settings.from_environment(configure(self.upstream.url)).base
        assert other is not None
        self.assertIsNone(self.pool.take(other))
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 1))

    def test_an_unused_or_broken_connection_does_not_wait(self) -> None:
        self.pool.give(self.dial())
        link = self.open()
        self.upstream.drop(1)
        with self.assertRaises(StaleLinkError):
            self.use(link)
        self.pool.give(link)
        self.assertEqual(len(self.pool), 0)

    def test_after_the_end_nothing_waits_and_calls_still_work(self) -> None:
        waits, busy = self.open(), self.open()
        self.pool.give(waits)
        self.pool.close()
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 1))
        self.pool.give(self.use(busy))
        self.assertTrue(self.upstream.wait_for(lambda: self.upstream.ended == 2))
        self.pool.give(self.open())
        self.assertIsNone(self.pool.take(self.base))

    def test_threads_take_each_connection_once(self) -> None:
        for link in [self.open() for _ in range(8)]:
            self.pool.give(link)
        start, taken = threading.Barrier(16, timeout=TIMEOUT), list[BlockingLink | None]()

        def grab() -> None:
            start.wait()
            taken.append(self.pool.take(self.base))

        threads = [threading.Thread(target=grab) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
        links = [link for link in taken if link is not None]
        self.assertEqual((len(taken), len(links), len(set(map(id, links)))), (16, 8, 8))


if __name__ == "__main__":
    unittest.main()
