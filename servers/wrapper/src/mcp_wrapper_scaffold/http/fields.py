"""Header fields that count only when they came once."""

from __future__ import annotations

from starlette.datastructures import Headers


def only(headers: Headers, name: str) -> str | None:
    """Return the value of a field that came exactly once, None otherwise."""
    values = headers.getlist(name)
    return values[0].strip(" \t") if len(values) == 1 else None
