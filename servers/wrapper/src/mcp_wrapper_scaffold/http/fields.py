"""Header fields of a request."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import Scope


def read_headers(scope: Scope) -> Headers:
    """Return a request's fields, without the spaces that may stand around values."""
    return Headers(raw=[(name, value.strip(b" \t")) for name, value in scope["headers"]])


def only(headers: Headers, name: str) -> str | None:
    """Return the value of a field that came exactly once, None otherwise."""
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else None
