"""Measurements over HTTP: a server under load from another process."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil

from contestants import Contestant, environment, post
from stdio_trials import BenchError

_HERE = Path(__file__).parent
_CONNECTIONS = 8
_START_SECONDS = 30


@dataclass(frozen=True)
class Load:
    """What a load came to: answers in a second, milliseconds, and the server's own CPU time."""

    rate: float
    p50: float
    p99: float
    cpu_us: float  # microseconds for each answer


@dataclass(frozen=True)
class Served:
    """A contestant that serves on a port."""

    contestant: Contestant
    port: int
    process: subprocess.Popen[bytes]

    def load(self, body: bytes, seconds: float) -> Load:
        """Ask for the same over and over on eight connections; every answer has to be good."""
        before = self._cpu_seconds()
        numbers = map(str, (self.port, _CONNECTIONS, seconds))
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(_HERE / "load.py"), *numbers],
            input=post(self.port, body),
            capture_output=True,
            timeout=seconds + 60,
            check=False,
        )
        if done.returncode:
            told = done.stderr.decode("utf-8", "replace")[-2000:]
            raise BenchError(f"{self.contestant.name}: {told}")
        found = json.loads(done.stdout)
        spent = (self._cpu_seconds() - before) / found["count"]
        rate = found["count"] / found["seconds"]
        return Load(rate, found["p50"], found["p99"], spent * 1e6)

    def _cpu_seconds(self) -> float:
        times = psutil.Process(self.process.pid).cpu_times()
        return float(times.user + times.system)


@dataclass(frozen=True)
class Sandbox:
    """The sandbox gateway."""

    port: int
    admin_port: int

    @property
    def url(self) -> str:
        """Return where the API is."""
        return f"http://127.0.0.1:{self.port}"

    def slow_down(self, milliseconds: int) -> None:
        """Have every answer come that much later from now on."""
        body = json.dumps({"name": "slow", "value": str(milliseconds)})
        connection = HTTPConnection("127.0.0.1", self.admin_port, timeout=20)
        with closing(connection):
            connection.request("POST", "/faults", body)
            if connection.getresponse().status >= 300:
                raise BenchError("the gateway cannot be slowed down")


@contextmanager
def run_sandbox() -> Generator[Sandbox]:
    """Run the gateway until the block ends."""
    command = [sys.executable, str(_HERE / "sandbox.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise BenchError("the gateway did not start")
            yield Sandbox(**json.loads(line))
        finally:
            _stop(process)


@contextmanager
def run_replay(url: str, path: str) -> Generator[str]:
    """Serve what an API answers on a path, as fast as that goes, until the block ends."""
    command = [sys.executable, str(_HERE / "replay.py"), url, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise BenchError("the answer of the API cannot be replayed")
            yield f"http://127.0.0.1:{int(line)}"
        finally:
            _stop(process)


@contextmanager
def serve(contestant: Contestant, api_url: str) -> Generator[Served]:
    """Run a server over HTTP until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    with subprocess.Popen(
        [*contestant.http, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(api_url),
    ) as process:
        try:
            _await_port(contestant.name, port)
            yield Served(contestant, port, process)
        finally:
            _stop(process)


def _await_port(name: str, port: int) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise BenchError(f"{name} does not listen")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
