"""Run as a script: processes that use one review log, and are killed in the middle of a write.

Forking is done here, in a process of one thread.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from haia_trace_mcp.reviews import DecidedError, Reason, ReviewLog, Reviews
from haia_trace_mcp.root import TraceRoot

REASONS = (Reason("history", "No operation with this counterparty is recorded."),)


def _in_child(act: Callable[[], int]) -> int:
    """Run something in a process of its own; return its identifier."""
    child = os.fork()
    if child:
        return child
    status = 70
    try:
        status = act()
    except BaseException:  # noqa: BLE001 - whatever it is, the parent's test has to show it
        traceback.print_exc()
    finally:
        os._exit(status)


def _open(reviews: Reviews, name: str) -> str:
    with reviews.session() as session:
        return session.open(f"{name}.example", "0.25", "USDC", "x402-buyer", REASONS).review_id


def tear(folders: Path, most: int) -> None:
    """In folder N, open a review, and be killed after N bytes of the line that approves it.

    Prints how many bytes that line has.
    """
    size = 0
    for count in range(most):
        root = TraceRoot(folders / str(count))
        review_id = _open(Reviews.below(root), "seller")

        def die_after(descriptor: int, data: bytes, count: int = count) -> int:
            os.write(descriptor, data[:count])
            os.kill(os.getpid(), signal.SIGKILL)
            return 0  # never comes to this

        dying = Reviews(ReviewLog(root, write=die_after))

        def approve(dying: Reviews = dying, review_id: str = review_id) -> int:
            dying.approve(review_id, "Fine this once.")
            return 0

        _, status = os.waitpid(_in_child(approve), 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        if not size:
            size = len(_approval(folders / "whole", review_id))
        if count == size:
            break
    print(size)


def _approval(folder: Path, like: str) -> bytes:
    """Return the line of the same approval when nothing happens to its writer."""
    reviews = Reviews(ReviewLog(TraceRoot(folder)), new_id=lambda: like)
    reviews.approve(_open(reviews, "seller"), "Fine this once.")
    return (folder / "guard/decisions.ndjson").read_bytes().splitlines(keepends=True)[1]


def crowd(folder: Path, processes: int, each: int) -> None:
    """Let processes open reviews, and all decide the same ones, at once.

    A process ends with how many of the shared reviews it decided.
    """
    root = TraceRoot(folder)
    shared = [_open(Reviews.below(root), f"shared-{count}") for count in range(each)]

    def work(number: int) -> int:
        reviews = Reviews(ReviewLog(root, patience=math.inf))
        won = 0
        for count, review_id in enumerate(shared):
            _open(reviews, f"own-{number}-{count}")
            try:
                (reviews.approve if number % 2 else reviews.reject)(review_id, f"by {number}")
                won += 1
            except DecidedError:
                pass
        return won

    children = [_in_child(lambda number=number: work(number)) for number in range(processes)]
    print(*(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))


def main() -> None:
    """Do what the command line says."""
    command, folder, *numbers = sys.argv[1:]
    if command == "tear":
        tear(Path(folder), *map(int, numbers))
    else:
        crowd(Path(folder), *map(int, numbers))


if __name__ == "__main__":
    main()
