"""New connections to the Member API: the only module that opens any."""

from __future__ import annotations

import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from asyncio import AbstractEventLoop, BaseProtocol

    from fairwins_mcp.settings import BaseUrl


class Dialer:
    """Connect to the API, over TLS where its address says so, and with a certificate that holds."""

    def __init__(self) -> None:
        self._tls: ssl.SSLContext | None = None

    def dial(self, base: BaseUrl, seconds: float) -> socket.socket:
        """Connect, waiting at most ``seconds`` for each of the host's addresses.

        It blocks, since it looks the name up. TLS begins later, where it can be interrupted.

        Raises:
            OSError, UnicodeError: there is no connection to be had.
        """
        sock = socket.create_connection((base.host, base.port), timeout=seconds)
        try:
            # A request with a body goes out in two parts, and the second must not wait for the
            # other end to acknowledge the first.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.find_context(base)
        except BaseException:
            sock.close()
            raise
        return sock

    def find_context(self, base: BaseUrl) -> ssl.SSLContext | None:
        """Return how TLS is spoken to an address; None where it is not."""
        if base.scheme == "http":
            return None
        if self._tls is None:
            import ssl

            self._tls = ssl.create_default_context()  # reads the certificates of all authorities
        return self._tls

    async def attach(
        self,
        loop: AbstractEventLoop,
        sock: socket.socket,
        base: BaseUrl,
        protocol: BaseProtocol,
        seconds: float,
    ) -> None:
        """Hand a connected socket to an event loop, after TLS where that belongs to it.

        Raises:
            OSError: the handshake failed. The socket is closed then.
        """
        context = self.find_context(base)
        sock.setblocking(False)
        if context is None:
            await loop.create_connection(lambda: protocol, sock=sock)
            return
        await loop.create_connection(
            lambda: protocol,
            sock=sock,
            ssl=context,
            server_hostname=base.host,
            ssl_handshake_timeout=seconds,
        )


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
