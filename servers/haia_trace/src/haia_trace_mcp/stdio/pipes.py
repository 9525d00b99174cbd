"""Blocking reads and writes in threads of their own, which nothing has to wait for at the end.

Nothing can wake a read of a pipe, or a write that nobody reads; so these threads are daemons.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Semaphore, Thread
from typing import Final

LOG = logging.getLogger(__name__)
LINE_LIMIT: Final = 4 << 20
"""Bytes of the longest line that is read; the SDK has the same limit over HTTP."""

_READ_AHEAD: Final = 64


class Lines:
    """Lines that a thread reads ahead, some at a time.

    Args:
        read: waits for some bytes and returns them; none at the end.
    """

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._room = Semaphore(_READ_AHEAD)
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._fill, name="stdin", daemon=True).start()

    async def get(self) -> bytes | None:
        """Return the next line, None at the end. One that is too long is left out, and logged."""
        line = await self._queue.get()
        self._room.release()
        return line

    def end(self) -> None:
        """Let whoever waits for a line have the end instead."""
        self._queue.put_nowait(None)

    def _fill(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            rest, is_too_long = b"", False
            while data := self._next():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._put(b"" if is_too_long else line)
                    is_too_long = False
                if len(rest) > LINE_LIMIT:
                    rest, is_too_long = b"", self._complain(is_too_long)
            self._put(b"" if is_too_long else rest)
            self._put(None)

    def _next(self) -> bytes:
        try:
            return self._read()
        except OSError as error:
            LOG.warning("standard input cannot be read: %s", error.strerror)
            return b""

    def _put(self, line: bytes | None) -> None:
        if line is not None and len(line) > LINE_LIMIT:
            self._complain(False)
            return
        self._room.acquire()
        self._loop.call_soon_threadsafe(self._queue.put_nowait, line)

    def _complain(self, was_told: bool) -> bool:
        if not was_told:
            LOG.warning("a line of more than %d bytes is not read", LINE_LIMIT)
        return True


class Output:
    """Lines that a thread writes, in their order.

    Args:
        write: writes some bytes, all of them.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._waiting: deque[tuple[bytes, asyncio.Future[None]]] = deque()
        self._changed = Condition()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._drain, name="stdout", daemon=True).start()

    async def put(self, line: bytes) -> None:
        """Write a line.

        Raises:
            OSError: nobody reads any more.
        """
        done: asyncio.Future[None] = self._loop.create_future()
        with self._changed:
            self._waiting.append((line + b"\n", done))
            self._changed.notify()
        await done

    def _drain(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
                data, done = self._waiting.popleft()
            failure: OSError | None = None
            try:
                self._write(data)
            except OSError as error:
                failure = error
            try:
                self._loop.call_soon_threadsafe(_settle, done, failure)
            except RuntimeError:  # the loop is closed: the server has ended
                return


def _settle(done: asyncio.Future[None], failure: OSError | None) -> None:
    if done.done():  # cancelled meanwhile
        return
    if failure is None:
        done.set_result(None)
    else:
        done.set_exception(failure)
