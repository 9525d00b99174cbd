"""Measure what the gate of a wrapper costs; print a table of microseconds a call.

Usage: ``python tools/bench/gate.py [--quick]``

Columns are lengths of the allowlist, all of it for one origin. ``call`` is what a handler's call
costs until something could be sent: options, header fields, method, URL, allowlist; nothing is
awaited. ``judge`` is the second check, of the finished request, in the transport. ``denied`` is a
call that is refused. ``parse`` is the HTTP library's own reading of the same URL, which is in
``call`` and would be paid without a gate too.

Time is that of the processor, so that other programs count little.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Sequence

from figures import Table
from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate import Gate
from mcp_wrapper_scaffold.gate.request import judge_request, read_call
from mcp_wrapper_scaffold.gate.transport import URL

_ORIGIN = "https://api.example.com"
_SIZES = (10, 100, 1000, 10_000)
_HEADERS = {
    "Accept": "application/vnd.api+json",
    "Authorization": "Bearer 0123456789abcdef0123456789abcdef0123456789abcdef",
}
_QUERY = "?page[number]=2&page[size]=50&filter[status]=paid"
_BLOCK = 200


def main() -> int:
    """Measure, print the table, and say which bounds hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = 11 if parser.parse_args().quick else 51
    table = Table([f"{size:,}" for size in _SIZES])
    measured = [measure(size) for size in _SIZES]
    figures = [{name: list[float]() for name in steps} for steps in measured]
    gc.disable()
    for _ in range(rounds):
        # Every length in every round, so that a slow minute is everybody's.
        for steps, found in zip(measured, figures, strict=True):
            for name, step in steps.items():
                found[name].append(_microseconds(step))
    for size, found in zip(_SIZES, figures, strict=True):
        for name, each in found.items():
            table.add(name, f"{size:,}", each)
    promise(table)
    print("\n".join(table.show()))
    return 0 if table.is_kept else 1


def promise(table: Table) -> None:
    """Add the bounds."""
    table.promise("a call with 100 entries, µs", table.get("call", "100"), "<", 30)
    both = table.get("call", "100") + table.get("judge", "100")
    table.promise("the second check with it, µs", both, "<", 45)
    for row, bound in (("call", 1.25), ("look-up, verbs", 2.5), ("look-up, deep", 2.5)):
        grown = table.ratio(row, "10,000", "10")
        table.promise(f"{row}: 10,000 entries of one origin, times 10", grown, "<=", bound)


def measure(size: int) -> dict[str, Callable[[], object]]:
    """Return the steps to time with an allowlist of so many entries."""
    entries = allowlist(size)
    gate = Gate(entries)
    fetch = gate.fetch(_ignore)
    permitted = gate.allowlist
    url = f"{_ORIGIN}/v1/orders/42{_QUERY}"
    denied = f"{_ORIGIN}/v1/orders/42/secrets{_QUERY}"
    request = read_call(permitted, url, "GET", _HEADERS, {}).request(None, tuple(_HEADERS.items()))
    return {
        "call": lambda: fetch(url, headers=_HEADERS).close(),
        "judge": lambda: judge_request(permitted, request),
        "denied": lambda: _denied(lambda: fetch(denied, headers=_HEADERS)),
        "look-up, plain": lambda: permitted.methods(_ORIGIN, "/v1/orders"),
        "look-up, verbs": lambda: permitted.methods(_ORIGIN, f"/v1/properties/7:run{size - 4}"),
        "look-up, deep": lambda: permitted.methods(_ORIGIN, f"/v1/sets/{size - 3}/items/7"),
        "parse": lambda: URL(url),
    }


def allowlist(size: int) -> Sequence[AllowEntry]:
    """Return entries of the shapes that APIs have, a quarter each, all of one origin."""
    fixed = [
        AllowEntry(_ORIGIN, "GET", "/v1/orders"),
        AllowEntry(_ORIGIN, "GET", "/v1/orders/*"),
    ]
    shapes: list[Callable[[int], AllowEntry]] = [
        lambda number: AllowEntry(_ORIGIN, "POST", f"/v1/properties/*:run{number}"),
        lambda number: AllowEntry(_ORIGIN, "GET", f"/v1/sets/{number}/items/*"),
        lambda number: AllowEntry(_ORIGIN, "GET", f"/v1/list{number}"),
        lambda number: AllowEntry(_ORIGIN, "GET", f"/v1/*/of-{number}/*-*"),
    ]
    return [*fixed, *(shapes[number % 4](number) for number in range(size - len(fixed)))]


def _microseconds(step: Callable[[], object]) -> float:
    begin = time.process_time()
    for _ in range(_BLOCK):
        step()
    return (time.process_time() - begin) / _BLOCK * 1e6


def _denied(call: Callable[[], object]) -> None:
    try:
        call()
    except GatedFetchDenied:
        return
    raise AssertionError("the call was let through")


def _ignore(denied: GatedFetchDenied) -> None:
    del denied


if __name__ == "__main__":
    sys.exit(main())
