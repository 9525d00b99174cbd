"""Measurements over stdio: the start, the flow of messages, and the ways to end."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

import psutil

from contestants import Contestant, call, environment, message

_GUARD = 60  # seconds until a process that hangs is killed
_PATIENCE = 5.0  # seconds that a server has to end
_IN_FLIGHT = 50


class BenchError(Exception):
    """Say that something could not be measured."""


@dataclass(frozen=True)
class Start:
    """Seconds from the start of a process to its first line, and its memory then, in bytes."""

    seconds: float
    memory: int


@dataclass(frozen=True)
class End:
    """Seconds until a process has ended, infinite if it has not; lines on stderr meanwhile."""

    seconds: float
    lines: int


def start(command: Sequence[str]) -> Start:
    """Start a process, with ``tools/list`` waiting in its input, until it writes a line."""
    begin = time.perf_counter()
    with _run(command, "") as process:
        _read_first(process, command[-1])
        return Start(time.perf_counter() - begin, _peak_memory(process.pid))


def flow(contestant: Contestant, body: bytes, count: int) -> float:
    """Send a message so many times without waiting; return how many are answered in a second.

    One was answered before, so that nobody's start is measured.
    """
    with _run(contestant.stdio, "") as process:
        _read_first(process, contestant.name, body)
        _, output = _pipes(process)
        begin = time.perf_counter()
        lines = (body + b"\n") * count
        writer = threading.Thread(target=_send, args=(process, lines), daemon=True)
        writer.start()
        missing = count
        while missing > 0:
            data = output.read1(1 << 20)
            if not data:
                raise BenchError(f"{contestant.name} ended with {missing} answers missing")
            missing -= data.count(b"\n")
        seconds = time.perf_counter() - begin
        writer.join()
    return count / seconds


def drain(contestant: Contestant, api_url: str) -> int:
    """Send calls and end the input at once; return how many of 50 are answered with data."""
    calls = [call("get_gateway_status", {}, number) for number in range(_IN_FLIGHT)]
    with _run(contestant.stdio, api_url) as process:
        out, _ = process.communicate(b"".join(line + b"\n" for line in calls), timeout=_GUARD)
    answers = [json.loads(line) for line in out.splitlines()]
    good = [each for each in answers if not each.get("result", {"isError": True}).get("isError")]
    return len({each["id"] for each in good})


def interrupt(contestant: Contestant) -> End:
    """Send SIGINT to a server whose input stays open."""
    return _end(contestant, lambda process: process.send_signal(signal.SIGINT))


def hang_up(contestant: Contestant) -> End:
    """Close the output of a server, and ask once more."""

    def act(process: subprocess.Popen[bytes]) -> None:
        _pipes(process)[1].close()
        _send(process, message("tools/list") + b"\n")

    return _end(contestant, act)


def _end(contestant: Contestant, act: Callable[[subprocess.Popen[bytes]], None]) -> End:
    with tempfile.TemporaryFile() as log, _run(contestant.stdio, "", log) as process:
        _read_first(process, contestant.name)
        told = log.seek(0, 2)
        begin = time.perf_counter()
        act(process)
        try:
            process.wait(_PATIENCE)
            seconds = time.perf_counter() - begin
        except subprocess.TimeoutExpired:
            seconds = float("inf")
            with suppress(OSError, subprocess.TimeoutExpired):
                _pipes(process)[0].close()  # which ends it, and brings what it has to say
                process.wait(_PATIENCE)
        log.seek(told)
        return End(seconds, log.read().count(b"\n"))


@contextmanager
def _run(
    command: Sequence[str], api_url: str, log: IO[bytes] | int = subprocess.DEVNULL
) -> Generator[subprocess.Popen[bytes]]:
    """Run a process until the block ends."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env=environment(api_url),
    ) as process:
        guard = threading.Timer(_GUARD, process.kill)
        guard.daemon = True
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()
            process.kill()
            with suppress(OSError):  # what nobody read cannot be flushed
                _pipes(process)[0].close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], BufferedReader]:
    assert process.stdin is not None
    assert isinstance(process.stdout, BufferedReader)
    return process.stdin, process.stdout


def _send(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write to a process; one that has ended reads nothing any more."""
    source, _ = _pipes(process)
    with suppress(OSError):
        source.write(data)
        source.flush()


def _read_first(
    process: subprocess.Popen[bytes], what: str, body: bytes = message("tools/list")
) -> None:
    """Send a message, and wait until the answer is there."""
    _send(process, body + b"\n")
    if not _pipes(process)[1].readline():
        raise BenchError(f"{what} ended without an answer")


def _peak_memory(pid: int) -> int:
    """Return the most memory that a process has had so far; where nobody knows, what it has."""
    status = Path(f"/proc/{pid}/status")
    if status.is_file():
        for line in status.read_text("ascii").splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return int(value.split()[0]) * 1024
    return int(psutil.Process(pid).memory_info().rss)
