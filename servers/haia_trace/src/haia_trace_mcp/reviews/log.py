"""The log file ``guard/decisions.ndjson``: followed, appended to, and nothing else."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from threading import RLock
from typing import Final, TypeAlias

from haia_trace_mcp.errors import AbsentError, RootError, TornReadError
from haia_trace_mcp.reviews.errors import BrokenLogError, ReviewLogError
from haia_trace_mcp.reviews.fold import LINE_LIMIT, TORN, Fold
from haia_trace_mcp.reviews.locking import locked
from haia_trace_mcp.reviews.records import Record, RecordError, decode, encode
from haia_trace_mcp.root import Entry, Folder, OpenFile, TraceRoot

FOLDER: Final = "guard"
NAME: Final = "decisions.ndjson"
PLACE: Final = f"{FOLDER}/{NAME}"
SIZE_LIMIT: Final = 256 << 20
_SAMPLE: Final = 4096
_TRIES: Final = 10

Write: TypeAlias = Callable[[int, bytes], int]


class Followed:
    """What is known of the log up to some byte, which ends a line."""

    def __init__(self) -> None:
        self.fold = Fold()
        self.entry: Entry | None = None
        self.consumed = 0
        self.sample = b""
        """The last bytes that were consumed."""
        self.tail = b""
        """What follows them and has no line feed: torn, or just being written."""

    def take(self, data: bytes) -> None:
        """Take in what follows on what was consumed.

        Raises:
            BrokenLogError: a line does not belong there.
        """
        *lines, self.tail = data.split(b"\n")
        for line in lines:
            self.fold.take(line)
        if len(self.tail) > LINE_LIMIT:
            raise BrokenLogError(self.fold.lines + 1, f"is longer than {LINE_LIMIT} bytes")
        taken = data[: len(data) - len(self.tail)]
        self.consumed += len(taken)
        self.sample = (self.sample + taken[-_SAMPLE:])[-_SAMPLE:]


class ReviewLog:
    """Follows the log of one Trace root. All methods may be called from any thread."""

    def __init__(self, root: TraceRoot, *, patience: float = 5.0, write: Write = os.write) -> None:
        """Begin with nothing read; ``patience`` is how many seconds to wait for the lock."""
        self._root = root
        self._patience = patience
        self._write = write
        self._thread_lock = RLock()
        self._known = Followed()

    @contextmanager
    def reading(self) -> Generator[Fold]:
        """Give what the log holds now; it does not change inside. An absent log holds nothing.

        Raises:
            BrokenLogError: a line is not what was written there.
            ReviewLogError: it cannot be read.
        """
        with self._thread_lock:
            try:
                with self._root.folder(FOLDER) as folder:
                    known = self._follow(folder)
            except AbsentError:
                known = self._known = Followed()
            except RootError as error:
                raise ReviewLogError(f"the review log cannot be read: {error}") from error
            yield known.fold

    @contextmanager
    def writing(self) -> Generator[Appender]:
        """Keep the log to oneself, and give what it holds and a way to append to it.

        Raises:
            BrokenLogError: a line is not what was written there; nothing is written behind it.
            LogBusyError: another process has kept it locked for too long.
            ReviewLogError: it cannot be read or written.
        """
        with self._thread_lock, ExitStack() as stack:
            try:
                folder = stack.enter_context(self._root.folder(FOLDER, create=True))
                own = stack.enter_context(self._own(folder))
                known = self._follow(folder)
            except RootError as error:
                raise ReviewLogError(f"the review log cannot be used: {error}") from error
            yield Appender(known, folder, own, self._write)

    def content(self) -> bytes:
        """Return all bytes of the log; an absent one has none.

        Raises:
            ReviewLogError: it cannot be read.
        """
        try:
            with self._root.folder(FOLDER) as folder:
                return folder.read(NAME, SIZE_LIMIT)
        except AbsentError:
            return b""
        except RootError as error:
            raise ReviewLogError(f"the review log cannot be read: {error}") from error

    @contextmanager
    def _own(self, folder: Folder) -> Generator[int]:
        """Open and lock the file that has the log's name once it is locked."""
        for _ in range(_TRIES):
            descriptor = folder.open_for_appending(NAME)
            try:
                with locked(descriptor, self._patience):
                    status = os.fstat(descriptor)
                    try:
                        entry = folder.entry(NAME)
                    except AbsentError:
                        continue
                    if (entry.device, entry.inode) == (status.st_dev, status.st_ino):
                        yield descriptor
                        return
            finally:
                os.close(descriptor)
        raise ReviewLogError("the review log is replaced each time it is opened")

    def _follow(self, folder: Folder) -> Followed:
        for _ in range(_TRIES):
            try:
                with folder.open(NAME) as file:
                    return self._follow_file(file)
            except TornReadError:
                self._known = Followed()
            except AbsentError:
                self._known = Followed()
                return self._known
        raise ReviewLogError("the review log became shorter each time it was read")

    def _follow_file(self, file: OpenFile) -> Followed:
        entry = file.entry(NAME)
        if entry == self._known.entry:
            return self._known
        if entry.size > SIZE_LIMIT:
            raise ReviewLogError(
                f"the review log has {entry.size} bytes, more than the limit of {SIZE_LIMIT}"
            )
        known = self._known if _is_continued(file, entry, self._known) else Followed()
        self._known = Followed()  # holds if what follows fails
        known.take(file.read(known.consumed, entry.size - known.consumed))
        known.entry = entry
        self._known = known
        return known


class Appender:
    """Appends to the log while it is locked. ``fold`` is what it holds, and follows."""

    def __init__(self, known: Followed, folder: Folder, descriptor: int, write: Write) -> None:
        self._known = known
        self._folder = folder
        self._descriptor = descriptor
        self._write = write

    @property
    def fold(self) -> Fold:
        """Return what the log holds."""
        return self._known.fold

    def append(self, record: Record) -> None:
        """Append one line in one write; it is on the disk before this returns.

        What a crash left without a line feed is closed first, and stays where it is.

        Raises:
            ReviewLogError: it could not be written whole, or not be flushed.
        """
        self._check(encode(record, self.fold.previous()))
        try:
            if self._known.tail:
                self._put(TORN)
            self._put(encode(record, self.fold.previous()))
            os.fsync(self._descriptor)
            self._folder.flush()
            self._known.entry = self._folder.entry(NAME)
        except (OSError, RootError) as error:
            self._known.entry = None  # so that it is read again
            raise ReviewLogError(f"the review log cannot be written: {error}") from error

    def _check(self, line: bytes) -> None:
        """Refuse a line that could not be read again: all that comes after it would be lost."""
        if len(line) > LINE_LIMIT:
            raise ReviewLogError(f"the line would be longer than {LINE_LIMIT} bytes")
        try:
            decode(line)
        except RecordError as error:
            raise ReviewLogError(f"what is to be written {error}") from error

    def _put(self, line: bytes) -> None:
        data = line + b"\n"
        count = self._write(self._descriptor, data)
        if count != len(data):
            raise OSError(
                errno.ENOSPC, f"only {count} of {len(data)} bytes of a line went in, which is torn"
            )
        self._known.take(self._known.tail + data)


def _is_continued(file: OpenFile, entry: Entry, known: Followed) -> bool:
    """Tell whether a file only grew. One of the same size and another time is read again."""
    before = known.entry
    if before is None or (before.device, before.inode) != (entry.device, entry.inode):
        return False
    if entry.size <= before.size:
        return False
    start = known.consumed - len(known.sample)
    return file.read(start, len(known.sample)) == known.sample
