"""Measure `counterfoil breaking` beside mcp-contract; print medians, and judge the bounds.

Usage: ``python tools/bench/evolution.py [--quick]``

mcp-contract compares a recorded snapshot with a running server and nothing else, so the row in
which both ask the same server is the fair one; it is installed into a folder of its own, since it
pins what this repository does not. Where that fails, our own bounds are judged all the same.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import Table
from toolchain import tool

_PEER = "mcp-contract==0.6.0"
_LISTING = Path(__file__).parent / "peers" / "listing.py"
_OURS = (sys.executable, "-m", "counterfoil", "breaking")
_SECONDS = 300
_NAMES = ["counterfoil", "mcp-contract"]
_SMALL, _LARGE = 3, 1000
_CLEAN, _FOUND = 0, 1


@dataclass(frozen=True)
class Run:
    """Seconds of wall clock from start to exit, and of the processor, children included."""

    seconds: float
    processor: float


def main() -> int:
    """Measure, print the table, and return 1 when a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 5 if parser.parse_args().quick else 15
    with tempfile.TemporaryDirectory(prefix="counterfoil-evolution-") as name:
        folder = Path(name)
        for size in (_SMALL, _LARGE):
            write(folder, size)
        table = Table(_NAMES)
        measure_own(table, folder, rounds)
        peer = install_peer(folder / "peer")
        if peer is not None:
            measure_peer(table, folder, peer, rounds)
    print("\n".join(table.show()))
    return 0 if table.is_kept else 1


def write(folder: Path, size: int) -> None:
    """Write a contract and a list of so many tools, and both with one tool of a hundred changed."""
    tools = [tool(number) for number in range(size)]
    for name, listed in (("old", tools), ("new", changed(tools))):
        server = {"binding": "mcp", "name": "b", "title": "B", "version": "1.0.0", "tools": listed}
        contract = {"counterfoil": 1, "servers": {"b": server}}
        text = json.dumps(contract, indent=2, sort_keys=True) + "\n"
        (folder / f"{name}-{size}.json").write_text(text, "utf-8")
        keys = ("name", "title", "description", "inputSchema")
        bare = [{key: each[key] for key in keys} for each in listed]
        (folder / f"{name}-{size}-list.json").write_text(json.dumps(bare), "utf-8")


def changed(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools of which every hundredth needs one more argument, the first one included."""
    made = copy.deepcopy(tools)
    for each in made[::100]:
        each["inputSchema"]["properties"]["region"] = {"type": "string"}
        each["inputSchema"]["required"].append("region")
    return made


def measure_own(table: Table, folder: Path, rounds: int) -> None:
    """Measure ours on files, beside the start of the interpreter, which nobody can do without."""
    floor = [run(sys.executable, "-c", "pass") for _ in range(rounds)]
    _add(table, "an interpreter that does nothing", "counterfoil", floor)
    for size, few, bound in ((_SMALL, rounds, 0.25), (_LARGE, min(rounds, 5), 3.0)):
        lists, contracts = f"-{size}-list.json", f"-{size}.json"
        for kind, ending in (("lists", lists), ("contracts", contracts)):
            old, new = str(folder / f"old{ending}"), str(folder / f"new{ending}")
            for what, target, status in (("equal", old, _CLEAN), ("breaking", new, _FOUND)):
                row = f"{size} tools, two {kind}, {what}"
                command = (*_OURS, "--against", old, target)
                run(*command, status=status)  # compiles what is not compiled yet
                _add(table, row, "counterfoil", [run(*command, status=status) for _ in range(few)])
                table.promise(row, table.get(f"{row}, s", "counterfoil"), "<", bound)


def measure_peer(table: Table, folder: Path, peer: Path, rounds: int) -> None:
    """Measure the peer and ours, one soon after the other, on a snapshot and the same server."""
    for size in (_SMALL, _LARGE):
        server = (sys.executable, "-I", "-S", str(_LISTING))
        old, new = (str(folder / f"{name}-{size}-list.json") for name in ("old", "new"))
        snapshot = str(folder / f"snapshot-{size}.json")
        run(str(peer), "snapshot", "--file", snapshot, "--", *server, old)
        theirs = (str(peer), "check", "--file", snapshot, "--", *server, new)
        ours = (*_OURS, "--against", old, f"stdio:{shlex.join((*server, new))}")
        row = f"{size} tools, a list and a server, breaking"
        run(*theirs, status=_FOUND)
        pairs = [
            (run(*ours, status=_FOUND), run(*theirs, status=_FOUND)) for _ in range(min(rounds, 5))
        ]
        _add(table, row, "counterfoil", [pair[0] for pair in pairs])
        _add(table, row, "mcp-contract", [pair[1] for pair in pairs])


def _add(table: Table, row: str, name: str, figures: list[Run]) -> None:
    table.add(f"{row}, s", name, [each.seconds for each in figures])
    table.add(f"{row}, s  of the processor", name, [each.processor for each in figures])


def install_peer(folder: Path) -> Path | None:
    """Return the peer's command, or ``None`` after saying why there is none."""
    try:
        venv.create(folder, with_pip=True)
        places = {"nt": "Scripts"}
        programs = folder / places.get(os.name, "bin")
        subprocess.run(
            [str(programs / "python"), "-m", "pip", "install", "--quiet",
             "--disable-pip-version-check", _PEER],
            check=True, capture_output=True, timeout=_SECONDS, encoding="utf-8",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", "") or error).strip().splitlines()
        print(f"{_PEER} could not be installed, so no peer is measured: {said[-1:]}")
        return None
    return programs / "mcp-contract"


def run(*command: str, status: int = _CLEAN) -> Run:
    """Run a command from start to exit; stop when it ends otherwise than it should.

    ``PYTHONDONTWRITEBYTECODE`` is taken away: people's commands are compiled once.
    """
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(
        command, capture_output=True, env=environment, timeout=_SECONDS, check=False
    )
    seconds, after = time.perf_counter() - start, os.times()
    if done.returncode != status:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")[-2000:]
        raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}:\n{said}")
    user = after.children_user - before.children_user
    return Run(seconds, user + after.children_system - before.children_system)


if __name__ == "__main__":
    sys.exit(main())
