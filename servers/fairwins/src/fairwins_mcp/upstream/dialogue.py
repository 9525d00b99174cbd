"""HTTP/1.1 with the Member API, by ``http.client``, over whatever carries the bytes."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead

from fairwins_mcp.answers import RawAnswer
from fairwins_mcp.errors import FairwinsMcpError
from fairwins_mcp.payments import RECEIPT_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from fairwins_mcp.settings import BaseUrl
    from fairwins_mcp.shapes import HeaderField
    from fairwins_mcp.upstream.exchange import Exchange

    class Reader(Protocol):
        """What is read of a connection: a binary stream that its reader cannot close."""

        def commit(self) -> None:
            """Never go back behind what has been read by now."""
            ...


MAX_BODY_BYTES = 4 << 20


class DryError(Exception):
    """Say that more has to come before an answer can be read on."""


class StaleLinkError(ConnectionError):
    """Say that a connection ended before any byte of an answer had come."""


class BrokenAnswerError(FairwinsMcpError):
    """Say why what came is no answer: ``reason`` is a sentence without its full stop."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Dialogue:
    """Requests and answers on one connection, one after another.

    ``is_reusable`` tells after an answer whether another request may follow. Nothing that a request
    carried stays behind: every request has all of its header fields, credentials included.
    """

    def __init__(self, base: BaseUrl, send: Callable[[bytes], object], reader: Reader) -> None:
        self.is_reusable = False
        self._path = base.path
        self._reader = reader
        self._response: HTTPResponse | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._http = HTTPConnection(base.host, base.port)
        self._http.auto_open = 0  # it must never connect by itself
        self._http.sock = _Lent(send, reader)

    @property
    def is_begun(self) -> bool:
        """Tell whether the head of an answer has been read."""
        return self._response is not None

    def ask(self, exchange: Exchange) -> None:
        """Send a request."""
        request = exchange.request
        self.is_reusable = False
        self._response = None
        self._parts = []
        self._size = 0
        exchange.is_sent = True
        target = self._path + request.target
        self._http.request(request.method, target, request.body, exchange.headers)

    def hear(self) -> RawAnswer:
        """Read the answer.

        Raises:
            DryError: the reader has no more for now. It has to be set back to what was committed;
                then this can be called again.
            BrokenAnswerError: the answer is no HTTP, or is too large.
            OSError: the connection failed.
        """
        try:
            if self._response is None:
                self._response = self._http.getresponse()
                self._reader.commit()
            self._collect(self._response)
            return self._conclude(self._response)
        except IncompleteRead as error:
            raise ConnectionError("the connection ended inside the answer") from error
        except ConnectionError:  # one of them is an HTTPException too
            raise
        except HTTPException as error:
            raise BrokenAnswerError("the API's answer is not valid HTTP") from error

    def _collect(self, response: HTTPResponse) -> None:
        """Read the body, or a byte more than is allowed."""
        if not response.chunked:
            self._add(response.read(MAX_BODY_BYTES + 1))
            return
        while self._size <= MAX_BODY_BYTES:
            piece = response.read1(MAX_BODY_BYTES + 1 - self._size)
            if not piece:
                return
            self._add(piece)

    def _add(self, piece: bytes) -> None:
        self._parts.append(piece)
        self._size += len(piece)
        self._reader.commit()

    def _conclude(self, response: HTTPResponse) -> RawAnswer:
        if self._size > MAX_BODY_BYTES:
            reason = f"the API's answer is larger than {MAX_BODY_BYTES >> 20} MiB"
            raise BrokenAnswerError(reason)
        if response.length:
            raise ConnectionError("the connection ended inside the answer")
        self.is_reusable = _ends_plainly(response)
        response.close()  # or the next request would not be let out
        receipts = _list_receipts(response)
        body = b"".join(self._parts)
        return RawAnswer(response.status, response.getheader("Retry-After"), body, receipts)


class _Lent:
    """What ``http.client`` gets to see of a socket, so that it cannot close it."""

    def __init__(self, send: Callable[[bytes], object], reader: Reader) -> None:
        self.sendall = send
        self._reader = reader

    def makefile(self, mode: str) -> Reader:
        return self._reader

    def close(self) -> None:
        """Leave that to whoever holds the connection."""


def _ends_plainly(response: HTTPResponse) -> bool:
    """Tell whether it is certain where an answer ended, and that its sender goes on.

    Otherwise what comes next could belong to it, and be taken for another member's answer. That
    is so after an interim answer, which another one follows, and after two ways to say a length.
    """
    if response.will_close or not response.isclosed():  # it closes itself with its last byte
        return False
    if response.status < 200 or 300 <= response.status < 400:
        return False
    lengths: list[str] = response.headers.get_all("Content-Length", [])
    encodings = response.headers.get_all("Transfer-Encoding", [])
    if response.chunked:
        return len(encodings) == 1 and not lengths
    if encodings or len(lengths) != 1:
        return False
    return lengths[0].isascii() and lengths[0].isdigit()


def _list_receipts(response: HTTPResponse) -> list[HeaderField]:
    """Return the receipts, without any that would end a line of the response they go into."""
    fields = [
        (name, value.strip(" \t"))
        for name in RECEIPT_FIELDS
        for value in response.headers.get_all(name, [])
    ]
    return [(name, value) for name, value in fields if not any(c < " " for c in value)]
