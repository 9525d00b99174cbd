from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from haia_trace_mcp.reviews import LogBusyError
from haia_trace_mcp.reviews.locking import locked


@pytest.fixture
def descriptors(tmp_path: Path) -> Generator[tuple[int, int]]:
    opened = [os.open(tmp_path / "log", os.O_RDWR | os.O_APPEND | os.O_CREAT) for _ in range(2)]
    yield opened[0], opened[1]
    for descriptor in opened:
        os.close(descriptor)


def test_who_waits_gives_up_when_nothing_is_written(descriptors: tuple[int, int]) -> None:
    held, waiting = descriptors
    with locked(held, 0), pytest.raises(LogBusyError), locked(waiting, 0, lambda: None):
        pass


def test_who_waits_goes_on_while_the_log_grows(descriptors: tuple[int, int]) -> None:
    held, waiting = descriptors
    holder = locked(held, 0)
    holder.__enter__()
    lines = iter(range(20))

    def write_or_leave() -> None:
        os.write(held, b"\n")
        if next(lines) == 19:
            holder.__exit__(None, None, None)

    with locked(waiting, 0, write_or_leave):
        assert os.fstat(waiting).st_size == 20
