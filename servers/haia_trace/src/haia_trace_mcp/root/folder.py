"""An open folder whose files are found in its listing, and opened by their name in it alone.

On POSIX everything is relative to the folder's descriptor, so that no path is walked again and a
link put into it between two calls has nothing to redirect. On Windows there are no such
descriptors: links and reparse points are refused by a look before opening and a comparison of
identity afterwards, which leaves a moment between the two.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from haia_trace_mcp.errors import AbsentError, PresentError, RootError, TornReadError

HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")

# O_NONBLOCK: a FIFO put in the place of a file must not hold up whoever opens it.
_FILE_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)

_KINDS: Final = (
    (stat.S_ISLNK, "is a symbolic link, which is never followed"),
    (stat.S_ISDIR, "is a folder, not a file"),
    (stat.S_ISFIFO, "is a named pipe, not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
)


class Entry(NamedTuple):
    """What is known of a file without opening it; equal ones say that nothing was done to it.

    ``modified`` can be set by whoever owns the file, and ``changed`` cannot (on Windows, it is the
    time when the file was made). Both count nanoseconds.
    """

    name: str
    size: int
    modified: int
    changed: int
    device: int
    inode: int
    links: int


class OpenFile:
    """A regular file, open for reading."""

    def __init__(self, descriptor: int, place: str) -> None:
        self._descriptor = descriptor
        self.place = place

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def entry(self, name: str) -> Entry:
        """Return what is known of the file now."""
        return _entry(name, os.fstat(self._descriptor))

    def read(self, offset: int, count: int) -> bytes:
        """Return exactly ``count`` bytes from ``offset``.

        Raises:
            TornReadError: the file is shorter by now.
            RootError: the system cannot read it.
        """
        parts: list[bytes] = []
        while count:
            try:
                part = self._read_at(offset, count)
            except OSError as error:
                raise RootError(self.place, _reason(error)) from error
            if not part:
                raise TornReadError(self.place, "became shorter while it was being read")
            parts.append(part)
            offset += len(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_at(self, offset: int, count: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, count, offset)
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        return os.read(self._descriptor, count)


class Folder:
    """An open folder below a root. ``place`` is what messages call it."""

    def __init__(self, path: Path, descriptor: int | None, place: str) -> None:
        self._path = path
        self._descriptor = descriptor
        self.place = place

    def names(self) -> list[str]:
        """Return the names of everything in the folder, in no order."""
        try:
            return list(self._list())
        except OSError as error:
            raise RootError(self.place, _reason(error)) from error

    def _list(self) -> Iterator[str]:
        where = self._path if self._descriptor is None else self._descriptor
        with os.scandir(where) as entries:
            for entry in entries:
                yield entry.name

    def entry(self, name: str) -> Entry:
        """Look at a file without opening it.

        Raises:
            AbsentError: there is no such name.
            RootError: it is no regular file.
        """
        return self._checked(name, self._status(name))

    @contextmanager
    def open(self, name: str) -> Generator[OpenFile]:
        """Open a regular file of the folder by a name from its listing.

        Raises:
            AbsentError: there is no such name.
            RootError: it is no regular file, or not readable.
        """
        before = self.entry(name)
        descriptor = self._descriptor_of(name)
        with OpenFile(descriptor, f"{self.place}/{name}") as file:
            after = self._checked(name, os.fstat(descriptor))
            if not HAS_DESCRIPTORS and (before.device, before.inode) != (
                after.device,
                after.inode,
            ):
                raise RootError(file.place, "was replaced while it was being opened")
            yield file

    def read(self, name: str, limit: int) -> bytes:
        """Return a whole file of at most ``limit`` bytes.

        Raises:
            AbsentError: there is no such name.
            RootError: it is no regular file, not readable, or larger.
        """
        with self.open(name) as file:
            size = file.entry(name).size
            if size > limit:
                raise RootError(file.place, f"has {size} bytes, more than the limit of {limit}")
            return file.read(0, size)

    def replace(self, name: str, data: bytes) -> None:
        """Write a file in one step: whoever opens it finds the old one or the new one, whole.

        Raises:
            RootError: it cannot be written.
        """
        place = f"{self.place}/{name}"
        if not is_plain_name(name):
            raise RootError(place, "is not the name of a file in one folder")
        draft = f".{name}.{secrets.token_hex(8)}"
        try:
            descriptor = self._open(draft, _FILE_FLAGS | os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                self._rename(draft, name)
            except OSError:
                self._remove(draft)
                raise
        except OSError as error:
            raise RootError(place, f"cannot be written: {error.strerror or error}") from error

    def open_for_appending(self, name: str) -> int:
        """Return a descriptor of a file for reading and appending, made if it is not there.

        Whoever asks closes it. Only its owner may read a file that was made here.

        Raises:
            RootError: it is no regular file, or may not be written.
        """
        place = f"{self.place}/{name}"
        try:
            self.entry(name)
        except AbsentError:
            if not is_plain_name(name):
                raise
        try:
            descriptor = self._open(name, _FILE_FLAGS | os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise RootError(place, _reason(error)) from error
        try:
            self._checked(name, os.fstat(descriptor))
        except RootError:
            os.close(descriptor)
            raise
        return descriptor

    def create_for_appending(self, name: str) -> int:
        """Return a descriptor of a new file for appending. Only its owner may read it.

        Whoever asks closes it.

        Raises:
            PresentError: there is something of this name.
            RootError: it may not be made.
        """
        place = f"{self.place}/{name}"
        if not is_plain_name(name):
            raise RootError(place, "is not the name of a file in one folder")
        flags = _FILE_FLAGS | os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
        try:
            return self._open(name, flags)
        except FileExistsError as error:
            raise PresentError(place, "is there already") from error
        except OSError as error:
            raise RootError(place, f"cannot be made: {error.strerror or error}") from error

    def flush(self) -> None:
        """Have the names of the folder on the disk; what is in its files is up to their writers.

        Raises:
            OSError: the system cannot do it. On Windows there is no such thing, and no failure.
        """
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _remove(self, name: str) -> None:
        with suppress(OSError):  # what went wrong before is what has to be told
            if self._descriptor is None:
                (self._path / name).unlink()
            else:
                os.unlink(name, dir_fd=self._descriptor)

    def _rename(self, draft: str, name: str) -> None:
        if self._descriptor is None:
            (self._path / draft).replace(self._path / name)
            return
        os.rename(draft, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        os.fsync(self._descriptor)

    def _open(self, name: str, flags: int) -> int:
        if self._descriptor is None:
            return os.open(self._path / name, flags, 0o600)
        return os.open(name, flags, 0o600, dir_fd=self._descriptor)

    def _descriptor_of(self, name: str) -> int:
        place = f"{self.place}/{name}"
        try:
            return self._open(name, _FILE_FLAGS)
        except FileNotFoundError as error:
            raise AbsentError(place, "is not there") from error
        except OSError as error:
            raise RootError(place, _reason(error)) from error

    def _status(self, name: str) -> os.stat_result:
        place = f"{self.place}/{name}"
        if not is_plain_name(name):
            raise AbsentError(place, "is not the name of a file in one folder")
        try:
            if self._descriptor is None:
                return (self._path / name).stat(follow_symlinks=False)
            return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError as error:
            raise AbsentError(place, "is not there") from error
        except OSError as error:
            raise RootError(place, _reason(error)) from error

    def _checked(self, name: str, status: os.stat_result) -> Entry:
        if stat.S_ISREG(status.st_mode) and not _is_reparse_point(status):
            return _entry(name, status)
        reasons = (reason for is_kind, reason in _KINDS if is_kind(status.st_mode))
        raise RootError(f"{self.place}/{name}", next(reasons, "is not a regular file"))


def is_plain_name(name: str) -> bool:
    """Tell whether text can name an entry of one folder and nothing outside of it."""
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        return False
    return os.sep == "/" or ("\\" not in name and ":" not in name)


def _entry(name: str, status: os.stat_result) -> Entry:
    return Entry(
        name,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_dev,
        status.st_ino,
        status.st_nlink,
    )


def _is_reparse_point(status: os.stat_result) -> bool:
    """Tell whether Windows would send whoever opens this elsewhere."""
    if HAS_DESCRIPTORS:
        return False
    attributes: int = getattr(status, "st_file_attributes", 0)
    return bool(attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return "is a symbolic link, which is never followed"
    return f"cannot be read: {error.strerror or error}"
