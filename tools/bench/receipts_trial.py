"""One process over one Trace root: read it, answer, and print the figures as JSON.

Usage: ``python tools/bench/receipts_trial.py ROOT cold|warm|answers``
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from haia_trace_mcp.guard import Guard
from haia_trace_mcp.index import IndexStore, TraceIndex, moment_of
from haia_trace_mcp.policy import read_policy
from haia_trace_mcp.reviews import Reviews
from haia_trace_mcp.root import TraceRoot
from haia_trace_mcp.templates import Templates
from recorded_runs import address, operation

TEMPLATE = "x402-buyer"
ASKED = 300
GENEROUS = {"amount": "1000000000", "windowHours": 24 * 366}
LENIENT = {
    "perCounterpartyLimit": GENEROUS,
    "windowLimit": GENEROUS,
    "maxOpenPartialPerCounterparty": 1_000_000,
    "duplicateWindowMinutes": 1,
    "reviewAbove": "1000",
}
"""Every rule looks at what it can, and none objects."""


def main(path: str, what: str) -> int:
    """Carry out one trial."""
    root = TraceRoot(Path(path))
    store = IndexStore(root) if what == "warm" else None
    start, used = time.perf_counter(), time.process_time()
    index = TraceIndex(root, Templates(root), store=store)
    index.refresh()
    index.operations(TEMPLATE, limit=50)
    figures = {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - used,
        "events": sum(run.events for run in index.runs()),
        "restored": len(store.restored) if store else 0,
        "megabytes": peak(),
    }
    if what == "answers":
        figures |= answers(index, Path(path)) | checks(index, root)
    if what == "cold":
        keep = IndexStore(root)
        saving = TraceIndex(root, Templates(root), store=keep)
        saving.refresh()
        saving.save()
    print(json.dumps(figures))
    return 0


def answers(index: TraceIndex, path: Path) -> dict[str, float]:
    """Return medians in milliseconds. Each answer begins with a look for new events."""
    source = random.Random(1)  # noqa: S311 - the same figures each time, no secrets
    parties = [address(source.randrange(100)) for _ in range(ASKED)]
    newest = index.operations(TEMPLATE, limit=1)[0]

    def check(turn: int) -> None:
        index.refresh()
        account = index.of_counterparty(TEMPLATE, parties[turn])
        account.open_operations(20)
        account.spent_since(0)

    def read(turn: int) -> None:
        index.refresh()
        index.receipt(newest.run_id, newest.operation_id, TEMPLATE)

    def list_all(turn: int) -> None:
        index.refresh()
        index.operations(TEMPLATE, limit=50)

    def list_partial(turn: int) -> None:
        index.refresh()
        index.operations(TEMPLATE, completeness="partial", limit=50)

    for turn in range(ASKED):  # the books of every counterparty are opened once
        check(turn)
    found = {
        "list": milliseconds(list_all),
        "list partial": milliseconds(list_partial),
        "check": milliseconds(check),
        "receipt": milliseconds(read),
    }
    new = [line for number in range(ASKED // 3) for line in operation(source, 10**8 + number, 100)]
    last = sorted((path / "events").iterdir())[-1]
    with last.open("ab", buffering=0) as file:

        def append(turn: int) -> None:
            file.write(new[turn])
            index.refresh()
            index.operations(TEMPLATE, limit=1)

        found["append"] = milliseconds(append, min(ASKED, len(new)))
    return found


def checks(index: TraceIndex, root: TraceRoot) -> dict[str, float]:
    """Return medians of ``check_before_pay`` as a whole: rules, history, review log, disk."""
    last = moment_of(index.operations(TEMPLATE, limit=1)[0].last_event_at) or 0
    source = random.Random(2)  # noqa: S311 - the same figures each time, no secrets
    parties = [address(source.randrange(100)) for _ in range(ASKED)]

    def check(above: str, expected: str) -> Callable[[int], None]:
        policy = read_policy(json.dumps({**LENIENT, "reviewAbove": above}).encode())
        reviews = Reviews.below(root)
        guard = Guard(index, Templates(root), policy, reviews, clock=lambda: last)

        def act(turn: int) -> None:
            # Another amount each time: the same one would get the review that is there.
            decision = guard.check(parties[turn], f"0.{turn + 1:06}").decision
            if decision != expected:
                raise SystemExit(f"the guard said {decision} instead of {expected}")

        return act

    allowing = check("1000", "allow")
    milliseconds(allowing)  # the books of every counterparty are opened once
    return {"allow": milliseconds(allowing), "review": milliseconds(check("0", "review"))}


def milliseconds(act: Callable[[int], None], turns: int = ASKED) -> float:
    """Return the median time of an act."""
    times: list[float] = []
    for turn in range(turns):
        start = time.perf_counter()
        act(turn)
        times.append(time.perf_counter() - start)
    return median(times) * 1000


def peak() -> float:
    """Return the most memory that this process held, in MB."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
