"""Connections to the Member API, kept for the next call: the only module that opens any."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from io import BufferedReader, RawIOBase

from fairwins_mcp.answers import RawAnswer
from fairwins_mcp.errors import FairwinsMcpError
from fairwins_mcp.payments import RECEIPT_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from typing import Any

    from fairwins_mcp.settings import BaseUrl
    from fairwins_mcp.shapes import HeaderField

MAX_BODY_BYTES = 4 << 20
MAX_IDLE = 16  # connections; when more calls run at once, the others are closed again
IDLE_SECONDS = 15.0
# Where sockets have this flag, the end of a connection wakes whoever waits on it. There the
# deadline of an exchange bounds all of its waits, and the socket needs no timeout of its own, which
# would cost a system call for each of them.
_AT_ONCE: int = getattr(socket, "MSG_DONTWAIT", 0)


class StaleLinkError(ConnectionError):
    """Say that a connection ended before any byte of an answer had come."""


class BrokenAnswerError(FairwinsMcpError):
    """Say why what came is no answer: ``reason`` is a sentence without its full stop."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Link:
    """One connection to the API, for one exchange at a time.

    ``is_reusable`` tells after an exchange whether another one may follow. Nothing that a request
    carried stays behind: every request has all of its header fields, credentials included.
    """

    def __init__(
        self, sock: socket.socket, base: BaseUrl, shake_hands: Callable[[], object] | None
    ) -> None:
        self.is_reusable = False
        self._sock = sock
        self._is_plain = shake_hands is None
        self._shake_hands = shake_hands
        self._tap = _Tap(sock)
        self._reader = _KeptReader(self._tap)
        if _AT_ONCE:
            sock.settimeout(None)
        self._http = HTTPConnection(base.host, base.port)
        self._http.auto_open = 0  # it must never connect by itself
        self._http.sock = _Lent(sock, self._reader)

    def converse(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], seconds: float
    ) -> RawAnswer:
        """Send one request and read its answer.

        It can wait for the other end until ``interrupt`` is called. ``seconds`` bounds each wait
        where that may not do.

        Raises:
            StaleLinkError: the other end closed before it answered anything.
            BrokenAnswerError: the answer is no HTTP, or is too large.
            OSError: the connection failed in another way.
        """
        self.is_reusable = False
        if not _AT_ONCE:
            self._sock.settimeout(seconds)
        if self._shake_hands is not None:
            self._shake_hands()
            self._shake_hands = None
        self._ask(method, target, body, headers)
        try:
            with self._http.getresponse() as response:
                return self._read(response)
        except IncompleteRead as error:
            raise ConnectionError("the connection ended inside the answer") from error
        except ConnectionError:  # one of them is an HTTPException too
            raise
        except HTTPException as error:
            raise BrokenAnswerError("the API's answer is not valid HTTP") from error

    def is_quiet(self) -> bool:
        """Tell whether the other end has neither closed nor said anything that nobody asked for.

        Whatever is there already would be taken for the answer to the next request.
        """
        if self._tap.tell() != self._reader.tell():
            return False
        try:
            if _AT_ONCE and self._is_plain:
                self._sock.recv(1, _AT_ONCE | socket.MSG_PEEK)
                return False
            timeout = self._sock.gettimeout()
            self._sock.settimeout(0)
            try:
                self._sock.recv(1)
            finally:
                self._sock.settimeout(timeout)
        except BlockingIOError:
            return True
        except OSError as error:
            return type(error).__name__ == "SSLWantReadError"  # how TLS says that nothing is there
        return False

    def interrupt(self) -> None:
        """End what waits on this connection, from another thread."""
        try:
            # The plain method on purpose: the one of a TLS socket also drops its TLS state, which
            # the thread that reads from it is using.
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already

    def close(self) -> None:
        """Hang up."""
        self._sock.close()

    def _ask(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> None:
        """Send a request, and wait until the first byte of an answer is there."""
        try:
            self._http.request(method, target, body, headers)
            is_answered = bool(self._reader.peek(1))
        except TimeoutError:
            raise
        except OSError as error:
            raise StaleLinkError from error
        if not is_answered:
            raise StaleLinkError

    def _read(self, response: HTTPResponse) -> RawAnswer:
        body = response.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            reason = f"the API's answer is larger than {MAX_BODY_BYTES >> 20} MiB"
            raise BrokenAnswerError(reason)
        if response.length:
            raise ConnectionError("the connection ended inside the answer")
        self.is_reusable = _ends_plainly(response)
        receipts = _list_receipts(response)
        return RawAnswer(response.status, response.getheader("Retry-After"), body, receipts)


class Pool:
    """Connections to one origin that wait for another exchange, for all threads of a process.

    A connection is either here or with the one call that took it. ``later`` has a job done at a
    moment of the clock ``now``.
    """

    def __init__(
        self,
        base: BaseUrl,
        later: Callable[[float, Callable[[], None]], object],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.base = base
        self._later = later
        self._now = now
        self._idle: deque[tuple[float, Link]] = deque()  # the moments of expiry ascend
        self._is_watched = False
        self._is_closed = False
        self._lock = threading.Lock()
        self._tls: ssl.SSLContext | None = None

    def __len__(self) -> int:
        """Count the connections that wait."""
        return len(self._idle)

    def open(self, seconds: float) -> Link:
        """Make a new connection, waiting at most ``seconds`` for each of the host's addresses.

        Raises:
            OSError: there is none to be had.
        """
        base = self.base
        sock = socket.create_connection((base.host, base.port), timeout=seconds)
        try:
            # A request with a body goes out in two parts, and the second must not wait for the
            # other end to acknowledge the first.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if base.scheme == "http":
                return Link(sock, base, None)
            if self._tls is None:
                import ssl  # slow to import, and of no use for a gateway on this machine

                self._tls = ssl.create_default_context()
            # The handshake waits for the peer, so it comes later, where it can be interrupted.
            secured = self._tls.wrap_socket(
                sock, server_hostname=base.host, do_handshake_on_connect=False
            )
            return Link(secured, base, secured.do_handshake)
        except BaseException:
            sock.close()
            raise

    def take(self) -> Link | None:
        """Return the connection that waits since the shortest time; None when none is usable."""
        while (link := self._pop()) is not None:
            if link.is_quiet():
                return link
            link.close()
        return None

    def give(self, link: Link) -> None:
        """Keep a connection for the next exchange, or close it when that cannot be."""
        with self._lock:
            is_kept = link.is_reusable and not self._is_closed and len(self._idle) < MAX_IDLE
            if is_kept:
                self._idle.append((self._now() + IDLE_SECONDS, link))
                self._watch()
        if not is_kept:
            link.close()

    def close(self) -> None:
        """Close what waits, and keep nothing from now on."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop()[1].close()

    def _pop(self) -> Link | None:
        with self._lock:
            self._drop()
            return self._idle.pop()[1] if self._idle else None

    def _drop(self) -> None:
        """Close what has waited too long."""
        now = self._now()
        while self._idle and self._idle[0][0] <= now:
            self._idle.popleft()[1].close()

    def _watch(self) -> None:
        """Have the first that expires closed when it does, also without another call."""
        if not self._is_watched and self._idle:
            self._is_watched = True
            self._later(self._idle[0][0], self._sweep)

    def _sweep(self) -> None:
        with self._lock:
            self._is_watched = False
            self._drop()
            self._watch()


def explain(error: OSError) -> str:
    """Say why there is no connection, without the error's own text: that may quote what was sent.

    The sentence has no full stop.
    """
    if isinstance(error, ConnectionRefusedError):
        return "the API's host refused the connection"
    if isinstance(error, socket.gaierror):
        return "the API's host name could not be resolved"
    if type(error).__name__ == "SSLCertVerificationError":
        return "the API's certificate could not be verified"
    return "the connection to the API failed"


class _Tap(RawIOBase):
    """What a socket receives. It counts the bytes, so that what is left in a buffer shows."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self._receive = sock.recv_into
        self._received = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = self._receive(buffer)
        self._received += size
        return size

    def tell(self) -> int:
        return self._received


class _KeptReader(BufferedReader):
    """A connection's one reader. The end of an answer does not close it, since more may follow."""

    def close(self) -> None:
        """Stay open."""


class _Lent:
    """What ``http.client`` gets to see of a socket, so that it cannot close it."""

    def __init__(self, sock: socket.socket, reader: BufferedReader) -> None:
        self.sendall = sock.sendall
        self._reader = reader

    def makefile(self, mode: str) -> BufferedReader:
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
    lengths = response.headers.get_all("Content-Length", [])
    encodings = response.headers.get_all("Transfer-Encoding", [])
    if len(lengths) + len(encodings) != 1:
        return False
    return response.chunked or (lengths[0].isascii() and lengths[0].isdigit())


def _list_receipts(response: HTTPResponse) -> list[HeaderField]:
    """Return the receipts, without any that would end a line of the response they go into."""
    fields = [
        (name, value.strip(" \t"))
        for name in RECEIPT_FIELDS
        for value in response.headers.get_all(name, [])
    ]
    return [(name, value) for name, value in fields if not any(c < " " for c in value)]
