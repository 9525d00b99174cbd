"""A network that records what would have gone to the wire, and answers at once."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import h11
import httpcore2

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@dataclass
class Sent:
    """One request, as it left."""

    host: str
    port: int
    server_name: str | None
    method: str
    target: str
    fields: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        """Return every value of a field; ``name`` is in small letters."""
        return [value for each, value in self.fields if each == name]


@dataclass
class RecordingNetwork(httpcore2.AsyncNetworkBackend):
    """Take connections to anywhere; ``answer`` is what every request gets."""

    answer: bytes = OK
    connections: list[tuple[str, int]] = field(default_factory=list)
    refused: frozenset[str] = frozenset()
    sent: list[Sent] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connections.append((host, port))
        if host in self.refused:
            raise httpcore2.ConnectError("refused")
        return _Stream(self, host, port)


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, network: RecordingNetwork, host: str, port: int) -> None:
        self._network = network
        self._place = (host, port)
        self._server_name: str | None = None
        self._server = h11.Connection(h11.SERVER)
        self._request: h11.Request | None = None
        self._body = b""
        self._pending = b""

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        assert ssl_context.verify_mode == ssl.CERT_REQUIRED
        assert ssl_context.check_hostname
        self._server_name = server_hostname
        return self

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # no bytes would mean the end
            return
        self._server.receive_data(buffer)
        while (event := self._server.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Request):
                self._request = event
            elif isinstance(event, h11.Data):
                self._body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self._record()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        part, self._pending = self._pending[:max_bytes], self._pending[max_bytes:]
        return part

    async def aclose(self) -> None:
        pass

    def get_extra_info(self, info: str) -> Any:
        # Whatever was kept of this connection is at its end.
        return True if info == "is_readable" else None

    def _record(self) -> None:
        assert self._request is not None
        fields = [(name.decode(), value.decode("latin-1")) for name, value in self._request.headers]
        method, target = self._request.method.decode(), self._request.target.decode()
        sent = Sent(*self._place, self._server_name, method, target, fields, self._body)
        self._network.sent.append(sent)
        self._pending = self._network.answer
