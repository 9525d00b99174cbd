"""The standard streams and signals of a process that serves one client."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType
from typing import Any, Final

from mcp.server import Server

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.stdio.connection import STOP_SECONDS, Connection

_CHUNK: Final = 1 << 16
_LAST_SECONDS: Final = STOP_SECONDS + 1
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class StreamError(HaiaTraceError):
    """Say that a standard stream is not open, so that there is no client."""


def serve(server: Server[Any]) -> int:
    """Serve the client on the standard streams until it goes or a signal comes.

    Meanwhile, what is printed goes to stderr, and children inherit an empty input. A signal lets
    calls end that are under way, for two seconds; a second one ends the process at once. The
    review log stands whatever moment that is.

    Returns:
        The exit status: 130 after SIGINT, otherwise 0.

    Raises:
        StreamError: whoever started this process closed a stream that is needed.
    """
    # Before there is an event loop, whose own descriptors could get a number that is free.
    source, sink = _claim(0), _claim(1)
    return asyncio.run(_serve(server, source, sink))


async def _serve(server: Server[Any], source: int, sink: int) -> int:
    connection = Connection(
        server, lambda: os.read(source, _CHUNK), lambda data: _write_all(sink, data)
    )
    with _stopped_by_signals(connection.stop) as received:
        await connection.run()
    return 130 if received == [signal.SIGINT] else 0


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _claim(number: int) -> int:
    """Take a standard stream away from everybody else in this process and its children.

    It is not given back, and the descriptor is not closed: a thread may still wait for it.
    """
    stream, name = ((sys.__stdin__, "input"), (sys.__stdout__, "output"))[number]
    if stream is None:  # its number may be that of any other file by now
        raise StreamError(f"standard {name} is closed")
    try:
        own = os.dup(number)  # not inherited by children
    except OSError as error:
        raise StreamError(f"standard {name} cannot be used: {error.strerror}") from error
    if number == 1 and sys.stderr is not None:
        os.dup2(2, number)
        return own
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)
    return own


@contextmanager
def _stopped_by_signals(stop: Callable[[], None]) -> Generator[list[int]]:
    """Stop on the first signal, and end the process on the second; give those that came."""
    received: list[int] = []
    loop = asyncio.get_running_loop()

    def take(number: int, frame: FrameType | None) -> None:
        if received:
            os._exit(128 + number)
        received.append(number)
        Thread(target=_end_later, args=(number,), daemon=True).start()
        with suppress(RuntimeError):  # the loop is closed: the end is near anyway
            loop.call_soon_threadsafe(stop)

    before = {number: signal.signal(number, take) for number in _SIGNALS}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_later(number: int) -> None:
    """End the process when a call does not, such as one that reads a very large file."""
    time.sleep(_LAST_SECONDS)
    os._exit(128 + number)
