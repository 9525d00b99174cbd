"""POSTs of JSON-RPC messages, with exactly the header fields that a test asks for."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

META = "io.modelcontextprotocol/"
LATEST = "2026-07-28"


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    fields: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> tuple[int, int]:
        """Return the status, and the code of the error of JSON-RPC."""
        return self.status, self.json["error"]["code"]


def send(
    url: str,
    body: bytes = b"",
    fields: Iterable[tuple[str, str]] = (),
    *,
    method: str = "POST",
    host: str | None = None,
) -> Answer:
    """Send one request; a field that is given twice is sent twice."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", parts.netloc if host is None else host)
        for name, value in fields:
            connection.putheader(name, value)
        if method == "POST":
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, response.read())
    finally:
        connection.close()


def post(url: str, message: object, fields: dict[str, str] | None = None) -> Answer:
    """Send a message as most clients do."""
    named = {"Content-Type": "application/json", **(fields or {})}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return send(url, body, named.items())


def request(method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a request of the handshake revisions."""
    found = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}
    return {name: value for name, value in found.items() if value is not None}


def stateless(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a request of the newest revision."""
    meta = {f"{META}protocolVersion": LATEST, f"{META}clientCapabilities": {}}
    return request(method, {**(params or {}), "_meta": meta})


def stateless_fields(method: str, **more: str) -> dict[str, str]:
    """Return its header fields."""
    return {"MCP-Protocol-Version": LATEST, "Mcp-Method": method, **more}
