"""Order a run's events and group them into operations.

This takes any values, as the original does, and not only events that meet the event contract: what
it makes of others is decided by ECMAScript's comparisons. The server never comes here with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from operator import itemgetter
from typing import TypeAlias, TypeVar

from haia_trace_mcp.ecmascript import UNDEFINED, Json, Undefined, compare, text_key, to_number
from haia_trace_mcp.receipts.receipt import Receipt, make_receipt
from haia_trace_mcp.templates import Template

ValueT = TypeVar("ValueT", bound=Json)
_Group: TypeAlias = "tuple[str, object]"


@dataclass(frozen=True, slots=True)
class Assembly:
    """The receipts of a run in the order of their first events, and the events of no operation."""

    count: int
    receipts: tuple[Receipt, ...]
    unassigned: tuple[Json, ...]


def assemble(values: Sequence[Json], template: Template) -> Assembly:
    """Make the receipts of one run. No value may be null: the original fails on one."""
    groups: dict[_Group, list[dict[str, Json]]] = {}
    ids: dict[_Group, Json] = {}
    unassigned: list[Json] = []
    for value in in_order(values):
        if not isinstance(value, dict) or value.get("context_id", "") == "":
            unassigned.append(value)
            continue
        operation_id = value["context_id"]
        key = _group(operation_id)
        ids.setdefault(key, operation_id)
        groups.setdefault(key, []).append(value)
    receipts = tuple(make_receipt(ids[key], events, template) for key, events in groups.items())
    return Assembly(len(values), receipts, tuple(unassigned))


def in_order(values: Sequence[ValueT]) -> list[ValueT]:
    """Sort events by ``occurred_at`` as text, ``seq`` as a number and ``event_id`` as text.

    Equal ones stay in the order of the file.
    """
    keyed: list[tuple[tuple[str, float, str], ValueT]] = []
    for value in values:
        key = _key(value)
        if key is None:
            return sorted(values, key=cmp_to_key(_compare))
        keyed.append((key, value))
    keyed.sort(key=itemgetter(0))
    return [value for _, value in keyed]


def _key(value: Json) -> tuple[str, float, str] | None:
    """Return what to sort a well-formed event by."""
    if isinstance(value, dict):
        time, seq, event_id = map(value.get, ("occurred_at", "seq", "event_id"))
        if isinstance(time, str) and isinstance(seq, float) and isinstance(event_id, str):
            return text_key(time), seq, text_key(event_id)
    return None


def _compare(left: Json, right: Json) -> int:
    by_time = compare(_member(left, "occurred_at"), _member(right, "occurred_at"))
    if by_time:
        return by_time
    distance = to_number(_member(left, "seq")) - to_number(_member(right, "seq"))
    if distance < 0 or distance > 0:
        return -1 if distance < 0 else 1
    return compare(_member(left, "event_id"), _member(right, "event_id"))


def _member(value: Json, name: str) -> Json | Undefined:
    return value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED


def _group(operation_id: Json) -> _Group:
    """Return what tells operations apart: objects and arrays are each an operation of their own."""
    if isinstance(operation_id, (dict, list)):
        return ("object", id(operation_id))
    return (type(operation_id).__name__, operation_id)
