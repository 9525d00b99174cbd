"""Work in other processes: it gives what it gives here, whatever program asks for it."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.targets.models.pool import WorkerError, Workers, spread

TASKS = """
import os
import threading

def double(item):
    return 2 * item

def chatter(item):
    print("not an answer")
    return item

def fail(item):
    raise LookupError(f"no {item}")

def vanish(item):
    if os.getpid() != item:
        os._exit(3)
    return "done here"

def write(item):
    with open(item, "w") as mark:
        mark.write("written")

def tell_and_stay(item):
    with open(item, "w") as mark:
        mark.write(str(os.getpid()))
    threading.Event().wait(60)

def whereabouts(item):
    return os.getpid()
"""


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Callable[[Any], Any]]:
    name = f"tasks_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(TASKS, "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return lambda function: getattr(importlib.import_module(name), function)


@pytest.fixture
def workers() -> Any:
    made = Workers()
    yield made
    made.close()


def test_few_items_are_done_in_this_process(task: Any) -> None:
    assert dict(spread(task("whereabouts"), [0, 1], worth=2)) == dict.fromkeys((0, 1), os.getpid())


def test_a_worker_gives_what_the_task_gives(task: Any, workers: Workers) -> None:
    assert [workers.ask(task("double"), item) for item in (1, 2)] == [2, 4]


def test_a_worker_is_another_process_and_is_kept_for_the_next_item(
    task: Any, workers: Workers
) -> None:
    first, second = (workers.ask(task("whereabouts"), 0) for _ in range(2))
    assert first == second != os.getpid()


def test_what_a_task_prints_is_no_answer(task: Any, workers: Workers) -> None:
    assert workers.ask(task("chatter"), "x") == "x"


def test_a_worker_that_is_gone_is_an_error_and_not_used_again(task: Any, workers: Workers) -> None:
    with pytest.raises(WorkerError):
        workers.ask(task("vanish"), os.getpid())
    assert workers.ask(task("double"), 4) == 8


def run_script(folder: Path, body: str) -> list[str]:
    """Run a script that does its work at the top level, as notebooks and small scripts do."""
    script = folder / "script.py"
    script.write_text(body, "utf-8")
    (folder / "tasks.py").write_text(TASKS, "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    body = """
import os
os.sched_getaffinity = lambda _: {0, 1}  # as on a machine with two processors
from counterfoil.targets.models.pool import spread
import tasks
print("begin")
print(sorted(spread(tasks.double, list(range(40)), worth=1)) == [(n, 2 * n) for n in range(40)])
print(all(pid != os.getpid() for _, pid in spread(tasks.whereabouts, [0] * 4, worth=1)))
"""
    assert run_script(tmp_path, body) == ["begin", "True", "True"]


def test_work_begins_before_anybody_asks_for_a_result(tmp_path: Path) -> None:
    body = """
import os, pathlib
os.sched_getaffinity = lambda _: {0, 1}
from counterfoil.targets.models.pool import spread
import tasks
mark = pathlib.Path(__file__).with_name("mark")
os.mkfifo(mark)
results = spread(tasks.write, [str(mark), str(mark) + "2"], worth=1)
print(mark.read_text())  # there is nothing to read until a worker has written
"""
    assert run_script(tmp_path, body) == ["written"]


def test_a_program_that_ends_waits_for_no_worker_and_leaves_none(tmp_path: Path) -> None:
    body = """
import os, pathlib
os.sched_getaffinity = lambda _: {0, 1}
from counterfoil.targets.models.pool import spread
import tasks
mark = pathlib.Path(__file__).with_name("mark")
os.mkfifo(mark)
results = spread(tasks.tell_and_stay, [str(mark), str(mark) + "2"], worth=1)
print(int(mark.read_text()) != os.getpid(), flush=True)
"""
    assert run_script(tmp_path, body) == ["True"]


def test_what_a_task_raises_in_a_worker_is_raised_here(tmp_path: Path) -> None:
    body = """
import os
os.sched_getaffinity = lambda _: {0, 1}
from counterfoil.targets.models.pool import spread
import tasks
try:
    list(spread(tasks.fail, [1, 2, 3], worth=1))
except LookupError as error:
    print(type(error).__name__)
print(sorted(spread(tasks.vanish, [os.getpid()] * 3, worth=1))[0])
"""
    assert run_script(tmp_path, body) == ["LookupError", "(0, 'done here')"]


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_a_worker_leaves_an_interrupt_to_who_started_it() -> None:
    code = "from counterfoil.targets.models.pool import serve; serve()"
    worker = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        for number in (-1, -2):
            assert worker.stdin is not None
            assert worker.stdout is not None
            worker.stdin.write(f'["operator", "abs", [{number}]]\n')
            worker.stdin.flush()
            assert worker.stdout.readline() == f'{{"result": {-number}}}\n'
            worker.send_signal(signal.SIGINT)
        _, told = worker.communicate(timeout=60)
    finally:
        worker.kill()
    assert (worker.returncode, told) == (0, "")
