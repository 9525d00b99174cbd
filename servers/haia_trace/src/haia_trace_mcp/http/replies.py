"""Header fields of requests, and whole responses."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

from haia_trace_mcp.http.errors import HttpFault

# Answers are for one caller: no cache keeps them, no browser guesses what they are.
GUARDS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


def read_headers(scope: Scope) -> Headers:
    """Return a request's fields, without the spaces that may stand around values."""
    return Headers(raw=[(name.lower(), value.strip(b" \t")) for name, value in scope["headers"]])


async def send_reply(send: Send, status: int, body: bytes, *fields: tuple[bytes, bytes]) -> None:
    """Send a whole response; without a body, it has no content type either."""
    kind = ((b"content-type", b"application/json"),) if body else ()
    length = (b"content-length", str(len(body)).encode())
    headers = [*kind, *GUARDS, length, *fields]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_fault(send: Send, fault: HttpFault) -> None:
    """Send a refusal."""
    await send_reply(send, fault.status, fault.body(), *fault.fields)


def guarded(send: Send) -> Send:
    """Return a way to send that adds the fields which every answer has."""

    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = {name for name, _ in GUARDS}
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in named]
            message = {**message, "headers": [*kept, *GUARDS]}
        await send(message)

    return send_guarded
