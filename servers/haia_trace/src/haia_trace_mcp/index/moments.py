"""Times of events in milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:")
_SECONDS: Final = {f"{second:02}.": second * 1000 for second in range(60)}
_MILLISECONDS: Final = {f"{count:03}Z": count for count in range(1000)}
_KNOWN_LIMIT: Final = 100_000


class Moments:
    """Reads times in the one form that the event contract has, and remembers the minutes."""

    def __init__(self) -> None:
        self._minutes: dict[str, int] = {}

    def read(self, text: str) -> int | None:
        """Return milliseconds since 1970; None for a time in any other form."""
        try:
            return self._minutes[text[:17]] + _SECONDS[text[17:20]] + _MILLISECONDS[text[20:]]
        except KeyError:
            return self._first(text)

    def _first(self, text: str) -> int | None:
        """Read a time whose minute was not met before, or refuse it."""
        minute = text[:17]
        seconds, milliseconds = _SECONDS.get(text[17:20]), _MILLISECONDS.get(text[20:])
        if seconds is None or milliseconds is None or not _MINUTE.fullmatch(minute):
            return None
        try:
            moment = datetime.fromisoformat(f"{minute}00+00:00")
        except ValueError:  # such as a 13th month
            return None
        if len(self._minutes) >= _KNOWN_LIMIT:
            self._minutes.clear()
        begin = self._minutes[minute] = round(moment.timestamp() * 1000)
        return begin + seconds + milliseconds


moment_of: Final = Moments().read
"""Reads times for all of this process."""
