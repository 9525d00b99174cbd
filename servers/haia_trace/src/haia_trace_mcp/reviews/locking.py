"""Keep a file to one process, and to one thread of it, at a time.

The lock is on the log itself: a lock file beside it, as libraries have it, would be a second file
that the server writes. It ends with its holder, however that ends.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Generator
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
def locked(descriptor: int, seconds: float) -> Generator[None]:
    """Hold the lock of an open file.

    Raises:
        LogBusyError: somebody else has held it for so many seconds.
        ReviewLogError: the file system has no locks.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            _try(descriptor)
            break
        except OSError as error:
            if error.errno not in _TAKEN:
                raise ReviewLogError(
                    f"the review log cannot be locked: {error.strerror or error}"
                ) from error
            if time.monotonic() >= deadline:
                raise LogBusyError(
                    f"the review log has been locked by another process for {seconds:g} s"
                ) from error
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _release(descriptor)
