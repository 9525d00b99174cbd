"""Follow one run file: read what is new, and notice when it is not what was read before.

What counts as the same file: device and inode are the same, it is no shorter than what was
consumed, and the bytes before that point are still there. When the file grew, only the first and
last few thousand of them are compared, so that a new event does not cost a reading of all history;
when only the time of its last change differs, all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from haia_trace_mcp.errors import AbsentError, RootError, RunError, RunFault, TornReadError
from haia_trace_mcp.index.run_data import RunData
from haia_trace_mcp.index.store import IndexStore
from haia_trace_mcp.root import Entry, Folder, OpenFile
from haia_trace_mcp.runs import RunFile

CHUNK: Final = 4 << 20
SAMPLE: Final = 4096
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """How large things may be, in bytes, before they are refused."""

    run_file: int = 4 << 30
    line: int = 64 << 20


def follow(
    folder: Folder,
    file: RunFile,
    known: RunData | None,
    limits: Limits,
    store: IndexStore | None,
) -> RunData:
    """Return the data of a run file as it is now: the same object, grown, or another one.

    What keeps a run from being used is its ``problem``.

    Raises:
        AbsentError: the file is gone.
    """
    try:
        file.name.encode()
    except UnicodeEncodeError:
        return unusable(file, "unreadable", "the name of the file is no UTF-8")
    try:
        for _ in range(_TRIES):
            try:
                return _follow(folder, file, known, limits, store)
            except TornReadError:
                known = None
    except AbsentError:
        raise
    except RootError as error:
        return unusable(file, "unreadable", error.reason)
    return unusable(file, "unreadable", "became shorter each time it was read")


def _follow(
    folder: Folder,
    file: RunFile,
    known: RunData | None,
    limits: Limits,
    store: IndexStore | None,
) -> RunData:
    with folder.open(file.name) as source:
        entry = source.entry(file.name)
        if entry.size > limits.run_file:
            reason = f"the file has {entry.size} bytes, more than the limit of {limits.run_file}"
            return unusable(file, "too_large", reason, entry)
        if known is None or not _is_continued(source, entry, known):
            known = _restored(source, entry, file, store) or RunData(file.name, file.run_id)
        known.problem = None
        try:
            for lines in _whole_lines(source, entry.size, known, limits):
                known.take(lines)
        except RunError as error:
            known.problem = error
        known.sample = sample_of(source, known.consumed)
        known.entry = entry
        return known


def _restored(
    source: OpenFile, entry: Entry, file: RunFile, store: IndexStore | None
) -> RunData | None:
    """Return what the store has of the run, if the file begins with just that."""

    def hash_start(consumed: int, sample: bytes) -> blake2b | None:
        if consumed > entry.size or sample_of(source, consumed) != sample:
            return None
        return digest_of(source, consumed)

    return None if store is None else store.restore(file.name, file.run_id, hash_start)


def _is_continued(source: OpenFile, entry: Entry, known: RunData) -> bool:
    before = known.entry
    if before is None or (before.device, before.inode) != (entry.device, entry.inode):
        return False
    if entry.size < known.consumed:
        return False
    if entry.size != before.size:
        return known.sample == sample_of(source, known.consumed)
    return known.digest.digest() == digest_of(source, known.consumed).digest()


def sample_of(source: OpenFile, consumed: int) -> bytes:
    """Return a hash of the first and last bytes of what was consumed."""
    count = min(SAMPLE, consumed)
    sample = source.read(0, count) + source.read(consumed - count, count)
    return blake2b(sample, digest_size=16).digest()


def digest_of(source: OpenFile, consumed: int) -> blake2b:
    """Return the hash of what was consumed, as ``RunData`` keeps it."""
    found = blake2b(digest_size=32)
    for offset in range(0, consumed, CHUNK):
        found.update(source.read(offset, min(CHUNK, consumed - offset)))
    return found


def _whole_lines(source: OpenFile, size: int, run: RunData, limits: Limits) -> Iterator[bytes]:
    """Yield what ends with a line feed, from where the run was consumed up to the size."""
    torn: list[bytes] = []
    held = 0
    offset = run.consumed
    while offset < size:
        data = source.read(offset, min(CHUNK, size - offset))
        offset += len(data)
        end = data.rfind(b"\n") + 1
        if end:
            lines = b"".join((*torn, data[:end]))
            _refuse_long(lines, run, limits)
            yield lines
            torn, held = [], 0
        torn.append(data[end:])
        held += len(data) - end
        if held > limits.line:
            raise _too_long(run, run.lines + 1, limits)


def _refuse_long(lines: bytes, run: RunData, limits: Limits) -> None:
    if len(lines) > limits.line:
        for number, line in enumerate(lines.split(b"\n"), run.lines + 1):
            if len(line) > limits.line:
                raise _too_long(run, number, limits)


def _too_long(run: RunData, line: int, limits: Limits) -> RunError:
    reason = f"the line is longer than the limit of {limits.line} bytes"
    return RunError(run.run_id, reason, code="too_large", line=line)


def unusable(file: RunFile, code: RunFault, reason: str, entry: Entry | None = None) -> RunData:
    """Return a run that is there and cannot be used; it is looked at again when ``entry`` differs.

    Without an entry it is looked at again each time.
    """
    run = RunData(file.name, file.run_id)
    run.problem = RunError(file.run_id, reason, code=code)
    run.entry = entry
    return run
