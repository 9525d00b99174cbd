"""The wrapper with Google's APIs behind it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from google_analytics import HOSTS, GoogleAnalytics
from google_service import account
from wrapper_room import WrapperRoom, opened

from ga4_mcp.reading import SERVICE_ACCOUNT
from ga4_mcp.server import create_server


@pytest.fixture(autouse=True)
def gate_alone(closed_network: object) -> None:
    """Fail a test in which anything but the gate reaches for the network."""


@pytest.fixture
def google() -> GoogleAnalytics:
    """Return Google, where it is the same time as here."""
    made = GoogleAnalytics()
    made.tokens.now = time.time()
    return made


@pytest.fixture
def room(google: GoogleAnalytics) -> Iterator[WrapperRoom]:
    """Provide the wrapper, with Google behind it."""
    with opened(create_server, {SERVICE_ACCOUNT: account()}, HOSTS, google) as made:
        yield made
