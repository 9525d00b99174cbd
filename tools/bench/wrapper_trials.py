"""Measurements of wrapped reads: a load of quick calls, and a crowd of slow ones."""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil

from contestants import Contestant, call, message, post
from http_trials import Load, Served
from stdio_trials import BenchError

_HERE = Path(__file__).parent
_CONNECTIONS = 8
_PATIENCE = 60.0
TOKEN = secrets.token_urlsafe(32)
QUICK_CALL = call("list_orders", {"page": 2})
LIST = message("tools/list")


@dataclass(frozen=True)
class Crowd:
    """What became of many slow calls at once.

    Attributes:
        answered: how many were answered with data.
        refused: how many were refused at once.
        memory: bytes that the process grew by while all of them waited.
        list_ms: milliseconds of the slowest ``tools/list`` meanwhile.
    """

    answered: int
    refused: int
    memory: int
    list_ms: float


@dataclass(frozen=True)
class Upstream:
    """The upstream of all contestants."""

    port: int

    @property
    def url(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self.port}"

    def counts(self) -> dict[str, int]:
        """Return how many answers it holds back, and how many were hung up on."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(connection):
            connection.request("GET", "/counts")
            found: dict[str, int] = json.loads(connection.getresponse().read())
            return found

    def wait_for(self, name: str, number: int, seconds: float) -> float:
        """Return the seconds until a count is there; infinity if it does not come in time."""
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds:
            if self.counts()[name] >= number:
                return time.perf_counter() - begin
            time.sleep(0.01)
        return math.inf


@contextmanager
def run_upstream() -> Generator[Upstream]:
    """Run the upstream until the block ends."""
    command = [sys.executable, str(_HERE / "upstream.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield Upstream(**json.loads(process.stdout.readline()))
        finally:
            process.kill()


def list_wrappers(upstream: Upstream) -> list[Contestant]:
    """Return ours and its peer; each wants a port after its command."""
    os.environ["BENCH_TOKEN"] = TOKEN
    names = {"scaffold": "wrapped.py", "FastMCP": "wrapped_fastmcp.py"}
    return [
        Contestant(name, (), (sys.executable, str(_HERE / "peers" / file), upstream.url))
        for name, file in names.items()
    ]


def authorized(port: int, body: bytes) -> bytes:
    """Write the HTTP request of a message, with the token."""
    head, end, content = post(port, body).partition(b"\r\n\r\n")
    return head + b"\r\nAuthorization: Bearer " + TOKEN.encode() + end + content


def load(served: Served, body: bytes, seconds: float) -> Load:
    """Ask for the same over and over on eight connections; every answer has to be good."""
    process = psutil.Process(served.process.pid)
    before = sum(process.cpu_times()[:2])
    numbers = map(str, (served.port, _CONNECTIONS, seconds))
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(_HERE / "load.py"), *numbers],
        input=authorized(served.port, body),
        capture_output=True,
        timeout=seconds + 60,
        check=False,
    )
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace")[-2000:]
        raise BenchError(f"{served.contestant.name}: {told}")
    found: dict[str, Any] = json.loads(done.stdout)
    spent = (sum(process.cpu_times()[:2]) - before) / found["count"]
    return Load(found["count"] / found["seconds"], found["p50"], found["p99"], spent * 1e6)


def gather_crowd(served: Served, upstream: Upstream, number: int, delay: float) -> Crowd:
    """Make many slow calls at once, and list tools while all of them wait."""
    process = psutil.Process(served.process.pid)
    list_tools(served)
    before = process.memory_info().rss
    clients = open_crowd(served, number, delay)
    # None is answered before the last one has come.
    upstream.wait_for("held", min(number, 500), _PATIENCE)
    memory = process.memory_info().rss - before
    list_ms = max(list_tools(served) for _ in range(20)) * 1000
    statuses = [read_status(client) for client in clients]
    for client in clients:
        client.close()
    return Crowd(statuses.count(200), statuses.count(503), memory, list_ms)


def leave_crowd(served: Served, upstream: Upstream, number: int, delay: float) -> float:
    """Make many slow calls, go away, and return the seconds until the upstream is hung up on.

    Infinity if the server waits for answers that nobody wants.
    """
    before = upstream.counts()["hungUp"]
    clients = open_crowd(served, number, delay)
    upstream.wait_for("held", number, _PATIENCE)
    for client in clients:
        client.close()
    return upstream.wait_for("hungUp", before + number, delay / 2)


def open_crowd(served: Served, number: int, delay: float) -> list[socket.socket]:
    """Send a slow call on each of many connections."""
    request = authorized(served.port, call("list_orders", {"page": 1, "delay": delay}))
    clients: list[socket.socket] = []
    for _ in range(number):
        client = socket.create_connection(("127.0.0.1", served.port), timeout=_PATIENCE)
        client.sendall(request)
        clients.append(client)
    return clients


def list_tools(served: Served) -> float:
    """Return the seconds of one ``tools/list`` on a connection of its own."""
    begin = time.perf_counter()
    with socket.create_connection(("127.0.0.1", served.port), timeout=_PATIENCE) as client:
        client.sendall(authorized(served.port, LIST))
        if read_status(client) != 200:
            raise BenchError(f"{served.contestant.name}: tools/list is refused")
    return time.perf_counter() - begin


def read_status(client: socket.socket) -> int:
    """Return the status of the response that comes."""
    head = b""
    while b"\r\n" not in head:
        part = client.recv(65_536)
        if not part:
            raise BenchError("a connection was closed without an answer")
        head += part
    return int(head.split(b" ", 2)[1])
