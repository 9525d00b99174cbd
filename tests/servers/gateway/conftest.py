"""A bench for each test."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest
from gateway_bench import Bench

MakeBench = Callable[..., Bench]


@pytest.fixture
def make_bench() -> Generator[MakeBench]:
    """Return a maker of benches, all of which are closed afterwards."""
    made: list[Bench] = []

    def make(*faults: str, **settings: Any) -> Bench:
        made.append(Bench(*faults, **settings))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    """Return a bench without faults."""
    return make_bench()
