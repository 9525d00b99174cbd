"""One thread that ends exchanges whose time is up, however many there are."""

from __future__ import annotations

import heapq
import threading
import time
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Deadline:
    """A moment at which ``interrupt`` is called, unless ``cancel`` came first."""

    __slots__ = ("_interrupt",)

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt: Callable[[], None] | None = interrupt

    def cancel(self) -> None:
        """Let the moment pass."""
        self._interrupt = None

    def strike(self) -> None:
        """Do what is due."""
        interrupt = self._interrupt
        if interrupt is not None:
            interrupt()

    @property
    def is_cancelled(self) -> bool:
        """Tell whether there is nothing left to do."""
        return self._interrupt is None


class Deadlines:
    """Keep moments of the monotonic clock. The thread lives while there are any."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Deadline]] = []
        self._numbers = count()  # breaks ties, since deadlines have no order
        self._changed = threading.Condition()
        self._is_watched = False

    def __len__(self) -> int:
        """Count what is kept, cancelled or not."""
        return len(self._heap)

    def add(self, moment: float, interrupt: Callable[[], None]) -> Deadline:
        """Have ``interrupt`` called at a moment; it must neither block nor raise."""
        deadline = Deadline(interrupt)
        with self._changed:
            # Most exchanges end long before their time: what they leave behind goes away here.
            while self._heap and self._heap[0][2].is_cancelled:
                heapq.heappop(self._heap)
            entry = (moment, next(self._numbers), deadline)
            heapq.heappush(self._heap, entry)
            if not self._is_watched:
                threading.Thread(target=self._watch, daemon=True).start()
                self._is_watched = True
            elif self._heap[0] is entry:
                self._changed.notify()
        return deadline

    def _watch(self) -> None:
        while (due := self._wait()) is not None:
            due.strike()

    def _wait(self) -> Deadline | None:
        """Return the next deadline when it is due; None, without any, ends the thread."""
        with self._changed:
            while self._heap:
                moment, _, deadline = self._heap[0]
                left = moment - time.monotonic()
                if deadline.is_cancelled or left <= 0:
                    heapq.heappop(self._heap)
                    if not deadline.is_cancelled:
                        return deadline
                else:
                    self._changed.wait(left)
            self._is_watched = False
            return None
