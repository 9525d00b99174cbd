"""Measure the index over recorded runs; print a table, and which bounds hold.

Usage: ``python tools/bench/receipts.py [--quick]``

The form is that of the figures that are known of the original: wall clock, CPU time and peak memory
of a process that reads all runs and answers once, by the size of the history. Each figure is the
median over processes; those of single answers are medians within a process, and then over
processes. The original itself is not here to be measured beside it. POSIX systems only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from figures import Table
from recorded_runs import write_runs

TRIAL = Path(__file__).with_name("receipts_trial.py")
ANSWERS = {
    "list": "list_operations, ms",
    "list partial": "list_operations of one verdict, ms",
    "check": "what check_before_pay asks, ms",
    "allow": "check_before_pay, whole, that allows, ms",
    "review": "  that opens a review, flushed to disk, ms",
    "receipt": "get_receipt, ms",
    "append": "an appended event is seen, ms",
}


@dataclass(frozen=True)
class History:
    """Run files of one size, and in how many processes each figure is taken."""

    name: str
    runs: int
    events: int
    rounds: int


SMALL = [
    History("1 event", 1, 1, 5),
    History("1k", 1, 1000, 5),
    History("10k", 1, 10_000, 5),
    History("100k", 1, 100_000, 5),
    History("1,000 x 100", 1000, 100, 3),
]
LARGE = [History("1M", 1, 1_000_000, 3)]


def main() -> int:
    """Measure, print, and return 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="at most 100,000 events, one round")
    quick = parser.parse_args().quick
    histories = SMALL if quick else [*SMALL, *LARGE]
    table = Table([each.name for each in histories])
    begin, load = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="haia-trace-bench-") as folder:
        for history in histories:
            measure(table, history, Path(folder), 1 if quick else history.rounds)
    promise(table, histories)
    print("\n".join(table.show()))
    print(
        f"{time.monotonic() - begin:.0f} s; load {load:.1f} before, {os.getloadavg()[0]:.1f} after"
    )
    return 0 if table.is_kept else 1


def measure(table: Table, history: History, folder: Path, rounds: int) -> None:
    """Put the figures of one size into the table."""
    root = folder / history.name.replace(" ", "-")
    write_runs(root / "events", history.runs, history.events)
    name = history.name
    size = sum(path.stat().st_size for path in (root / "events").iterdir())
    table.add("size, MB", name, [size / 1e6])
    for what in ("cold", "warm"):
        found = [trial(root, what) for _ in range(rounds)]
        expected = history.runs * history.events
        if any(each["events"] != expected for each in found):
            raise SystemExit(f"{name}: not all of the {expected} events were read")
        if what == "warm" and any(each["restored"] != history.runs for each in found):
            raise SystemExit(f"{name}: the saved index was not used")
        table.add(f"{what}: to the first answer, s", name, [each["seconds"] for each in found])
        table.add(f"{what}  CPU time, s", name, [each["cpu"] for each in found])
        table.add(f"{what}  peak memory, MB", name, [each["megabytes"] for each in found])
    found = [trial(root, "answers") for _ in range(rounds)]
    for key, row in ANSWERS.items():
        table.add(row, name, [each[key] for each in found])


def trial(root: Path, what: str) -> dict[str, float]:
    """Run one process over a root."""
    command = [sys.executable, str(TRIAL), str(root), what]
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as people run it: compiled once
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def promise(table: Table, histories: list[History]) -> None:
    """Add the bounds."""
    cold = "cold: to the first answer, s"
    table.promise("100,000 events cold, s", table.get(cold, "100k"), "<=", 1.5)
    check, seen = ANSWERS["allow"], ANSWERS["append"]
    table.promise("check_before_pay, whole, ms", table.get(check, "100k"), "<", 2)
    table.promise("an appended event is seen, ms", table.get(seen, "100k"), "<", 5)
    largest = histories[-1].name if LARGE[0] in histories else "100k"
    for key in ("list", "list partial"):
        row = ANSWERS[key]
        figure = table.get(row, largest) / table.get(row, "10k")
        table.promise(f"{row.removesuffix(', ms')}: {largest} to 10k", figure, "<=", 2)
    if LARGE[0] in histories:
        table.promise("1,000,000 events in one file cold, s", table.get(cold, "1M"), "<", 15)
        memory = table.get("cold  peak memory, MB", "1M")
        table.promise("1,000,000 events in one file, MB", memory, "<", 600)
        table.promise("  check_before_pay there, ms", table.get(check, "1M"), "<", 2)
        table.promise("  an appended event is seen, ms", table.get(seen, "1M"), "<", 5)


if __name__ == "__main__":
    sys.exit(main())
