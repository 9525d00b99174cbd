"""An HTTP connection on which a whole exchange has one deadline."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from typing import Any
from urllib.parse import SplitResult


class Deadline:
    """Hold the moment at which the exchange under way must be over."""

    def __init__(self, seconds: float) -> None:
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Set the deadline to so many seconds from now."""
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds that are left, always more than 0.

        Raises:
            TimeoutError: when none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class TimedConnection(http.client.HTTPConnection):
    """Connect, send and receive within a deadline, over TLS when the URL is https.

    The timeout of ``http.client`` is one for each operation on the socket, so that a server
    which sends a byte now and then is never timed out by it. Only the resolution of the
    host's name is outside the deadline: the system sets its own.
    """

    def __init__(self, url: SplitResult, deadline: Deadline) -> None:
        self._secure = url.scheme == "https"
        if self._secure:
            self.default_port = http.client.HTTPS_PORT
        super().__init__(url.hostname or "", url.port or self.default_port)
        self._deadline = deadline

    def connect(self) -> None:
        """Open the connection; the server's certificate and name are verified."""
        plain = self._reach()
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.settimeout(self._deadline.remaining())
            context = ssl.create_default_context() if self._secure else None
            opened = context.wrap_socket(plain, server_hostname=self.host) if context else plain
        except BaseException:
            plain.close()
            raise
        self.sock = _TimedSocket(opened, self._deadline)

    def _reach(self) -> socket.socket:
        """Try every address of the host, within one deadline for them all."""
        failure: OSError = OSError("the host name has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            reached = socket.socket(family, kind, protocol)
            try:
                reached.settimeout(self._deadline.remaining())
                reached.connect(address)
            except OSError as error:
                reached.close()
                failure = error
            else:
                return reached
        raise failure


class _TimedSocket:
    """Offer what ``http.client`` uses of a socket, each operation within the deadline."""

    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        self._socket = opened
        self._deadline = deadline

    def sendall(self, data: Any) -> None:
        self._socket.settimeout(self._deadline.remaining())
        self._socket.sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._socket, self._deadline))

    def close(self) -> None:
        self._socket.close()


class _TimedReader(io.RawIOBase):
    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        # The socket's own reader, because it keeps the socket open until it is closed too.
        self._raw = opened.makefile("rb", buffering=0)
        self._socket = opened
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._deadline.remaining())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
