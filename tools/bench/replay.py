"""An API that costs next to nothing: what a gateway answered once, again for every request.

Usage: ``python replay.py URL PATH``; it reads that path of the gateway, serves the answer, header
fields and all, on a free port, and prints the port. Any other request is 404. A gateway that works
out its answers takes as long for one as the fastest of the servers that are measured, on the same
processors, and so would hide how they differ.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing
from http.client import HTTPConnection
from typing import cast
from urllib.parse import urlsplit

import uvloop

_MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


class Replay(asyncio.Protocol):
    """Answer the requests of one connection; they have no bodies."""

    _transport: asyncio.Transport

    def __init__(self, start: bytes, answer: bytes) -> None:
        self._start = start
        self._answer = answer
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take what sends."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer what is complete."""
        *heads, self._buffer = (self._buffer + data).split(b"\r\n\r\n")
        for head in heads:
            is_known = head.startswith(self._start)
            self._transport.write(self._answer if is_known else _MISSING)


def record(url: str, path: str) -> bytes:
    """Read a path; return the whole answer as it goes over the wire."""
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=20)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
    assert response.status == 200, body
    assert response.getheader("Content-Length") == str(len(body))
    fields = "".join(f"{name}: {value}\r\n" for name, value in response.getheaders())
    return f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode("latin-1") + body


async def serve(path: str, answer: bytes) -> None:
    """Serve until the process ends."""
    start = f"GET {path} HTTP/1.1\r\n".encode()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Replay(start, answer), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main(arguments: list[str]) -> None:
    """Record, then serve."""
    url, path = arguments
    uvloop.run(serve(path, record(url, path)))


if __name__ == "__main__":
    main(sys.argv[1:])
