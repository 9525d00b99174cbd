"""Read from an event what the index keeps of it.

The fast way reads only the members that matter and skips the rest. It is stricter than
``JSON.parse`` in some things (lone surrogates, numbers out of range, depth, and members of other
types than usual) and laxer in none; whatever it refuses goes the exact way.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.runs import check_envelope
from haia_trace_mcp.runs.lines import line_text, line_value


class Terms(NamedTuple):
    """Terms of payment as recorded; None for what is absent or of another type than text.

    ``amount`` is in atomic units. A v1 offer's amount is not recorded upstream, so it is None.
    """

    scheme: str | None
    network: str | None
    asset: str | None
    amount: str | None
    pay_to: str | None


class Requirements(msgspec.Struct, gc=False):
    """The members of Terms as they are decoded."""

    scheme: str | None = None
    network: str | None = None
    asset: str | None = None
    amount: str | None = None
    pay_to: str | None = None


class Resource(msgspec.Struct, gc=False):
    """What was paid for."""

    url: str | None = None


class Payload(msgspec.Struct, gc=False):
    """The members of an x402 payload that name terms or a service."""

    requirements: Requirements | None = None
    accepts: list[Requirements] | None = None
    resource: Resource | None = None


class Event(msgspec.Struct, gc=False):
    """An event that meets the event contract.

    An absent ``context_id`` is the empty text, which means the same; an absent role is unset.
    """

    event_id: str
    event_type: str
    occurred_at: str
    seq: float
    adapter: str
    payload: Payload
    context_id: str = ""
    role: str | msgspec.UnsetType = msgspec.UNSET


_decode: Final = msgspec.json.Decoder(Event).decode
_REFUSALS: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def decode_event(line: bytes, run_id: str, number: int) -> Event | None:
    """Return the event of a line, or None for a blank line.

    Raises:
        RunError: the line is not JSON, or breaks the event contract.
    """
    try:
        return _decode(line)
    except _REFUSALS:
        return _exact(line, run_id, number)


def _exact(line: bytes, run_id: str, number: int) -> Event | None:
    text = line_text(line)
    if text is None:
        return None
    event = check_envelope(line_value(text, run_id, number), run_id, number)
    payload = _object(event["payload"])
    accepts = payload.get("accepts")
    resource = payload.get("resource")
    return Event(
        event_id=_text(event["event_id"]) or "",
        event_type=_text(event["event_type"]) or "",
        occurred_at=_text(event["occurred_at"]) or "",
        seq=0.0,
        adapter="",
        payload=Payload(
            requirements=_requirements(payload.get("requirements")),
            accepts=[
                found
                for each in (accepts if isinstance(accepts, list) else [])
                if (found := _requirements(each)) is not None
            ],
            resource=Resource(_text(_object(resource).get("url"))),
        ),
        context_id=_text(event.get("context_id")) or "",
        role=msgspec.UNSET if (role := _text(event.get("role"))) is None else role,
    )


def _requirements(value: Json) -> Requirements | None:
    if not isinstance(value, dict):
        return None
    return Requirements(*(_text(value.get(name)) for name in Terms._fields))


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
