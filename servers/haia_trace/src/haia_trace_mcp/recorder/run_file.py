"""The file of one run: new, only ever appended to, one write for each line."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final, Self

from haia_trace_mcp.clock import Clock
from haia_trace_mcp.errors import PresentError, RootError
from haia_trace_mcp.root import TraceRoot

_TRIES: Final = 1000


class RunFile:
    """A run that this process writes, and nobody else. Its caller sees to one writer at a time."""

    def __init__(self, run_id: str, descriptor: int) -> None:
        self.run_id = run_id
        self._descriptor: int | None = descriptor
        self._size = 0

    @classmethod
    def create(cls, root: TraceRoot, clock: Clock) -> Self:
        """Make the file of a run that is called after the time in milliseconds.

        Where another recorder started in the same millisecond, the next one is taken.

        Raises:
            RootError: it cannot be made.
        """
        start = clock()
        with root.folder("events", create=True) as folder:
            for run_id in map(str, range(start, start + _TRIES)):
                try:
                    return cls(run_id, folder.create_for_appending(f"{run_id}.ndjson"))
                except PresentError:
                    continue
            raise RootError(folder.place, f"{_TRIES} runs of this very second are there")

    def append(self, line: bytes) -> None:
        """Write one line with one write.

        What could be written of it in part is taken back: followed by the next line, it would make
        the whole run unreadable.

        Raises:
            OSError: it could not be written.
        """
        if self._descriptor is None:
            raise OSError("the run has ended")
        written = os.write(self._descriptor, line)
        if written == len(line):
            self._size += written
            return
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self.close()  # readers leave out a last line without an end
            raise
        raise OSError("there was no room for a whole line")

    def close(self) -> None:
        """End the run."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
