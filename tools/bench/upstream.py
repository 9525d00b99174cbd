"""A fast upstream: the same JSON for every request, at once or after a while.

Usage: ``python upstream.py``; it prints its port. ``?delay=SECONDS`` in a request holds its answer
back; ``/counts`` tells how many such requests are held now, and how many were hung up on.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import cast

import uvloop

_ORDERS = [
    {
        "id": str(number),
        "type": "orders",
        "attributes": {
            "identifier": f"104e18a2-d755-4d4b-80c4-{number:012d}",
            "status": "paid",
            "total": 999 + number,
            "currency": "USD",
            "user_email": f"customer{number}@example.com",
        },
    }
    for number in range(5)
]
_BODY = json.dumps({"meta": {"page": {"currentPage": 1, "total": 5}}, "data": _ORDERS}).encode()
_DELAY = re.compile(rb"[?&]delay=([0-9.]+)")


def respond(body: bytes) -> bytes:
    """Write a response with a JSON body."""
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


_ANSWER = respond(_BODY)


class Upstream(asyncio.Protocol):
    """One connection; requests have no bodies and come one after another."""

    held = 0
    hung_up = 0

    def __init__(self) -> None:
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer every whole request."""
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            delay = _DELAY.search(head)
            if delay is not None:
                Upstream.held += 1
                seconds = float(delay[1])
                self._timer = asyncio.get_running_loop().call_later(seconds, self._release)
            elif head.startswith(b"GET /counts"):
                counts = {
                    "held": Upstream.held,
                    "hungUp": Upstream.hung_up,
                }
                self._write(respond(json.dumps(counts).encode()))
            else:
                self._write(_ANSWER)

    def connection_lost(self, error: Exception | None) -> None:
        """Count an answer that nobody waits for any more."""
        if self._timer is not None:
            self._timer.cancel()
            Upstream.held -= 1
            Upstream.hung_up += 1

    def _release(self) -> None:
        self._timer = None
        Upstream.held -= 1
        self._write(_ANSWER)

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)


async def serve() -> None:
    """Serve until the process ends."""
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", 0, backlog=1024)
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        uvloop.run(serve())
    except KeyboardInterrupt:
        raise SystemExit(0) from None
