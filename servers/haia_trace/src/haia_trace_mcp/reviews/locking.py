"""Keep a file to one process, and to one thread of it, at a time.

The lock is on the log itself: a lock file beside it, as libraries have it, would be a second file
that the server writes. It ends with its holder, however that ends.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from haia_trace_mcp.reviews.errors import LogBusyError, ReviewLogError

_PAUSE: Final = 0.0005
_TAKEN: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EWOULDBLOCK})

if sys.platform == "win32":
    import msvcrt

    # Windows keeps others from reading what is locked, so the byte is one that no log reaches.
    _BYTE: Final = 1 << 62

    def _try(descriptor: int) -> None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _release(descriptor: int) -> None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int) -> None:
        # Not lockf: a process loses that one when it closes any descriptor of the file.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def locked(
    descriptor: int, seconds: float, pause: Callable[[], object] = lambda: time.sleep(_PAUSE)
) -> Generator[None]:
    """Hold the lock of an open file.

    Nobody queues for it, so that one of many may miss it for long. As long as the file grows, it
    is in use and not stuck, and is waited for.

    Args:
        descriptor: the open file.
        seconds: how long to wait while nothing is written.
        pause: waits a little between two attempts.

    Raises:
        LogBusyError: somebody else has held it for that long.
        ReviewLogError: the file system has no locks.
    """
    deadline, size = time.monotonic() + seconds, os.fstat(descriptor).st_size
    while not _try_once(descriptor):
        pause()
        if time.monotonic() < deadline:
            continue
        before, size = size, os.fstat(descriptor).st_size
        if size == before:
            raise LogBusyError(
                f"the review log has been locked by another process for {seconds:g} s"
            )
        deadline = time.monotonic() + seconds
    try:
        yield
    finally:
        _release(descriptor)


def _try_once(descriptor: int) -> bool:
    try:
        _try(descriptor)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise ReviewLogError(
            f"the review log cannot be locked: {error.strerror or error}"
        ) from error
    return True
