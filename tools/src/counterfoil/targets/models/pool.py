"""Spread independent work over processes.

A worker is a fresh interpreter that is told where to import a function from. Unlike the workers
of ``multiprocessing`` it never imports the program that started it, so it does not matter what
that program is: a test runner, a notebook, or a script that does its work at the top level.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

Task = Callable[[Any], Any]

_MOST = 8
_START = (
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
    if count < 2 or not sys.executable:
        for index, item in enumerate(items):
            yield index, task(item)
        return
    workers = _Workers(task)
    try:
        with ThreadPoolExecutor(count) as threads:
            asked = {threads.submit(workers.ask, item): index for index, item in enumerate(items)}
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
    finally:
        workers.close()


def serve() -> None:
    """Answer the process that started this one, until it closes our input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    module, name = json.loads(sys.stdin.readline())
    task: Task = getattr(importlib.import_module(module), name)
    for line in sys.stdin:
        try:
            answer = {"result": task(json.loads(line))}
        except Exception:  # noqa: BLE001 - it is raised where the item is done again
            answer = {}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class _Workers:
    """One process for each thread that asks."""

    def __init__(self, task: Task) -> None:
        self._hello = f"{json.dumps(sys.path)}\n{json.dumps([task.__module__, task.__name__])}\n"
        self._own = threading.local()
        self._started: list[subprocess.Popen[str]] = []

    def ask(self, item: Any) -> Any:
        """Have an item done.

        Raises:
            WorkerError: there is no answer, or the task raised.
        """
        try:
            process = self._process()
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(item) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            return answer["result"]
        except (OSError, ValueError, KeyError) as error:
            raise WorkerError from error

    def close(self) -> None:
        """End the processes."""
        for process in self._started:
            process.kill()
            process.communicate()

    def _process(self) -> subprocess.Popen[str]:
        process: subprocess.Popen[str] | None = getattr(self._own, "process", None)
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            self._own.process = process
            self._started.append(process)
            assert process.stdin is not None
            process.stdin.write(self._hello)
        return process


def _processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1
