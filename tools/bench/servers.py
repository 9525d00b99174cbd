"""Measure the dependency-free server against its peers; print a table, and which bounds hold.

Usage: ``python tools/bench/servers.py [--quick] [--only PART ...]``

The peers serve the same tools: the low-level server of the ``mcp`` package and FastMCP, both on
httptools and uvloop, and the TypeScript SDK on node. All of them are measured in the same run, in
turns, so that whatever else the machine does hits all alike; figures are medians, and a ratio is
the median of those of the rounds. Calls over HTTP read an answer of the sandbox gateway that is
played back to all of them alike. Everything stays on loopback. POSIX systems only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeVar

from contestants import FLOOR, OURS, Contestant, call, list_contestants, message
from figures import Table
from http_trials import Load, run_replay, run_sandbox, serve
from stdio_trials import BenchError, End, Start, drain, flow, hang_up, interrupt, start

Figure = TypeVar("Figure")

LIST = message("tools/list")
CALL = call("get_gateway_status", {})
CALLED = "/status"  # which is what the call reads
REFUSED = call("get_wagers", {"first": 0})

START = "start to first tools/list, ms"
START_TIMES = "  in starts of a bare interpreter"
START_MEMORY = "  peak memory until then, MB"
STDIO = {"stdio: tools/list a second": LIST, "stdio: refused tools/call a second": REFUSED}
HTTP_LIST = "HTTP: tools/list a second"
HTTP_CALL = "HTTP: tools/call a second"
HTTP = {HTTP_LIST: LIST, HTTP_CALL: CALL}
HTTP_PARTS = {"lists": HTTP_LIST, "calls": HTTP_CALL}
HTTP_P50, HTTP_P99, HTTP_CPU = "  median, ms", "  p99, ms", "  CPU time of the server, µs"
DRAINED = "answers to 50 calls, input at its end"
ENDS: dict[str, Callable[[Contestant], End]] = {
    "SIGINT, input open: s to the end": interrupt,
    "output closed: s to the end": hang_up,
}
NOISE = "  lines on stderr"


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    starts: int = 9
    flows: int = 3
    messages: int = 2000
    loads: int = 7
    load_seconds: float = 1.5


PARTS = ("starts", "stdio", "lists", "calls", "drain", "ends")
QUICK = Plan(starts=3, flows=1, messages=500, loads=1, load_seconds=1.0)


def main() -> int:
    """Measure, print, and return 1 when a bound is missed, 2 when something cannot be measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; figures for a glance")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="PART", default=PARTS, help=", ".join(PARTS)
    )
    options = parser.parse_args()
    plan, parts = QUICK if options.quick else Plan(), set(options.only)
    contestants = list_contestants()
    table = Table([each.name for each in contestants])
    begin, load = time.monotonic(), os.getloadavg()[0]
    try:
        measure(table, contestants, plan, parts)
    except BenchError as error:
        sys.stderr.write(f"servers.py: {error}\n")
        return 2
    promise(table)
    print("\n".join(table.show()))
    seconds = time.monotonic() - begin
    loads = f"load {load:.1f}, then {os.getloadavg()[0]:.1f}"
    print(f"\n{seconds:.0f} s on {os.cpu_count()} processors, {loads}")
    return 0 if table.is_kept else 1


def measure(table: Table, contestants: list[Contestant], plan: Plan, parts: set[str]) -> None:
    """Measure what is asked for."""
    if "starts" in parts:
        measure_starts(table, contestants, plan)
    if "stdio" in parts:
        measure_flows(table, contestants, plan)
    with run_sandbox() as sandbox:
        rows = [row for part, row in HTTP_PARTS.items() if part in parts]
        if rows:
            with run_replay(sandbox.url, CALLED) as api_url:
                measure_traffic(table, contestants, plan, api_url, rows)
        if "drain" in parts:
            sandbox.slow_down(milliseconds=200)  # so that the input ends while all calls wait
            for each in contestants:
                table.add(DRAINED, each.name, [drain(each, sandbox.url)])
    if "ends" in parts:
        measure_ends(table, contestants)


def measure_starts(table: Table, contestants: list[Contestant], plan: Plan) -> None:
    """Measure how long the first list takes, and the memory until then."""
    commands = {"": FLOOR, **{each.name: each.stdio for each in contestants}}
    for command in commands.values():
        start(command)  # compiles what is not compiled yet
    found: dict[str, list[Start]] = {name: [] for name in commands}
    for _ in range(plan.starts):
        for name, command in commands.items():
            found[name].append(start(command))
    floor = [each.seconds for each in found.pop("")]
    for name, starts in found.items():
        seconds = [each.seconds for each in starts]
        table.add(START, name, [each * 1000 for each in seconds])
        table.add(START_TIMES, name, [a / b for a, b in zip(seconds, floor, strict=True)])
        table.add(START_MEMORY, name, [each.memory / 1e6 for each in starts])


def measure_flows(table: Table, contestants: list[Contestant], plan: Plan) -> None:
    """Measure pipelined messages over stdio."""
    for row, body in STDIO.items():

        def act(each: Contestant, body: bytes = body) -> float:
            return flow(each, body, round(plan.messages * each.share))

        for name, rates in in_turns(contestants, plan.flows, act).items():
            table.add(row, name, rates)


def measure_traffic(
    table: Table, contestants: list[Contestant], plan: Plan, api_url: str, rows: list[str]
) -> None:
    """Measure eight kept connections over HTTP."""
    with ExitStack() as stack:
        served = {each.name: stack.enter_context(serve(each, api_url)) for each in contestants}
        for row in rows:

            def act(each: Contestant, body: bytes = HTTP[row]) -> Load:
                return served[each.name].load(body, plan.load_seconds)

            in_turns(contestants, 1, act)  # warms up
            for name, loads in in_turns(contestants, plan.loads, act).items():
                table.add(row, name, [load.rate for load in loads])
                table.add(row + HTTP_P50, name, [load.p50 for load in loads])
                table.add(row + HTTP_P99, name, [load.p99 for load in loads])
                table.add(row + HTTP_CPU, name, [load.cpu_us for load in loads])


def measure_ends(table: Table, contestants: list[Contestant]) -> None:
    """Measure how a server over stdio takes a signal, and the loss of its reader."""
    for row, act in ENDS.items():
        for each in contestants:
            end = act(each)
            table.add(row, each.name, [end.seconds])
            table.add(row + NOISE, each.name, [end.lines])


def in_turns(
    contestants: list[Contestant], rounds: int, act: Callable[[Contestant], Figure]
) -> dict[str, list[Figure]]:
    """Measure each contestant once a round, so that a busy minute hits all of them."""
    found: dict[str, list[Figure]] = {each.name: [] for each in contestants}
    for _ in range(rounds):
        for each in contestants:
            found[each.name].append(act(each))
    return found


def promise(table: Table) -> None:
    """Hold ours to what the project promises, as far as it was measured."""
    ours = OURS.name

    def add(sentence: str, row: str, sign: str, bound: float, peer: str = "") -> None:
        if row not in table.rows:
            return
        if peer:
            table.promise(f"{sentence}, times {peer}", table.ratio(row, ours, peer), sign, bound)
        else:
            table.promise(sentence, table.get(row, ours), sign, bound)

    add("first tools/list, in starts of a bare interpreter", START_TIMES, "<=", 1.6)
    add("peak memory until then, MB", START_MEMORY, "<", 16)
    for row in STDIO:
        add(row, row, ">=", 10, "mcp")
    add(HTTP_LIST, HTTP_LIST, ">=", 2, "mcp")
    add("HTTP: p99 of tools/list", HTTP_LIST + HTTP_P99, "<", 1, "mcp")
    for peer in table.names[1:]:
        add(HTTP_CALL, HTTP_CALL, ">=", 1.5, peer)
    add(DRAINED, DRAINED, ">=", 50)
    for row in ENDS:
        add(row, row, "<=", 1)
        add(row.partition(":")[0] + ": lines on stderr", row + NOISE, "<=", 0)


if __name__ == "__main__":
    sys.exit(main())
