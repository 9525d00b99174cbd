"""Measure a wrapped read against its peer; print a table, and which bounds hold.

Usage: ``python tools/bench/wrapper.py [--quick]``

The peer is the same tool on FastMCP, behind its check of a static bearer token. Both read one
upstream on loopback, each with its usual HTTP client, ours through its gate; both are served by
uvicorn on httptools and uvloop. They are measured in the same run, in turns; figures are medians,
and a ratio is the median of those of the rounds. POSIX systems only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass

from contestants import Contestant
from figures import Table
from http_trials import Load, serve
from servers import in_turns
from stdio_trials import BenchError
from wrapper_trials import (
    LIST,
    QUICK_CALL,
    Upstream,
    gather_crowd,
    leave_crowd,
    list_wrappers,
    load,
    run_upstream,
)

CALL = "tools/call a second"
LISTED = "tools/list a second"
P50, P99, CPU = "  median, ms", "  p99, ms", "  CPU time of the server, µs"
CROWD = 500
BEYOND = 600  # more than run at once
DELAY = 8.0  # of the upstream, in seconds: all of a crowd have come by then
SLOW = f"{CROWD} slow calls at once: answered"
MEMORY, MEANWHILE = "  memory for them, MB", "  slowest tools/list meanwhile, ms"
REFUSED = f"{BEYOND} slow calls at once: refused with 503"
LEFT = f"{CROWD} clients that leave: s to hang up upstream"


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    loads: int = 15
    load_seconds: float = 1.0


QUICK = Plan(loads=5)


def main() -> int:
    """Measure, print, and return 1 when a bound is missed, 2 when something cannot be measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; figures for a glance")
    plan = QUICK if parser.parse_args().quick else Plan()
    begin, loads = time.monotonic(), os.getloadavg()[0]
    try:
        with run_upstream() as upstream:
            contestants = list_wrappers(upstream)
            table = Table([each.name for each in contestants])
            measure_traffic(table, contestants, upstream, plan)
            measure_crowds(table, contestants, upstream)
    except BenchError as error:
        sys.stderr.write(f"wrapper.py: {error}\n")
        return 2
    promise(table)
    print("\n".join(table.show()))
    seconds = time.monotonic() - begin
    loaded = f"load {loads:.1f}, then {os.getloadavg()[0]:.1f}"
    print(f"\n{seconds:.0f} s on {os.cpu_count()} processors, {loaded}")
    return 0 if table.is_kept else 1


def measure_traffic(
    table: Table, contestants: list[Contestant], upstream: Upstream, plan: Plan
) -> None:
    """Measure eight kept connections."""
    with ExitStack() as stack:
        served = {each.name: stack.enter_context(serve(each, upstream.url)) for each in contestants}
        for row, body in ((CALL, QUICK_CALL), (LISTED, LIST)):

            def act(each: Contestant, body: bytes = body) -> Load:
                return load(served[each.name], body, plan.load_seconds)

            in_turns(contestants, 1, act)  # warms up
            for name, loads in in_turns(contestants, plan.loads, act).items():
                table.add(row, name, [each.rate for each in loads])
                table.add(row + P50, name, [each.p50 for each in loads])
                table.add(row + P99, name, [each.p99 for each in loads])
                table.add(row + CPU, name, [each.cpu_us for each in loads])


def measure_crowds(table: Table, contestants: list[Contestant], upstream: Upstream) -> None:
    """Measure many slow calls, each crowd on a server of its own."""
    for each in contestants:
        with serve(each, upstream.url) as served:
            crowd = gather_crowd(served, upstream, CROWD, DELAY)
            table.add(SLOW, each.name, [crowd.answered])
            table.add(SLOW + MEMORY, each.name, [crowd.memory / 1e6])
            table.add(SLOW + MEANWHILE, each.name, [crowd.list_ms])
        with serve(each, upstream.url) as served:
            table.add(LEFT, each.name, [leave_crowd(served, upstream, CROWD, DELAY)])
        with serve(each, upstream.url) as served:
            crowd = gather_crowd(served, upstream, BEYOND, DELAY)
            table.add(REFUSED, each.name, [crowd.refused])


def promise(table: Table) -> None:
    """Hold ours to what the project promises."""
    ours, peer = table.names
    table.promise("tools/call a second, times the peer", table.ratio(CALL, ours, peer), ">=", 1)
    ratio = table.ratio(CALL + P99, ours, peer)
    table.promise("p99 of tools/call, times the peer", ratio, "<", 1)
    table.promise(SLOW, table.get(SLOW, ours), ">=", CROWD)
    table.promise("memory for them, MB", table.get(SLOW + MEMORY, ours), "<", 64)
    table.promise("tools/list meanwhile, ms", table.get(SLOW + MEANWHILE, ours), "<", 250)
    table.promise(LEFT, table.get(LEFT, ours), "<=", 2)
    table.promise(REFUSED, table.get(REFUSED, ours), ">=", BEYOND - 512)


if __name__ == "__main__":
    sys.exit(main())
