"""The time of day, in milliseconds since 1970, and as the event contract writes it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]


def system_clock() -> int:
    """Return the system's time. It may go backwards."""
    return time.time_ns() // 1_000_000


def time_text(at: int) -> str:
    """Return a time as text with milliseconds, in UTC."""
    seconds, milliseconds = divmod(at, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds:03}Z"
