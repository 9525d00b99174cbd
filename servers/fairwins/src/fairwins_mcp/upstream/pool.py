"""Connections to the Member API that wait for another exchange."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Generic, Protocol, TypeVar  # soon loaded beside what comes with http.client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fairwins_mcp.settings import BaseUrl

MAX_IDLE = 16  # connections; when more calls run at once, the others are closed again
IDLE_SECONDS = 15.0


class Link(Protocol):
    """One connection, for one exchange at a time."""

    @property
    def base(self) -> BaseUrl:
        """Return where it leads to."""
        ...

    @property
    def is_reusable(self) -> bool:
        """Tell after an exchange whether another one may follow."""
        ...

    def is_quiet(self) -> bool:
        """Tell whether the other end has neither closed nor said what nobody asked for.

        Whatever is there already would be taken for the answer to the next request.
        """
        ...

    def close(self) -> None:
        """Hang up."""
        ...


AnyLink = TypeVar("AnyLink", bound=Link)


class Pool(Generic[AnyLink]):
    """Keep connections, for all threads of a process.

    A connection is either here or with the one call that took it. ``later`` has a job done at a
    moment of the clock ``now``.
    """

    def __init__(
        self,
        later: Callable[[float, Callable[[], None]], object],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._later = later
        self._now = now
        self._idle: deque[tuple[float, AnyLink]] = deque()  # the moments of expiry ascend
        self._is_watched = False
        self._is_closed = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Count the connections that wait."""
        return len(self._idle)

    def take(self, base: BaseUrl) -> AnyLink | None:
        """Return the connection that waits since the shortest time; None when none is usable.

        A process has one API. A connection to another one is of no use any more.
        """
        while (link := self._pop()) is not None:
            if link.base is base and link.is_quiet():
                return link
            link.close()
        return None

    def give(self, link: AnyLink) -> None:
        """Keep a connection for the next exchange, or close it when that cannot be."""
        with self._lock:
            is_kept = link.is_reusable and not self._is_closed and len(self._idle) < MAX_IDLE
            if is_kept:
                self._idle.append((self._now() + IDLE_SECONDS, link))
                self._watch()
        if not is_kept:
            link.close()

    def close(self) -> None:
        """Close what waits, and keep nothing from now on."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop()[1].close()

    def _pop(self) -> AnyLink | None:
        with self._lock:
            self._drop()
            return self._idle.pop()[1] if self._idle else None

    def _drop(self) -> None:
        """Close what has waited too long."""
        now = self._now()
        while self._idle and self._idle[0][0] <= now:
            self._idle.popleft()[1].close()

    def _watch(self) -> None:
        """Have the first that expires closed when it does, also without another call."""
        if not self._is_watched and self._idle:
            self._is_watched = True
            self._later(self._idle[0][0], self._sweep)

    def _sweep(self) -> None:
        with self._lock:
            self._is_watched = False
            self._drop()
            self._watch()
