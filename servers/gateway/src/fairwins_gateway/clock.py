"""The gateway's only source of time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime


class Clock:
    """Tell the time: whole milliseconds since 1970, from whatever ``read`` returns."""

    def __init__(self, read: Callable[[], int] | None = None) -> None:
        self._read = read or (lambda: time.time_ns() // 1_000_000)

    def milliseconds(self) -> int:
        """Return unix milliseconds."""
        return self._read()

    def seconds(self) -> int:
        """Return unix seconds."""
        return self._read() // 1000

    def instant(self) -> str:
        """Return the time as ISO 8601 in UTC, with milliseconds."""
        return instant_of(self._read())

    @classmethod
    def stopped_at(cls, text: str) -> Clock:
        """Return a clock that stands still, at unix seconds or at an ISO 8601 time.

        Raises:
            ValueError: it is neither, or an ISO time without its offset.
        """
        if text.isascii() and text.isdigit():
            moment = int(text) * 1000
        else:
            read = datetime.fromisoformat(text)
            if read.tzinfo is None:
                raise ValueError("an ISO 8601 time needs its offset, such as Z")
            moment = int(read.timestamp()) * 1000
        instant_of(moment)  # refuses what no calendar has
        return cls(lambda: moment)


def instant_of(milliseconds: int) -> str:
    """Write unix milliseconds as ISO 8601 in UTC."""
    seconds, rest = divmod(milliseconds, 1000)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError) as error:
        raise ValueError("this time is in no calendar") from error
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
