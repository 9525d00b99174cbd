"""Measure the toolchain on synthetic contracts; print medians and ratios.

Usage: ``python tools/bench/toolchain.py [--quick]``

Every figure stands beside a peer of the same run: importing ``json`` and ``jsonschema`` for
the check, and one plain run of datamodel-code-generator on the same schemas for the first
generation. Machines differ and are noisy; the ratios are what counts. In brackets, beside
the time on the clock, stands that of the processors. Where the two differ for the plain generator,
which is one process, others were busy and ratios say little: the first generation, which works in
several processes, suffers most.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

_COMMAND = (sys.executable, "-m", "counterfoil")
_OUTPUTS = (
    ("models", "src/bench_bindings"),
    ("stubs", "src/bench_bindings"),
    ("fidelity", "docs/fidelity.md"),
    ("reference", "docs/reference/{server}.md"),
)


@dataclass(frozen=True)
class Run:
    """One process with its children: seconds of wall clock and of processors, and peak MB."""

    seconds: float
    busy: float
    megabytes: float


def main() -> int:
    """Measure, print the table, and say which bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, at most 1,000 tools")
    quick = parser.parse_args().quick
    sizes = [10, 100, 1000] if quick else [10, 100, 1000, 10_000]
    with tempfile.TemporaryDirectory(prefix="counterfoil-bench-") as folder:
        os.environ["COUNTERFOIL_CACHE_DIR"] = str(Path(folder) / "cache")
        warm_up(Path(folder) / "warm")
        rows = {size: measure(Path(folder), size, rounds=3 if quick else 7) for size in sizes}
    return judge(rows)


def warm_up(project: Path) -> None:
    """Run everything once, so that no measured run compiles modules."""
    write_project(project, 1)
    execute(*_COMMAND, "generate", "--project", str(project))
    plain_generator(project)
    _check(project)
    shutil.rmtree(project)


def measure(folder: Path, size: int, rounds: int) -> dict[str, Run]:
    """Measure one size and print its line."""
    project = folder / str(size)
    write_project(project, size)
    few = rounds if size <= 1000 else 3
    found = {"generate": execute(*_COMMAND, "generate", "--project", str(project))}
    found["plain"] = plain_generator(project)
    found["check"] = middle([_check(project) for _ in range(few)])
    found["floor"] = middle(
        [execute(sys.executable, "-c", "import json, jsonschema") for _ in range(few)]
    )
    edits = []
    for number in range(min(few, 3)):
        edit(project, number)
        edits.append(execute(*_COMMAND, "generate", "--project", str(project)))
    found["edit"] = middle(edits)
    shown = "  ".join(
        f"{name} {run.seconds:7.2f} s ({run.busy:.2f}) {run.megabytes:4.0f} MB"
        for name, run in found.items()
    )
    print(f"{size:6} tools  {shown}", flush=True)
    shutil.rmtree(project)
    return found


def judge(rows: dict[int, dict[str, Run]]) -> int:
    """Print ratios against their bounds; return 1 when one does not hold."""
    at = rows[1000]
    lines = [
        ("check / import json, jsonschema", _ratio(at, "check", "floor"), 5.0),
        ("first generate / plain generator", _ratio(at, "generate", "plain"), 1.3),
        ("generate after one edit / first", _ratio(at, "edit", "generate"), 0.1),
        ("peak memory of generate, MB", at["generate"].megabytes, 400.0),
        ("peak memory of check, MB", at["check"].megabytes, 400.0),
        ("exponent of check", exponent(rows, "check"), 1.1),
        ("exponent of generate", exponent(rows, "generate"), 1.1),
    ]
    print("\nat 1,000 tools")
    for name, value, bound in lines:
        verdict = "holds" if value <= bound else "MISSED"
        print(f"  {name:36} {value:8.2f}   bound {bound:g}   {verdict}")
    return 0 if all(value <= bound for _, value, bound in lines) else 1


def exponent(rows: dict[int, dict[str, Run]], name: str) -> float:
    """Return the slope of log(seconds) over log(tools), least squares over the larger sizes."""
    points = [(math.log(size), math.log(found[name].seconds)) for size, found in rows.items()]
    xs, ys = zip(*points[-2:], strict=True)
    return float(statistics.linear_regression(xs, ys).slope)


def write_project(project: Path, size: int) -> None:
    """Write a contract of so many tools, and a configuration with the usual outputs."""
    (project / "contract").mkdir(parents=True)
    tables = ["[tool.counterfoil]\n"]
    tables += [
        f'[[tool.counterfoil.output]]\ntarget = "{name}"\npath = "{path}"\n'
        for name, path in _OUTPUTS
    ]
    (project / "pyproject.toml").write_text("\n".join(tables), "utf-8")
    server = {
        "binding": "mcp",
        "name": "bench",
        "title": "Bench",
        "tools": [tool(number) for number in range(size)],
        "version": "1.0.0",
    }
    _write(project, {"counterfoil": 1, "servers": {"bench": server}})


def tool(number: int) -> dict[str, Any]:
    """Return a tool of eleven properties; no two tools have the same schema."""
    text = {"type": "string", "minLength": 1, "maxLength": 40 + number % 60}
    properties: dict[str, Any] = {
        f"query_{number}": {**text, "description": f"Words to look for in list {number}."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100 + number, "default": 10},
        "cursor": {**text, "description": "Where to go on."},
        "sort": {"enum": ["newest", "oldest", f"rank_{number}"], "type": "string"},
        "tags": {"type": "array", "items": text, "maxItems": 10},
        "exact": {"type": "boolean", "default": False},
        "since": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "ratio": {"type": "number", "minimum": 0, "maximum": 1},
        "owner_id": {"type": ["string", "null"]},
        "filter": {
            "title": "Filter",
            "type": "object",
            "additionalProperties": False,
            "properties": {"field": text, "value": {"type": ["string", "integer"]}},
            "required": ["field"],
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return {
        "auth": "none",
        "description": f"Search list {number}.",
        "exec": {"kind": "handler"},
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": properties,
            "required": [f"query_{number}"],
        },
        "name": f"search_list_{number:05}",
        "surfaces": ["mcp"],
        "title": f"Search list {number}",
    }


def edit(project: Path, number: int) -> None:
    """Change one tool of a contract."""
    data = json.loads((project / "contract/contract.json").read_text("utf-8"))
    schema = data["servers"]["bench"]["tools"][number]["inputSchema"]
    schema["properties"]["limit"]["maximum"] = 5000 + number
    _write(project, data)


def plain_generator(project: Path) -> Run:
    """Run datamodel-code-generator once on the same schemas, as its users do."""
    data = json.loads((project / "contract/contract.json").read_text("utf-8"))
    tools = [
        {"name": each["name"], "inputSchema": each["inputSchema"]}
        for each in data["servers"]["bench"]["tools"]
    ]
    listing = project / "tools.json"
    listing.write_text(json.dumps({"tools": tools}), "utf-8")
    return execute(
        sys.executable, "-m", "datamodel_code_generator",
        "--input", str(listing), "--input-file-type", "mcp-tools", "--formatters", "builtin",
        "--output", str(project / "plain.py"), "--output-model-type", "pydantic_v2.BaseModel",
        "--disable-timestamp",
    )  # fmt: skip


def execute(*command: str) -> Run:
    """Run a command to its end and measure it with its children."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as people run it: compiled once
    start, before = time.perf_counter(), _busy()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    watch = _Watch(process.pid)
    watch.start()
    output, _ = process.communicate(timeout=1800)
    seconds = time.perf_counter() - start
    watch.join()
    if process.returncode:
        raise SystemExit(
            f"{' '.join(command)} failed:\n{output.decode('utf-8', 'replace')[-3000:]}"
        )
    return Run(seconds, _busy() - before, watch.peak / 1e6)


def _busy() -> float:
    """Return the processor time of children that have ended, theirs included."""
    times = psutil.Process().cpu_times()
    return float(times.children_user + times.children_system)


class _Watch(threading.Thread):
    """Sample the memory of a process and its children until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._process = psutil.Process(pid)

    def run(self) -> None:
        try:
            while self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE:
                family = [self._process, *self._process.children(recursive=True)]
                self.peak = max(self.peak, sum(map(_resident, family)))
                time.sleep(0.02)  # a sampling interval; nothing waits for it
        except psutil.NoSuchProcess:
            return


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _check(project: Path) -> Run:
    return execute(*_COMMAND, "check", "--project", str(project))


def middle(runs: list[Run]) -> Run:
    """Return the medians of several runs."""
    return Run(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.busy for run in runs),
        statistics.median(run.megabytes for run in runs),
    )


def _ratio(found: dict[str, Run], name: str, peer: str) -> float:
    return found[name].seconds / found[peer].seconds


def _write(project: Path, data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    (project / "contract/contract.json").write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
