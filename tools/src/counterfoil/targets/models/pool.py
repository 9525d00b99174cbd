"""Spread independent work over processes.

A worker is a fresh interpreter that is told where to import functions from. Unlike the workers
of ``multiprocessing`` it never imports the program that started it, so it does not matter what
that program is: a test runner, a notebook, or a script that does its work at the top level.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

Task = Callable[[Any], Any]

_MOST = 8
_START = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "  # imports take their time
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    f"from {__name__} import serve; serve()"
)


class WorkerError(Exception):
    """Report that a worker gave no answer; what it was asked is done again in this process."""


def spread(task: Task, items: Sequence[Any], *, worth: int) -> Iterator[tuple[int, Any]]:
    """Yield ``(index, result)`` of every item, in any order, as soon as it is there.

    Args:
        task: a function of a module, from JSON to JSON.
        items: what to call it with.
        worth: for how many items a worker is worth its start; below that no process is started.

    Raises:
        Exception: what the task raises.
    """
    count = min(_processors(), _MOST, len(items) // worth)
    count = max(count, min(_WORKERS.waiting, len(items)))
    if count < (1 if _WORKERS.waiting else 2) or not sys.executable:
        for index, item in enumerate(items):
            yield index, task(item)
        return
    with ThreadPoolExecutor(count) as threads:
        asked = {threads.submit(_WORKERS.ask, task, item): n for n, item in enumerate(items)}
        try:
            for answer in as_completed(asked):
                index = asked.pop(answer)
                try:
                    result = answer.result()
                except WorkerError:
                    result = task(items[index])
                yield index, result
        finally:
            threads.shutdown(cancel_futures=True)


def prepare(task: Callable[[], Any]) -> None:
    """Start a worker in the background, where there is a processor for it.

    Args:
        task: a function without arguments that the worker begins with, such as importing
            what the work needs.
    """
    if _processors() > 1 and sys.executable and not _WORKERS.waiting:
        _WORKERS.prepare(task)


def serve() -> None:
    """Answer the process that started this one, until it closes our input."""
    # Ctrl-C reaches every process of the terminal; the one that started us says so, and ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    for line in sys.stdin:
        try:
            module, name, item = json.loads(line)
            task: Task = getattr(importlib.import_module(module), name)
            answer = {"result": task(*item)}
        except Exception:  # noqa: BLE001 - it is raised where the item is done again
            answer = {}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Workers:
    """Processes that wait for work. They are kept for the next work, since a start is slow."""

    def __init__(self) -> None:
        self._idle: list[subprocess.Popen[str]] = []
        self._owing: set[int] = set()

    @property
    def waiting(self) -> int:
        """Return how many processes wait for work."""
        return len(self._idle)

    def prepare(self, task: Callable[[], Any]) -> None:
        """Start a process and have it do something first; nobody waits for the answer."""
        try:
            process = _started()
            _send(process, json.dumps([task.__module__, task.__name__, []]))
        except WorkerError:
            return  # the work is done without it
        self._owing.add(process.pid)
        self._idle.append(process)

    def ask(self, task: Task, item: Any) -> Any:
        """Have an item done; several threads may ask at once.

        Raises:
            WorkerError: there is no answer, or the task raised.
        """
        try:
            process = self._idle.pop()
        except IndexError:
            process = _started()
        try:
            _send(process, json.dumps([task.__module__, task.__name__, [item]]))
            if process.pid in self._owing:
                self._owing.discard(process.pid)
                _received(process)
            answer = _received(process)
        except BaseException:
            _end(process)
            raise
        self._idle.append(process)
        if "result" not in answer:
            raise WorkerError(f"{task.__name__} failed")
        return answer["result"]

    def close(self) -> None:
        """End the processes that wait."""
        while self._idle:
            _end(self._idle.pop())


_WORKERS = Workers()
atexit.register(_WORKERS.close)


def _started() -> subprocess.Popen[str]:
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    except OSError as error:
        raise WorkerError("no process could be started") from error
    assert process.stdin is not None
    process.stdin.write(f"{json.dumps(sys.path)}\n")
    return process


def _send(process: subprocess.Popen[str], line: str) -> None:
    """Send a line to a process.

    Raises:
        WorkerError: it is gone.
    """
    assert process.stdin is not None
    try:
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
    except OSError as error:
        raise WorkerError("the process is gone") from error


def _received(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Read the next answer of a process.

    Raises:
        WorkerError: it is gone.
    """
    assert process.stdout is not None
    try:
        answer: dict[str, Any] = json.loads(process.stdout.readline())
    except (OSError, ValueError) as error:
        raise WorkerError("the process is gone") from error
    return answer


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def _processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1
