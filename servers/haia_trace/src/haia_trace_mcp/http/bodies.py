"""Bodies of requests: read whole, within bounds of size and time."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from haia_trace_mcp.http.errors import HttpFault

BODY_BYTES: Final = 1 << 20
BODY_SECONDS: Final = 20.0


class ClientGone(Exception):
    """Say that the client closed the connection before its request was there."""


async def read_body(
    headers: Headers, receive: Receive, limit: int = BODY_BYTES, seconds: float = BODY_SECONDS
) -> bytes:
    """Read a whole body.

    Raises:
        HttpFault: 413 beyond the limit, which is judged by the announced length first; 408.
        ClientGone: the client closed the connection.
    """
    too_large = HttpFault(413, "too_large", f"a body has at most {limit} bytes")
    length = headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > limit):
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                part: bytes = message.get("body", b"")
                size += len(part)
                if size > limit:
                    raise too_large
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        reason = f"a body is there within {seconds:g} seconds"
        raise HttpFault(408, "too_slow", reason) from None


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a way to receive a body that was read already, and then whatever else comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
