"""Bodies of HTTP/1.1 requests: of a stated length or in chunks, never both."""

from __future__ import annotations

import re

from fairwins_mcp.http.faults import HttpFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.http.heads import Head

_LENGTH = re.compile(r"[0-9]{1,18}")
# Extensions are allowed and mean nothing here; control characters in them are not allowed.
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t -~\x80-\xff]*)?")
_TRAILER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*")
MAX_LINE_BYTES = 512  # of a chunk's size with its extensions, and of a trailer


class SizedBody:
    """A body of ``length`` bytes."""

    def __init__(self, length: int) -> None:
        self._length = length
        self.content = b""

    @property
    def is_expected(self) -> bool:
        """Tell whether anything is to come."""
        return self._length > 0

    def feed(self, buffer: bytearray) -> bool:
        """Take what belongs to the body out of the buffer; tell whether it is complete."""
        if len(buffer) < self._length:
            return False
        self.content = bytes(buffer[: self._length])
        del buffer[: self._length]
        return True


class ChunkedBody:
    """A body in chunks, of at most ``limit`` bytes, and as many for everything around them."""

    is_expected = True

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._overhead = 0
        self._parts: list[bytes] = []
        self._size = 0
        self._left = -1  # of the running chunk with its line end; -1 before a size, -2 in trailers

    @property
    def content(self) -> bytes:
        """Return what has come so far."""
        return b"".join(self._parts)

    def feed(self, buffer: bytearray) -> bool:
        """Take what belongs to the body out of the buffer; tell whether it is complete.

        Raises:
            HttpFault: 400 for what is no chunk, 413 for a body beyond the limit.
        """
        while True:
            if self._left >= 0:
                if not self._take_chunk(buffer):
                    return False
                continue
            line = self._take_line(buffer)
            if line is None:
                return False
            if self._left == -1:
                self._start_chunk(line)
            elif not line:
                return True
            elif not _TRAILER.fullmatch(line):
                raise _malformed("a trailer is not NAME: VALUE")

    def _take_line(self, buffer: bytearray) -> bytes | None:
        end = buffer.find(b"\n", 0, MAX_LINE_BYTES)
        if end < 0:
            if len(buffer) >= MAX_LINE_BYTES:
                raise _malformed(f"a line of more than {MAX_LINE_BYTES} bytes around the chunks")
            return None
        line = bytes(buffer[: end + 1])
        if not line.endswith(b"\r\n"):
            raise _malformed("a line that does not end in CR LF")
        del buffer[: end + 1]
        self._overhead += len(line)
        if self._overhead > self._limit:
            raise too_large(self._limit)
        return line[:-2]

    def _start_chunk(self, line: bytes) -> None:
        match = _CHUNK.fullmatch(line)
        if match is None:
            raise _malformed("a chunk does not start with its size")
        size = int(match[1], 16)
        self._size += size
        if self._size > self._limit:
            raise too_large(self._limit)
        self._left = size + 2 if size else -2

    def _take_chunk(self, buffer: bytearray) -> bool:
        if len(buffer) < self._left:
            return False
        if bytes(buffer[self._left - 2 : self._left]) != b"\r\n":
            raise _malformed("a chunk is longer than it says")
        self._parts.append(bytes(buffer[: self._left - 2]))
        del buffer[: self._left]
        self._left = -1
        return True


def plan_body(head: Head, limit: int) -> SizedBody | ChunkedBody:
    """Return the reader of a request's body.

    Raises:
        HttpFault: 400 for lengths that could be read in two ways, 413 beyond the limit, 501 for
            transfer codings other than chunked.
    """
    coding = head.fields.get("transfer-encoding")
    length = head.fields.get("content-length")
    if coding is not None:
        if length is not None or not head.is_modern:
            raise _malformed("a length and chunks at once, or chunks in HTTP/1.0")
        if coding.lower() != "chunked":
            raise HttpFault(501, "coding_not_supported", "the only transfer coding here is chunked")
        return ChunkedBody(limit)
    if length is None:
        return SizedBody(0)
    if not _LENGTH.fullmatch(length):
        raise _malformed("content-length is not one number")
    if int(length) > limit:
        raise too_large(limit)
    return SizedBody(int(length))


def too_large(limit: int) -> HttpFault:
    """Make the fault for a body beyond the limit."""
    return HttpFault(413, "too_large", f"a body has at most {limit >> 10} KiB")


def _malformed(what: str) -> HttpFault:
    return HttpFault(400, "malformed_request", f"the request is no valid HTTP: {what}")
