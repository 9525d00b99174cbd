"""Schemas that move: the same schema, with references that lead to where things now are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from counterfoil.contract.values import items, members
from counterfoil.schema.keywords import LIST, MAP, ONE


def relocated(schema: Any, move: Callable[[str], str]) -> Any:
    """Return a copy of a schema in which every ``$ref`` is what ``move`` makes of it.

    Only places that hold schemas are looked at: a ``$ref`` inside ``const``, ``enum``,
    ``default`` or ``examples`` is data, and a property of that name is a property.
    """
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for keyword, value in members(schema).items():
        if keyword == "$ref" and isinstance(value, str):
            result[keyword] = move(value)
        elif keyword in ONE:
            result[keyword] = relocated(value, move)
        elif keyword in LIST and isinstance(value, list):
            result[keyword] = [relocated(member, move) for member in items(value)]
        elif keyword in MAP and isinstance(value, dict):
            placed = members(value).items()
            result[keyword] = {name: relocated(member, move) for name, member in placed}
        else:
            result[keyword] = value
    return result
