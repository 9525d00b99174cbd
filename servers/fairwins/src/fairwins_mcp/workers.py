"""Threads for calls that wait for the API, so that the loop can go on reading."""

from __future__ import annotations

import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_THREADS = 16


class Workers:
    """Run jobs beside the caller, at most ``limit`` at a time and the rest in order.

    Threads are daemons: what still runs when the process is told to end does not hold it up.
    """

    def __init__(self, limit: int = MAX_THREADS) -> None:
        self._limit = limit
        self._jobs: deque[Callable[[], None]] = deque()
        self._running = 0
        self._idle = threading.Condition()

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job soon. It must not raise."""
        with self._idle:
            self._jobs.append(job)
            if self._running == self._limit:
                return
            self._running += 1
        try:
            threading.Thread(target=self._work, daemon=True).start()
        except RuntimeError:  # the system has no thread to spare
            self._make_do()

    def wait(self, seconds: float) -> bool:
        """Wait until all jobs are done, or that long; tell whether they are."""
        with self._idle:
            return self._idle.wait_for(lambda: self._running == 0, seconds)

    def _make_do(self) -> None:
        """Leave the job to the threads that there are; without any, late is better than never."""
        with self._idle:
            if self._running > 1:
                self._running -= 1
                return
        self._work()

    def _work(self) -> None:
        while True:
            with self._idle:
                if not self._jobs:
                    self._running -= 1
                    self._idle.notify_all()
                    return
                job = self._jobs.popleft()
            job()
