"""Two processes of each server on loopback, as the guide starts them, and what they ask."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lemonsqueezy_api import HOST, KEY, LemonSqueezyApi
from loopback_upstream import running as running_upstream
from loopback_upstream import write_authority
from proxies import HOSTS, PORTS, free_ports
from token_issuer import ISSUER, Issuer
from trace_room import TraceRoom

PAGE = "https://app.example.com"  # the origin in the guide's files
AGENT_TOKEN = "sesame-open-0123456789"
STATUS = b'{"status":"ok","chains":{"137":{"rpc":"up"}}}'
_SECONDS = 60


class Process:
    """One server process, which can be stopped and started again.

    Attributes:
        port: where it listens.
        lines: what it has said on stderr, in all of its lives.
    """

    def __init__(
        self,
        words: Sequence[str],
        port: int,
        environment: Mapping[str, str],
        folder: Path | None = None,
    ) -> None:
        self.port = port
        self.lines: list[str] = []
        self._folder = folder
        self._words = [sys.executable, "-W", "error", *words]
        self._environment = {**_bare(), **environment}
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._listens = threading.Event()

    def launch(self) -> None:
        """Start, without waiting for it."""
        self._listens.clear()
        self._process = subprocess.Popen(
            self._words,
            env=self._environment,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,))
        self._reader.start()

    def await_start(self) -> None:
        """Wait until it listens."""
        assert self._listens.wait(_SECONDS), "".join(self.lines)

    def tell(self, number: int = signal.SIGTERM) -> None:
        """Send a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    @property
    def is_running(self) -> bool:
        """Tell whether it was started, and not stopped since."""
        return self._process is not None

    def stop(self) -> None:
        """End it as an operator does, and look that it liked to."""
        self.tell()
        status = self.await_end()
        assert status == 0, "".join(self.lines)

    def await_end(self) -> int:
        """Wait for the end; return the status."""
        assert self._process is not None
        assert self._reader is not None
        status = self._process.wait(_SECONDS)
        self._reader.join(_SECONDS)
        self._process = None
        return status

    def restart(self) -> None:
        """Stop it, and start it again."""
        self.stop()
        self.launch()
        self.await_start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as stream:
            for line in stream:
                self.lines.append(line)
                if "listening on" in line:
                    self._listens.set()


@dataclass
class Pair:
    """Two processes of one server.

    Attributes:
        server: its name in the guide's files.
        processes: both.
        bearer: the header field that callers bring.
        reading: a call that only reads, by tool and arguments.
    """

    server: str
    processes: tuple[Process, Process]
    bearer: dict[str, str]
    reading: tuple[str, dict[str, Any]]

    @property
    def host(self) -> str:
        """Return the public name."""
        return HOSTS[self.server]

    def await_start(self) -> None:
        """Wait until both listen."""
        for process in self.processes:
            process.await_start()

    @property
    def ports(self) -> dict[int, int]:
        """Return real ports by the guide's."""
        return dict(zip(PORTS[self.server], (each.port for each in self.processes), strict=True))


@contextmanager
def launched(pair: Pair) -> Generator[Pair]:
    """Run both processes of a pair while the block lasts, without waiting for their start."""
    try:
        for process in pair.processes:
            process.launch()
        yield pair
    finally:
        running = [process for process in pair.processes if process.is_running]
        for process in running:
            process.tell()
        ends = [process.await_end() for process in running]
    assert ends == [0] * len(running), [process.lines for process in pair.processes]


class MemberApi:
    """The gateway behind fairwins-mcp; each process asks it under a path of its own.

    Attributes:
        asked: processes (0 or 1) and paths, in order.
        held: processes whose requests are not answered, however long they wait.
        gone: how many of those requests each process has given up.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []
        self.held: set[int] = set()
        self._changed = threading.Condition()
        self.gone: Counter[int] = Counter()

    @property
    def turns(self) -> Counter[int]:
        """Count requests by process."""
        return Counter(process for process, _ in self.asked)

    def wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait until something is so; tell whether it came to that."""
        with self._changed:
            return self._changed.wait_for(condition, _SECONDS)

    def note(self, process: int, path: str) -> bool:
        """Note a request; tell whether it is held."""
        with self._changed:
            self.asked.append((process, path))
            self._changed.notify_all()
            return process in self.held

    def note_gone(self, process: int) -> None:
        """Note that the other end of a held request has gone."""
        with self._changed:
            self.gone[process] += 1
            self._changed.notify_all()


class _ApiServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: MemberApi) -> None:
        self.api = api
        super().__init__(("127.0.0.1", 0), _ApiHandler)


class _ApiHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _ApiServer

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        _, process, *rest = self.path.split("/")
        if self.server.api.note(int(process), "/" + "/".join(rest)):
            # The one byte that never comes: what ends the wait is the other end.
            self.connection.settimeout(_SECONDS)
            assert self.connection.recv(1) == b""
            self.server.api.note_gone(int(process))
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(STATUS)))
        self.end_headers()
        self.wfile.write(STATUS)

    do_GET = do_POST = _answer  # noqa: N815 - http.server looks for these names

    def log_message(self, *_: object) -> None:
        """Write no log."""


@contextmanager
def fairwins() -> Generator[tuple[Pair, MemberApi]]:
    """Run fairwins-mcp, and the gateway."""
    api = MemberApi()
    with _ApiServer(api) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        processes = [
            Process(
                ["-m", "fairwins_mcp", "--http", str(port), "--allowed-host", HOSTS["fairwins"]],
                port,
                {"FAIRWINS_API_URL": f"{url}/{number}", "FAIRWINS_MCP_ALLOWED_ORIGINS": PAGE},
            )
            for number, port in enumerate(free_ports(2))
        ]
        try:
            reading = ("get_gateway_status", dict[str, Any]())
            bearer = {"Authorization": "Bearer fw1.e30.c2ln"}
            with launched(Pair("fairwins", _two(processes), bearer, reading)) as pair:
                yield pair, api
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def lemonsqueezy(folder: Path) -> Generator[tuple[Pair, LemonSqueezyApi]]:
    """Run lemonsqueezy-mcp, and LemonSqueezy."""
    (folder / "token").write_text(AGENT_TOKEN, "utf-8")
    (folder / "next").write_text(f"{AGENT_TOKEN}-next", "utf-8")
    (folder / "key").write_text(KEY, "utf-8")
    api = LemonSqueezyApi(left=1_000_000)
    program = Path(__file__).with_name("loopback_lemonsqueezy.py")
    with running_upstream([HOST], api) as upstream:
        environment = {
            "LEMONSQUEEZY_API_KEY_FILE": str(folder / "key"),
            "MCP_AGENT_TOKEN_FILE": str(folder / "token"),
            "MCP_AGENT_TOKEN_NEXT_FILE": str(folder / "next"),
            "MCP_ALLOWED_HOSTS": HOSTS["lemonsqueezy"],
            "MCP_ALLOWED_ORIGINS": PAGE,
        }
        write_authority(folder / "authority.pem")
        words = [str(program), str(upstream.address[1]), str(folder / "authority.pem")]
        processes = [
            Process([*words, "serve", "--metrics", "--port", str(port)], port, environment)
            for port in free_ports(2)
        ]
        bearer = {"Authorization": f"Bearer {AGENT_TOKEN}"}
        reading = ("get_order", {"orderId": "510"})
        with launched(Pair("lemonsqueezy", _two(processes), bearer, reading)) as pair:
            yield pair, api


@dataclass
class Receipts:
    """What lies behind haia-trace-mcp: a Trace root, and whose tokens are taken."""

    room: TraceRoom
    issuer: Issuer = field(default_factory=Issuer)


@contextmanager
def receipts(folder: Path) -> Generator[tuple[Pair, Receipts]]:
    """Run haia-trace-mcp, over one Trace root; both processes write the index when they end."""
    behind = Receipts(TraceRoom(folder / ".trace"))
    behind.room.pay("op-1", run="1000", settled=False)
    jwks = folder / "jwks.json"
    jwks.write_bytes(behind.issuer.jwks())
    policy = folder / "policy.json"
    policy.write_text(json.dumps({"reviewAbove": "4.00", "reservationSeconds": 600}), "utf-8")
    public = f"https://{HOSTS['receipts']}/mcp"
    words = [
        *("-m", "haia_trace_mcp", "--dir", str(behind.room.path), "--log-level", "info"),
        *("--auth-issuer", ISSUER, "--auth-jwks", str(jwks), "--auth-scope", "trace:read"),
        *("--public-url", public, "--http-allowed-origin", PAGE),
        *("--guard-config", str(policy), "--index"),
    ]
    processes = [
        Process([*words, "--http", f"127.0.0.1:{port}"], port, {}) for port in free_ports(2)
    ]
    bearer = {"Authorization": f"Bearer {behind.issuer.token(aud=public)}"}
    reading = ("get_receipt", {"run_id": "1000", "operation_id": "op-1"})
    with launched(Pair("receipts", _two(processes), bearer, reading)) as pair:
        yield pair, behind
    [index] = (behind.room.path / "guard").glob("index.sqlite*")
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        [(kept,)] = connection.execute("SELECT count(*) FROM runs")
    assert kept >= 1


@dataclass(frozen=True)
class Deployed:
    """All three servers, twice each, and what is behind them."""

    pairs: dict[str, Pair]
    member_api: MemberApi
    lemonsqueezy_api: LemonSqueezyApi
    receipts: Receipts

    @property
    def ports(self) -> dict[int, int]:
        """Return real ports by the guide's."""
        return {old: new for pair in self.pairs.values() for old, new in pair.ports.items()}


def _two(processes: list[Process]) -> tuple[Process, Process]:
    first, second = processes
    return first, second


def _bare() -> dict[str, str]:
    """Return the variables of this process, but for those that servers read."""
    servers = ("FAIRWINS_", "GA4_", "LEMONSQUEEZY_", "MCP_", "PORT", "K_SERVICE")
    return {name: value for name, value in os.environ.items() if not name.startswith(servers)}
