"""JSON objects as RFC 8259 has them, for documents in which two readings would be an attack."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, TypeGuard


def read_object(data: bytes) -> dict[str, Any]:
    """Return a JSON object in UTF-8.

    Raises:
        ValueError: it is none, names a member twice, or holds NaN, Infinity or a number beyond
            doubles.
        RecursionError: it is nested too deeply.
    """
    value: object = json.loads(
        data.decode("utf-8"),
        object_pairs_hook=_without_duplicates,
        parse_constant=_refuse_constant,
        parse_float=_read_float,
    )
    if not is_object(value):
        raise ValueError("it is no JSON object")
    return value


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is named twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value
