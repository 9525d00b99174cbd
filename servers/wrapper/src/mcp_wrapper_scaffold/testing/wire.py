"""Networks for the gate of a wrapper under test."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import h11

from mcp_wrapper_scaffold.gate.transport import (
    ConnectError,
    Network,
    NetworkStream,
    SystemNetwork,
    WriteError,
)
from mcp_wrapper_scaffold.testing.guard import passage


@dataclass(frozen=True)
class Head:
    """The beginning of a request, as it left the gate.

    Attributes:
        host, port: where the connection was to go.
        server_name: the name in the TLS greeting; None without TLS.
        method: the request's method.
        target: path and query.
        headers: the field lines; names are in small letters.
    """

    host: str
    port: int
    server_name: str | None
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]


class Broken(Exception):
    """End a connection instead of answering."""


Respond = Callable[[Head, bytes], bytes]
"""Return the bytes of an answer, or raise :class:`Broken`."""


class AnsweringNetwork(Network):
    """Take connections to anywhere, and answer each request at once; no socket is opened.

    Args:
        admit: is told host and port of each connection, and raises :class:`Broken` to refuse it.
        respond: answers requests.
    """

    def __init__(self, admit: Callable[[str, int], None], respond: Respond) -> None:
        self._admit = admit
        self._respond = respond

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,  # the library gives no public name to the type
    ) -> NetworkStream:
        """Return a connection that ends here."""
        try:
            self._admit(host, port)
        except Broken as error:
            raise ConnectError(str(error)) from error
        return _Answering(host, port, self._respond)


class LoopbackNetwork(Network):
    """Connect the gate to a server of the test on this machine, whatever host it asks for.

    It is the one way to a real socket while the network is closed. TLS is left out, unless there
    is a context that trusts the server.

    Args:
        port: where the server listens on 127.0.0.1.
        trust: what TLS is spoken with, for the name that the gate asks for.
    """

    def __init__(self, port: int, trust: ssl.SSLContext | None = None) -> None:
        self._port = port
        self._trust = trust

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> NetworkStream:
        """Return a connection to the test's server."""
        with passage():
            stream = await SystemNetwork().connect_tcp("127.0.0.1", self._port, timeout)
        return _Diverted(stream, self._trust)


class _Answering(NetworkStream):
    def __init__(self, host: str, port: int, respond: Respond) -> None:
        self._place = (host, port)
        self._respond = respond
        self._server_name: str | None = None
        self._parser = h11.Connection(h11.SERVER)
        self._head: Head | None = None
        self._body = b""
        self._answer = b""

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> NetworkStream:
        self._server_name = server_hostname
        return self

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # to the parser, no bytes are the end
            return
        self._parser.receive_data(buffer)
        while (event := self._parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Request):
                self._head = self._read_head(event)
            elif isinstance(event, h11.Data):
                self._body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage) and self._head is not None:
                try:
                    self._answer = self._respond(self._head, self._body)
                except Broken as error:
                    raise WriteError(str(error)) from error

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        part, self._answer = self._answer[:max_bytes], self._answer[max_bytes:]
        return part

    async def aclose(self) -> None:
        self._answer = b""

    def get_extra_info(self, info: str) -> Any:
        # A connection that was kept is at its end: each request has one of its own.
        return True if info == "is_readable" else None

    def _read_head(self, event: h11.Request) -> Head:
        lines = tuple((name.decode(), value.decode("latin-1")) for name, value in event.headers)
        method, target = event.method.decode(), event.target.decode()
        return Head(*self._place, self._server_name, method, target, lines)


class _Diverted(NetworkStream):
    """A connection whose TLS is left out, or trusts another authority than the system's."""

    def __init__(self, stream: NetworkStream, trust: ssl.SSLContext | None) -> None:
        self._stream = stream
        self._trust = trust

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> NetworkStream:
        if self._trust is None:
            return self
        return await self._stream.start_tls(self._trust, server_hostname, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
