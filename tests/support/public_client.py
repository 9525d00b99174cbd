"""Callers of a public name: whole requests through TLS at a proxy, and the SDK's client."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from proxies import Proxy
from rpc_post import LATEST, Answer, request, stateless, stateless_fields

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
REVISIONS = (*HANDSHAKES, LATEST)
_SECONDS = 30
_JSON = {"Content-Type": "application/json"}


class PublicClient:
    """A client that keeps its connection to one public name, as most do."""

    def __init__(self, proxy: Proxy, host: str, bearer: Mapping[str, str] | None = None) -> None:
        self._proxy, self._host, self._bearer = proxy, host, dict(bearer or {})
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        fields: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request, with the bearer's field unless another is given."""
        self.start(method, path, body, fields)
        return self.receive()

    def start(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        fields: Mapping[str, str] | None = None,
    ) -> None:
        """Send one request, and leave the answer for later."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._host, timeout=_SECONDS)
            self._connection.sock = dial(self._proxy, self._host)
        self._connection.request(method, path, body or None, {**self._bearer, **(fields or {})})

    def receive(self) -> Answer:
        """Return the answer."""
        assert self._connection is not None
        response = self._connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, named, response.read())
        if response.will_close:
            self.close()
        return answer

    def post(self, message: object, fields: Mapping[str, str] | None = None) -> Answer:
        """Send a message."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.send("POST", "/mcp", body, {**_JSON, **(fields or {})})

    def ask(self, version: str, method: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Send a request of a revision."""
        body, fields = spell(version, method, params)
        return self.post(body, fields)

    def begin_call(
        self,
        version: str,
        tool: str,
        arguments: Mapping[str, Any],
        fields: Mapping[str, str] | None = None,
    ) -> None:
        """Call a tool, and leave the answer for later."""
        message, named = spell(version, "tools/call", {"name": tool, "arguments": dict(arguments)})
        body = json.dumps(message).encode()
        self.start("POST", "/mcp", body, {**_JSON, **named, **(fields or {})})

    def call(self, version: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool in a revision."""
        return self.ask(version, "tools/call", {"name": tool, "arguments": dict(arguments)})


def spell(
    version: str, method: str, params: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a message of a revision, and its header fields."""
    given = dict(params or {})
    if version == LATEST:
        name = {"Mcp-Name": str(given["name"])} if "name" in given else {}
        return stateless(method, given), stateless_fields(method, **name)
    # The field came with 2025-06-18; a client sends it once it knows the version.
    has_field = version >= "2025-06-18" and method != "initialize"
    return request(method, given), {"MCP-Protocol-Version": version} if has_field else {}


def shake_hands(client: PublicClient, version: str) -> dict[str, Any]:
    """Begin as a client of a revision does; return what the server says of itself."""
    if version == LATEST:
        return _result(client.ask(version, "server/discover"))
    opening = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    answer = client.ask(version, "initialize", opening)
    assert "mcp-session-id" not in answer.fields
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert client.post(body, spell(version, "ping")[1]).status == 202
    found = _result(answer)
    assert found["protocolVersion"] == version
    return found


def _result(answer: Answer) -> dict[str, Any]:
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json["result"]
    return found


def dial(proxy: Proxy, host: str) -> ssl.SSLSocket:
    """Return a connection to a proxy, which has shown a certificate for the name."""
    plain = socket.create_connection(("127.0.0.1", proxy.port), timeout=_SECONDS)
    return proxy.trust.wrap_socket(plain, server_hostname=host)


def read_to_end(connection: ssl.SSLSocket) -> bytes:
    """Return what comes until the other end closes, in whatever way."""
    parts: list[bytes] = []
    with contextlib.suppress(ConnectionResetError, ssl.SSLEOFError):
        parts.extend(_chunks(connection))
    return b"".join(parts)


def _chunks(connection: ssl.SSLSocket) -> Iterator[bytes]:
    while chunk := connection.recv(65536):
        yield chunk


class _Diverting(httpx2.AsyncBaseTransport):
    """Go to loopback, whatever name is called; TLS is spoken for that name."""

    def __init__(self, proxy: Proxy) -> None:
        self._port = proxy.port
        self._inner = httpx2.AsyncHTTPTransport(verify=proxy.trust)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions = {**request.extensions, "sni_hostname": request.url.host}
        request.url = request.url.copy_with(host="127.0.0.1", port=self._port)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def sdk_client(
    proxy: Proxy, host: str, bearer: Mapping[str, str], mode: str
) -> AsyncGenerator[Client]:
    """Connect the SDK's client to the public address."""
    async with (
        httpx2.AsyncClient(headers=dict(bearer), transport=_Diverting(proxy)) as http_client,
        Client(
            streamable_http_client(f"https://{host}/mcp", http_client=http_client), mode=mode
        ) as client,
    ):
        yield client
