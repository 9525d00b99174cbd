"""Spread independent work over processes.

A worker is a fresh interpreter that is told where to import functions from. Unlike the workers
of ``multiprocessing`` it never imports the program that started it, so it does not matter what
that program is: a test runner, a notebook, or a script that does its work at the top level.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any

Task = Callable[[Any], Any]

_MOST = 8
_NO_ANSWER = object()
# A generator of code leaves few cycles, and many objects that live as long as one item.
_UNCOLLECTED = 100_000
_START = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "  # imports take their time
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    f"from {__name__} import serve; serve()"
)


class WorkerError(Exception):
    """Report that a worker gave no answer; what it was asked is done again in this process."""


def spread(task: Task, items: Sequence[Any], *, worth: int) -> Iterator[tuple[int, Any]]:
    """Begin with items in the background, and return ``(index, result)`` of each when it is there.

    Where no process is worth its start, the work is done as results are asked for.

    Args:
        task: a function of a module, from JSON to JSON.
        items: what to call it with.
        worth: for how many items a worker is worth its start; below that no process is started.

    Raises:
        Exception: what the task raises, when its result is asked for.
    """
    count = min(_processors(), _MOST, len(items) // worth)
    count = max(count, min(_WORKERS.waiting, len(items)))
    if count < (1 if _WORKERS.waiting else 2) or not sys.executable:
        return ((index, task(item)) for index, item in enumerate(items))
    return iter(_Flow(task, items, count))


class _Flow:
    """Items on their way through workers.

    The threads that wait for the workers are daemons: a program that ends waits for none. When
    nobody holds the flow any more, what has not been begun is dropped.
    """

    def __init__(self, task: Task, items: Sequence[Any], count: int) -> None:
        self._task = task
        self._items = items
        self._waiting = deque(enumerate(items))
        self._answers: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        for _ in range(count):
            threading.Thread(
                target=_keep_asking, args=(task, self._waiting, self._answers), daemon=True
            ).start()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        for _ in self._items:
            index, result = self._answers.get()
            yield index, self._task(self._items[index]) if result is _NO_ANSWER else result

    def __del__(self) -> None:
        self._waiting.clear()


def _keep_asking(task: Task, waiting: deque[tuple[int, Any]], answers: SimpleQueue[Any]) -> None:
    """Have items done by a worker until none is left."""
    while waiting:
        try:
            index, item = waiting.popleft()
        except IndexError:
            return  # another thread took the last
        try:
            answers.put((index, _WORKERS.ask(task, item)))
        except WorkerError:
            answers.put((index, _NO_ANSWER))


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
    gc.set_threshold(_UNCOLLECTED)
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
        self._busy: set[subprocess.Popen[str]] = set()
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
        self._busy.add(process)
        try:
            _send(process, json.dumps([task.__module__, task.__name__, [item]]))
            if process.pid in self._owing:
                self._owing.discard(process.pid)
                _received(process)
            answer = _received(process)
        except BaseException:
            _end(process)
            raise
        finally:
            self._busy.discard(process)
        self._idle.append(process)
        if "result" not in answer:
            raise WorkerError(f"{task.__name__} failed")
        return answer["result"]

    def close(self) -> None:
        """End all processes; whoever waits for one gets no answer."""
        for process in list(self._busy):
            process.kill()
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
