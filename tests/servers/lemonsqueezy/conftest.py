"""The wrapper with LemonSqueezy's API behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lemonsqueezy_api import HOST, KEY, LemonSqueezyApi
from wrapper_room import WrapperRoom, opened

from lemonsqueezy_mcp.reading import API_KEY
from lemonsqueezy_mcp.server import create_server


@pytest.fixture(autouse=True)
def gate_alone(closed_network: object) -> None:
    """Fail a test in which anything but the gate reaches for the network."""


@pytest.fixture
def api() -> LemonSqueezyApi:
    """Return the API, with a shop of its own."""
    return LemonSqueezyApi()


@pytest.fixture
def room(api: LemonSqueezyApi) -> Iterator[WrapperRoom]:
    """Provide the wrapper, with the API behind it."""
    with opened(create_server, {API_KEY: KEY}, [HOST], api) as made:
        yield made
