"""The smallest contract there is."""

from __future__ import annotations

import copy
from typing import Any

import pytest

SMALLEST: dict[str, Any] = {
    "counterfoil": 1,
    "servers": {
        "a": {"binding": "mcp", "name": "a", "title": "A", "tools": [], "version": "1.0.0"}
    },
}


@pytest.fixture
def smallest() -> dict[str, Any]:
    """Give a copy of the smallest contract."""
    return copy.deepcopy(SMALLEST)
