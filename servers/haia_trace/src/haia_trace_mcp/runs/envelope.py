"""The event contract: what every line of a run has to be before anything is made of it."""

from __future__ import annotations

from typing import Final

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.errors import RunError

_REQUIRED: Final[tuple[tuple[str, type, str], ...]] = (
    ("event_id", str, "a string"),
    ("event_type", str, "a string"),
    ("occurred_at", str, "a string"),
    ("seq", float, "a number"),
    ("adapter", str, "a string"),
    ("payload", dict, "an object"),
)
_OPTIONAL: Final = ("context_id", "role")


def check_envelope(value: Json, run_id: str, line: int) -> dict[str, Json]:
    """Return an event as it is, if it meets the event contract.

    Types are judged, not spellings: an empty text, another way to write a time and a fractional
    ``seq`` pass, because the original assembles them like any other.

    Raises:
        RunError: the line is no object, or a member is missing or of the wrong type.
    """
    if not isinstance(value, dict):
        raise _fault(run_id, line, None, f"is {_name(value)}; an event is an object")
    for field, kind, name in _REQUIRED:
        if field not in value:
            raise _fault(run_id, line, field, "is missing")
        if not isinstance(value[field], kind):
            raise _fault(run_id, line, field, f"is {_name(value[field])}; it has to be {name}")
    for field in _OPTIONAL:
        if field in value and not isinstance(value[field], str):
            raise _fault(run_id, line, field, f"is {_name(value[field])}; it has to be a string")
    return value


def _fault(run_id: str, line: int, field: str | None, reason: str) -> RunError:
    return RunError(run_id, reason, code="envelope", line=line, field=field)


def _name(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (float, str)):
        return "a number" if isinstance(value, float) else "a string"
    return "an array" if isinstance(value, list) else "an object"
