"""JSON as this gateway reads and writes it: strict in, ASCII out."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, TypeGuard

JsonObject = dict[str, Any]


def parse(body: bytes) -> Any:
    """Read one JSON document in UTF-8.

    Raises:
        ValueError: it is none, a name is there twice, a number is not finite, or a text holds
            half of a character.
    """
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_collect,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list)


def dump(value: Any) -> bytes:
    """Write compact JSON in ASCII, members in the order in which they were put in."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _collect(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is there twice")
    return members


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
