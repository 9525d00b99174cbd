"""Threads that are shared: workers for calls, and the one that watches the clock."""

from __future__ import annotations

import threading
import time
import unittest
from functools import partial

from fairwins_mcp.upstream.deadlines import Deadlines
from fairwins_mcp.workers import Workers

FAR = 3600.0


class WorkersTest(unittest.TestCase):
    def test_no_more_jobs_than_threads_run_at_a_time_and_all_of_them_run(self) -> None:
        workers, lock = Workers(limit=3), threading.Lock()
        running: set[int] = set()
        most, done = 0, 0
        gate = threading.Barrier(3, timeout=20)

        def job() -> None:
            nonlocal most, done
            with lock:
                running.add(threading.get_ident())
                most = max(most, len(running))
            gate.wait()  # three have to be here at once
            with lock:
                running.discard(threading.get_ident())
                done += 1

        for _ in range(30):
            workers.submit(job)
        self.assertTrue(workers.wait(20))
        self.assertEqual((most, done), (3, 30))

    def test_a_thread_is_kept_for_the_next_job(self) -> None:
        workers = Workers()
        seen: list[int] = []
        for _ in range(5):
            workers.submit(lambda: seen.append(threading.get_ident()))
            self.assertTrue(workers.wait(20))
        self.assertEqual(len(set(seen)), 1)

    def test_whoever_submits_waits_for_room(self) -> None:
        workers, release = Workers(limit=1, room=2), threading.Event()
        begun, submitted, ran = threading.Event(), threading.Event(), list[int]()

        def hold() -> None:
            begun.set()
            release.wait(20)

        def submit() -> None:
            workers.submit(partial(ran.append, 3))
            submitted.set()

        workers.submit(hold)
        self.assertTrue(begun.wait(20))
        for number in (1, 2):
            workers.submit(partial(ran.append, number))
        threading.Thread(target=submit, daemon=True).start()
        self.assertFalse(submitted.wait(0.05))
        release.set()
        self.assertTrue(submitted.wait(20))
        self.assertTrue(workers.wait(20))
        self.assertEqual(ran, [1, 2, 3])

    def test_waiting_ends_when_the_time_is_over(self) -> None:
        workers, release = Workers(), threading.Event()

        def hold() -> None:
            release.wait(20)

        workers.submit(hold)
        self.assertFalse(workers.wait(0))
        release.set()
        self.assertTrue(workers.wait(20))


class DeadlinesTest(unittest.TestCase):
    def test_interrupts_come_in_the_order_of_their_moments(self) -> None:
        deadlines, struck, last = Deadlines(), list[int](), threading.Event()
        now = time.monotonic()
        for number in (3, 1, 2):
            deadlines.add(now + number / 100, partial(struck.append, number))
        deadlines.add(now + 0.04, last.set)
        self.assertTrue(last.wait(20))
        self.assertEqual(struck, [1, 2, 3])

    def test_a_cancelled_one_does_not_come(self) -> None:
        deadlines, struck, last = Deadlines(), list[str](), threading.Event()
        cancelled = deadlines.add(time.monotonic() + 0.01, lambda: struck.append("no"))
        deadlines.add(time.monotonic() + 0.02, last.set)
        cancelled.cancel()
        self.assertTrue(last.wait(20))
        self.assertEqual(struck, [])

    def test_an_earlier_one_overtakes_the_wait_for_a_later_one(self) -> None:
        deadlines, struck = Deadlines(), threading.Event()
        far = deadlines.add(time.monotonic() + FAR, lambda: None)
        deadlines.add(time.monotonic(), struck.set)
        self.assertTrue(struck.wait(20))
        far.cancel()

    def test_what_was_cancelled_is_not_kept(self) -> None:
        deadlines = Deadlines()
        for _ in range(1000):
            deadlines.add(time.monotonic() + FAR, lambda: None).cancel()
        self.assertLess(len(deadlines), 3)


if __name__ == "__main__":
    unittest.main()
