"""Send one request over and over, on several kept connections, and time the answers.

Usage: ``python load.py PORT CONNECTIONS SECONDS < REQUEST``; REQUEST is the bytes of one HTTP
request. It prints one JSON object: ``count``, ``seconds``, and ``p50`` and ``p99`` in
milliseconds. It speaks over plain sockets, so that it costs little beside what it measures.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import statistics
import sys
import time

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_FAILURES = (b'"isError":true', b'"error":{"code"')
_PATIENCE = 20  # seconds in which some answer has to come


class LoadError(Exception):
    """Say that an answer was not a good one."""


class Client:
    """One connection with one request under way at a time."""

    def __init__(self, port: int, request: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request = request
        self._parts: list[bytes] = []
        self._missing = -1  # bytes of the answer; negative while that is not known
        self._start = 0.0

    def ask(self) -> None:
        """Send the request."""
        self._parts.clear()
        self._missing = -1
        self._start = time.perf_counter()
        self.socket.sendall(self._request)

    def receive(self) -> float | None:
        """Take what is there; return the seconds since the request once the answer is whole.

        Raises:
            LoadError: the answer reports a failure, or the connection ended.
        """
        data = self.socket.recv(1 << 18)
        if not data:
            raise LoadError("the server closed a connection")
        self._parts.append(data)
        if self._missing < 0:
            self._measure()
        else:
            self._missing -= len(data)
        if self._missing:
            return None
        seconds = time.perf_counter() - self._start
        self._judge(b"".join(self._parts))
        return seconds

    def _measure(self) -> None:
        """Find out how much is missing; an answer in chunks says so with its last bytes only."""
        answer = b"".join(self._parts)
        head, end, body = answer.partition(b"\r\n\r\n")
        if not end:
            return
        length = _LENGTH.search(head)
        if length is not None:
            self._missing = int(length[1]) - len(body)
        elif body.endswith(b"0\r\n\r\n"):
            self._missing = 0

    def _judge(self, answer: bytes) -> None:
        if not answer.startswith(b"HTTP/1.1 200") or any(text in answer for text in _FAILURES):
            raise LoadError(f"not a good answer: {answer[:2000]!r}")


def run(port: int, connections: int, seconds: float, request: bytes) -> list[float]:
    """Keep all connections busy for so long; return the seconds that each answer took."""
    found: list[float] = []
    with selectors.DefaultSelector() as selector:
        clients = [Client(port, request) for _ in range(connections)]
        for client in clients:
            selector.register(client.socket, selectors.EVENT_READ, client)
            client.ask()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            ready = selector.select(_PATIENCE)
            if not ready:
                raise LoadError(f"no answer in {_PATIENCE} s")
            for key, _ in ready:
                taken = key.data.receive()
                if taken is not None:
                    found.append(taken)
                    key.data.ask()
        for client in clients:
            client.socket.close()
    return found


def main(arguments: list[str]) -> int:
    """Measure and print."""
    port, connections, seconds = int(arguments[0]), int(arguments[1]), float(arguments[2])
    start = time.perf_counter()
    try:
        found = run(port, connections, seconds, sys.stdin.buffer.read())
    except (LoadError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    percentiles = statistics.quantiles(found, n=100)
    told = {
        "count": len(found),
        "seconds": time.perf_counter() - start,
        "p50": percentiles[49] * 1000,
        "p99": percentiles[98] * 1000,
    }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
