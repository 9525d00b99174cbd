"""Server-sent events, as the WHATWG HTML standard (9.2.6) reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class EventStream:
    """Cut a byte stream, given in any pieces, into the data of its events."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._searched = 0
        self._at_start = True
        self._after_cr = False
        self._data: list[bytes] = []
        self._type = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event of type ``message`` that the chunk completes.

        Events without data, such as the priming event of a resumable stream, are none.
        """
        self._waiting += chunk
        while (line := self._next_line()) is not None:
            if line:
                self._take(line)
                continue
            data, self._data = self._data, []
            kind, self._type = self._type, b""
            if any(data) and kind in (b"", b"message"):
                yield b"\n".join(data)

    def _next_line(self) -> bytes | None:
        # The LF of a CRLF may come a piece later than the CR that already ended the line.
        if self._after_cr and self._waiting:
            self._after_cr = False
            if self._waiting.startswith(b"\n"):
                del self._waiting[:1]
        end = _LINE_END.search(self._waiting, self._searched)
        if end is None:
            self._searched = len(self._waiting)
            return None
        start, stop = end.span()
        line = bytes(self._waiting[:start])
        self._after_cr = end[0] == b"\r" and stop == len(self._waiting)
        del self._waiting[:stop]
        self._searched = 0
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        return line

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._type = value
