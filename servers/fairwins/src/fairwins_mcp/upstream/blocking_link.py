"""One connection to the Member API over a socket that blocks."""

from __future__ import annotations

import socket
from io import BufferedReader, RawIOBase

from fairwins_mcp.upstream.dialogue import Dialogue, StaleLinkError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from typing import Any

    from fairwins_mcp.answers import RawAnswer
    from fairwins_mcp.settings import BaseUrl
    from fairwins_mcp.upstream.exchange import Exchange

# Where sockets have this flag, the end of a connection wakes whoever waits on it. There the
# deadline of an exchange bounds all of its waits, and the socket needs no timeout of its own, which
# would cost a system call for each of them.
_AT_ONCE = int(getattr(socket, "MSG_DONTWAIT", 0))
_LOOK = _AT_ONCE | int(socket.MSG_PEEK)


class BlockingLink:
    """One connection to the API, for one exchange at a time. A ``context`` has it speak TLS."""

    def __init__(
        self, sock: socket.socket, base: BaseUrl, context: ssl.SSLContext | None = None
    ) -> None:
        self.base = base
        self._sock = sock
        self._secured: ssl.SSLSocket | None = None
        if context is not None:
            # The handshake waits for the peer, so it comes later, where it can be interrupted.
            self._sock = self._secured = context.wrap_socket(
                sock, server_hostname=base.host, do_handshake_on_connect=False
            )
        self._tap = _Tap(self._sock)
        self._reader = _KeptReader(self._tap)
        if _AT_ONCE:
            self._sock.settimeout(None)
        self._dialogue = Dialogue(base, self._sock.sendall, self._reader)

    @property
    def is_reusable(self) -> bool:
        """Tell after an exchange whether another one may follow."""
        return self._dialogue.is_reusable

    def shake_hands(self, seconds: float) -> None:
        """Begin to speak TLS where that is meant. It waits as ``converse`` does.

        Raises:
            OSError: the other end does not, or is not who it has to be.
        """
        self._bound(seconds)
        if self._secured is not None:
            self._secured.do_handshake()

    def converse(self, exchange: Exchange) -> RawAnswer:
        """Send one request and read its answer.

        It can wait for the other end until ``interrupt`` is called. Where that may not do, the
        time that is left bounds each wait.

        Raises:
            StaleLinkError: the other end closed before it answered anything.
            BrokenAnswerError: the answer is no HTTP, or is too large.
            OSError: the connection failed in another way.
        """
        self._bound(exchange.left())
        try:
            self._dialogue.ask(exchange)
            is_answered = bool(self._reader.peek(1))
        except TimeoutError:
            raise
        except OSError as error:
            raise StaleLinkError from error
        if not is_answered:
            raise StaleLinkError
        return self._dialogue.hear()

    def is_quiet(self) -> bool:
        """Tell whether the other end has neither closed nor said what nobody asked for."""
        if self._tap.tell() != self._reader.tell():
            return False
        try:
            if _AT_ONCE and self._secured is None:
                self._sock.recv(1, _LOOK)
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

    def _bound(self, seconds: float) -> None:
        if not _AT_ONCE:
            self._sock.settimeout(seconds)


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

    def commit(self) -> None:
        """Do nothing: it waits for what it lacks, and never goes back."""

    def close(self) -> None:
        """Stay open."""
