"""A server process whose pipes never block the reader, and which never outlives it."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import IO

from counterfoil.wire.errors import Reporter, WireError
from counterfoil.wire.messages import MESSAGE_LIMIT
from counterfoil.wire.targets import StdioTarget

if sys.platform == "win32":
    import shutil
else:
    import signal

_CHUNK = 65536
_GRACE = 1.0  # seconds for each step of the way out: end of stdin, terminate, kill
_TAIL = 2000  # characters of stderr that an error shows
_PENDING = 16  # messages that may wait for a server which does not read its stdin


class Ending(Enum):
    """Say why no more lines will come."""

    CLOSED = "closed"
    TOO_LONG = "too long"


class ServerProcess:
    """Run one server, with a thread on each of its pipes.

    The threads are what makes deadlines work on every platform: pipes have none of their
    own. They are daemons, so that a pipe held open by a process that escaped keeps nothing
    alive here.
    """

    def __init__(self, target: StdioTarget, reporter: Reporter) -> None:
        self._reporter = reporter
        self._process = _start(target, reporter)
        # One line of read-ahead: a server that floods stdout blocks instead of filling memory.
        self._lines: queue.Queue[bytes | Ending] = queue.Queue(maxsize=1)
        self._outbox: queue.Queue[bytes | None] = queue.Queue(maxsize=_PENDING)
        self._discarding = False
        self._ending: Ending | None = None
        self._tail_limit = _TAIL * 4 + reporter.redaction.longest * 4
        self._tail = bytearray()
        self._tail_cut = False
        self._tail_lock = threading.Lock()
        self._stderr_reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._threads = (
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._write_stdin, daemon=True),
            self._stderr_reader,
        )
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes, deadline: float) -> None:
        """Queue one line for stdin.

        Raises:
            TimeoutError: when the server has stopped reading its stdin.
        """
        try:
            self._outbox.put(line + b"\n", timeout=max(0.0, deadline - time.monotonic()))
        except queue.Full:
            raise TimeoutError from None

    def receive(self, deadline: float) -> bytes | Ending:
        """Return the next line of stdout without its newline, or why there is none.

        Raises:
            TimeoutError: when the deadline (monotonic seconds) passes first.
        """
        if self._ending is None:
            try:
                item = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError from None
            if isinstance(item, bytes):
                return item
            self._ending = item
        return self._ending

    def epitaph(self) -> str:
        """Say how the process ended, with the last lines of its stderr."""
        if not self._ended_within(_GRACE):
            return "closed its stdout" + self.last_words()
        self._stderr_reader.join(_GRACE)
        code = self._process.returncode
        manner = f"was ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
        return manner + self.last_words()

    def close(self) -> None:
        """End the process and all it started: end of stdin, then terminate, then kill."""
        self._discarding = True
        with contextlib.suppress(queue.Empty):
            self._lines.get_nowait()
        with contextlib.suppress(queue.Full):
            self._outbox.put_nowait(None)
            self._ended_within(_GRACE)
        if self._process.poll() is None:
            self._terminate()
        if not self._ended_within(_GRACE):
            self._process.kill()
            self._ended_within(_GRACE)
        self._kill_group()
        # A queue that was full has room now, and its reader's pipe is broken.
        with contextlib.suppress(queue.Full):
            self._outbox.put_nowait(None)
        for thread in self._threads:
            thread.join(_GRACE)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _ended_within(self, seconds: float) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    def _terminate(self) -> None:
        if sys.platform == "win32":
            self._kill_group()  # Windows has no polite request that a child would see.
        else:
            self._signal_group(signal.SIGTERM)

    def _kill_group(self) -> None:
        """Kill what the server started and left behind, such as a wrapper's real server."""
        if sys.platform == "win32":
            tree = ["taskkill", "/T", "/F", "/PID", str(self._process.pid)]
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(tree, capture_output=True, check=False, timeout=_GRACE * 5)
        else:
            self._signal_group(signal.SIGKILL)

    if sys.platform != "win32":

        def _signal_group(self, number: signal.Signals) -> None:
            # Nobody left, or (macOS) nobody but zombies.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)

    def last_words(self) -> str:
        """Return the last lines of stderr so far, as the end of a sentence."""
        with self._tail_lock:
            text = self._tail.decode("utf-8", "replace")
            cut = self._tail_cut
        if cut:
            # The cut may have left the end of a secret at the front.
            text = self._reporter.redaction.apply(text)[self._reporter.redaction.longest :]
        lines = self._reporter.lines(text, _TAIL)
        return f"; the end of its stderr:\n{lines}" if lines else ", with nothing on stderr"

    def _read_stdout(self) -> None:
        waiting = bytearray()
        searched = 0
        for chunk in _chunks(_opened(self._process.stdout)):
            waiting += chunk
            while (end := waiting.find(b"\n", searched)) >= 0:
                line = bytes(waiting[:end])
                del waiting[: end + 1]
                searched = 0
                self._deliver(line)
            searched = len(waiting)
            if searched > MESSAGE_LIMIT:
                self._deliver(Ending.TOO_LONG)
                waiting.clear()
                searched = 0
        self._deliver(Ending.CLOSED)

    def _deliver(self, item: bytes | Ending) -> None:
        # close() empties the queue after it set the flag: this put cannot block for ever.
        if not self._discarding:
            self._lines.put(item)

    def _read_stderr(self) -> None:
        for chunk in _chunks(_opened(self._process.stderr)):
            with self._tail_lock:
                self._tail += chunk
                if len(self._tail) > self._tail_limit:
                    del self._tail[: -self._tail_limit]
                    self._tail_cut = True

    def _write_stdin(self) -> None:
        pipe = _opened(self._process.stdin)
        # A server that is gone says so on its stdout, where the reader waits.
        with contextlib.suppress(OSError):
            while (line := self._outbox.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[pipe.write(rest) :]
        with contextlib.suppress(OSError):
            pipe.close()


def _start(target: StdioTarget, reporter: Reporter) -> subprocess.Popen[bytes]:
    command = list(target.command)
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        # npx and its like are .cmd files there, which only a search by PATHEXT finds.
        command[0] = shutil.which(command[0], path=target.environment.get("PATH")) or command[0]
    try:
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=target.cwd,
            env=target.environment,
            start_new_session=True,
            creationflags=flags,
        )
    except (OSError, ValueError) as error:
        raise _not_started(target, reporter, error) from None


def _not_started(target: StdioTarget, reporter: Reporter, error: OSError | ValueError) -> WireError:
    if target.cwd is not None and not Path(target.cwd).is_dir():
        return reporter.error(
            "unreachable",
            f"the server's directory {reporter.quote(target.cwd)} does not exist",
            "Set cwd to a directory.",
        )
    reason = error.strerror if isinstance(error, OSError) else "not a usable command"
    return reporter.error(
        "unreachable",
        f"the server could not be started: {reason}",
        "Give a program that the server's PATH finds, or its full path; quote it if it has spaces.",
    )


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started without its pipes")
    return pipe


def _chunks(pipe: IO[bytes]) -> Iterator[bytes]:
    # A pipe that fails has ended.
    with contextlib.suppress(OSError, ValueError):
        while chunk := pipe.read(_CHUNK):
            yield chunk
