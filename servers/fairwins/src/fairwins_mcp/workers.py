"""Threads for calls that wait for the API, so that the loop can go on reading."""

from __future__ import annotations

import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_THREADS = 256  # a call holds two descriptors at most, and 1024 are usual for a process
MAX_WAITING = 256
IDLE_SECONDS = 5.0  # a thread is kept that long for the next call


class Workers:
    """Run jobs beside the caller, at most ``limit`` at a time and the rest in order.

    Whoever submits waits while ``room`` jobs have no thread yet. Threads are daemons: what still
    runs when the process is told to end does not hold it up.
    """

    def __init__(self, limit: int = MAX_THREADS, room: int = MAX_WAITING) -> None:
        self._limit = limit
        self._room = room
        self._jobs: deque[Callable[[], None]] = deque()
        self._threads = 0
        self._unfinished = 0
        lock = threading.Lock()
        self._job_came = threading.Condition(lock)
        self._all_done = threading.Condition(lock)
        self._job_left = threading.Condition(lock)

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job soon. It must not raise."""
        with self._job_came:
            self._job_left.wait_for(lambda: len(self._jobs) < self._room)
            self._jobs.append(job)
            self._unfinished += 1
            # Every thread has either an unfinished job, or waits for one.
            if self._unfinished <= self._threads or self._threads == self._limit:
                self._job_came.notify()
                return
            self._threads += 1
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:  # the system has no thread to spare
            self._make_do()

    def wait(self, seconds: float) -> bool:
        """Wait until all jobs are done, or that long; tell whether they are."""
        with self._all_done:
            return self._all_done.wait_for(lambda: self._unfinished == 0, seconds)

    def _make_do(self) -> None:
        """Leave the job to the threads that there are; without any, late is better than never."""
        with self._job_came:
            self._threads -= 1
            if self._threads:
                self._job_came.notify()
                return
            job = self._leave()
        self._run(job)

    def _work(self) -> None:
        while (job := self._take()) is not None:
            self._run(job)

    def _take(self) -> Callable[[], None] | None:
        """Return the next job; None, after too long without one, ends the thread."""
        with self._job_came:
            if self._job_came.wait_for(lambda: self._jobs, IDLE_SECONDS):
                return self._leave()
            self._threads -= 1
            return None

    def _leave(self) -> Callable[[], None]:
        self._job_left.notify()
        return self._jobs.popleft()

    def _run(self, job: Callable[[], None]) -> None:
        job()
        with self._all_done:
            self._unfinished -= 1
            if not self._unfinished:
                self._all_done.notify_all()
