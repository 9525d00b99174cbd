"""A key file that is followed: what is in it counts, from the moment it is there.

A file that cannot be used leaves no keys at all, and never the ones from before: whoever replaced
it may have done so to take a key away.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from haia_trace_mcp.oauth.errors import KeyFileError, KeysUnavailable
from haia_trace_mcp.oauth.keys import KeySet
from haia_trace_mcp.wording import quoted

LOG = logging.getLogger(__name__)
FILE_BYTES: Final = 256 * 1024
# A file that was changed this recently may change again without its times showing it.
_SETTLED_NS: Final = 2_000_000_000
_LONGEST_PATH: Final = 4096

_Identity = tuple[int, int, int, int, int]


class KeyFile:
    """Keys in a file.

    Args:
        path: the file; a link is followed, since deployments replace files through links.
        read: makes keys of its content, and raises ``KeyFileError`` where it cannot.
    """

    def __init__(self, path: Path, read: Callable[[bytes], KeySet]) -> None:
        self._path = path
        self._place = _place_of(path)
        self._read = read
        self._identity: _Identity | None = None
        self._content: bytes | None = None
        self._keys: KeySet | None = None
        self._fault = ""

    def current(self) -> KeySet:
        """Return the keys in the file now; it is read again only after it was changed.

        Raises:
            KeysUnavailable: the file is not there, or cannot be used.
        """
        try:
            self._follow()
        except OSError as error:
            self._lose(f"it cannot be read: {error.strerror or error}")
        except KeyFileError as error:
            self._lose(str(error))
        if self._keys is None:
            raise KeysUnavailable(f"{self._place}: {self._fault}")
        return self._keys

    def _follow(self) -> None:
        status = self._path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise KeyFileError("it is no regular file")
        if status.st_size > FILE_BYTES:
            raise KeyFileError(f"it has more than {FILE_BYTES} bytes")
        identity = _identity(status)
        if identity == self._identity:
            return
        content = _read_bounded(self._path)
        if content != self._content:
            self._content, self._keys = content, None
            self._keys = self._read(content)
            LOG.info("%s: %d keys", self._place, len(self._keys.keys))
        is_settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
        self._identity = identity if is_settled else None

    def _lose(self, fault: str) -> None:
        """Forget the keys, and tell the operator once."""
        if fault != self._fault or self._keys is not None:
            LOG.error("%s: %s; no token is taken", self._place, fault)
        self._identity = self._content = self._keys = None
        self._fault = fault


def warn_of_readers(path: Path) -> None:
    """Tell the operator when others on the machine may read a secret."""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        LOG.warning("%s: others on this machine may read this secret", _place_of(path))


def _place_of(path: Path) -> str:
    return quoted(str(path), _LONGEST_PATH)  # its end is what tells files apart


def _identity(status: os.stat_result) -> _Identity:
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return (status.st_dev, status.st_ino, status.st_size, *times)


def _read_bounded(path: Path) -> bytes:
    # A FIFO put in the place of the file must not hold the server up.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise KeyFileError("it is no regular file")
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise KeyFileError(f"it has more than {FILE_BYTES} bytes")
    return content
