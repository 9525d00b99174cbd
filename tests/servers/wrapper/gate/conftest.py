"""Gates for tests: without a network, and with servers on the loopback address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from gate_rows import ALLOWLIST
from recording_network import RecordingNetwork

from mcp_wrapper_scaffold.allowlist import Entry
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate import Fetch, Gate


class Recorded:
    """A gate on a recording network, the fetch of one call, and the denials of that call."""

    def __init__(self, entries: Iterable[Entry] = ALLOWLIST, **options: Any) -> None:
        self.network = options.pop("network", None) or RecordingNetwork()
        self.gate = Gate(entries, network=self.network, **options)
        self.denials: list[GatedFetchDenied] = []
        self.fetch: Fetch = self.gate.fetch(self.denials.append)

    def denial(self, *args: Any, **options: Any) -> GatedFetchDenied:
        """Return what a call that is not to pass raises."""
        with pytest.raises(GatedFetchDenied) as caught:
            self.fetch(*args, **options)
        assert self.denials == [caught.value]
        assert self.network.connections == []
        return caught.value


@asynccontextmanager
async def _recorded(*args: Any, **options: Any) -> AsyncIterator[Recorded]:
    recorded = Recorded(*args, **options)
    try:
        yield recorded
    finally:
        await recorded.gate.aclose()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def recording() -> Callable[..., Any]:
    return _recorded
