"""A Trace root for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from haia_trace_events import Trace


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    """Return an empty Trace root."""
    return Trace(tmp_path)
