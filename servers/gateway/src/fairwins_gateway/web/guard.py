"""The guard: which requests come through at all, and how large they may be."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from fairwins_gateway.errors import Refusal
from fairwins_gateway.messages import Reply, envelope

MAX_BODY_BYTES = 256 * 1024
BODY_SECONDS = 10
FIXED_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Server": "fairwins-gateway (sandbox)",
    "X-Content-Type-Options": "nosniff",
}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Guard:
    """Let requests pass that name a known host and come from no foreign page.

    A page in a browser can reach a loopback port under a name of its own; the Host header then
    holds that name, and the Origin header tells of the page.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], origin_auth: str = "") -> None:
        self._app = app
        self._hosts = hosts
        self._origin_auth = origin_auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with 403, or pass the request on."""
        headers = Headers(scope=scope)
        fault = self._find_fault(headers)
        if fault is None:
            await self._app(scope, receive, send)
        else:
            response = respond(envelope(Refusal(403, "origin_denied", fault)))
            await response(scope, receive, send)

    def _find_fault(self, headers: Headers) -> str | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or (self._hosts and _name(hosts[0]) not in self._hosts):
            return "this gateway is not served under that name"
        if any(not _is_loopback(origin) for origin in headers.getlist("origin")):
            return "this gateway answers no page from elsewhere"
        given = headers.get("x-origin-auth", "")
        if self._origin_auth and not hmac.compare_digest(
            given.encode("latin-1"), self._origin_auth.encode()
        ):
            return "the request did not come through the edge"
        return None


def respond(reply: Reply) -> Response:
    """Make an HTTP response of an answer."""
    return Response(reply.body, reply.status, {**FIXED_HEADERS, **reply.headers})


async def read_body(request: Request) -> bytes:
    """Return a request's body.

    Raises:
        Refusal: it is too large, or takes too long.
    """
    body = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    reason = f"the body has more than {MAX_BODY_BYTES} bytes"
                    raise Refusal(413, "too_large", reason)
    except TimeoutError as error:
        reason = f"the body did not come within {BODY_SECONDS} s"
        raise Refusal(408, "request_timeout", reason) from error
    return bytes(body)


def _name(authority: str) -> str:
    """Return the host of an authority without its port, in lower case."""
    host, colon, port = authority.rpartition(":")
    return (host if colon and port.isdigit() else authority).lower()


def _is_loopback(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        host = parts.netloc
    except ValueError:
        return False
    plain = f"{parts.scheme}://{host}" == origin.lower() and parts.scheme in ("http", "https")
    return plain and _name(host) in _LOOPBACK
