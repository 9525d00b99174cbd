"""The members of a schema as rows of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.values import items, members

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


@dataclass(frozen=True)
class Field:
    """One place inside a value.

    Attributes:
        path: ``filter.chainId``, ``items[].id``; ``.*`` stands for any name.
        schema: the schema of that place.
        required: whether the object around it must hold it; ``None`` for members without a
            name of their own.
        within: title or number of the alternative that has it, or ``""``.
    """

    path: str
    schema: Any
    required: bool | None = None
    within: str = ""


def fields(schema: Any, path: str = "", within: str = "") -> Iterator[Field]:
    """Yield every place inside a value, outer ones first; references are not followed."""
    known = members(schema)
    if not known:
        return
    required = items(known.get("required"))
    for name, member in members(known.get("properties")).items():
        place = _step(path, name)
        yield Field(place, member, name in required, within)
        yield from fields(member, place, within)
    yield from _nameless(known, path, within)
    for index, member in enumerate(items(known.get("prefixItems"))):
        yield Field(f"{path}[{index}]", member, None, within)
        yield from fields(member, f"{path}[{index}]", within)
    for member in items(known.get("allOf")):
        yield from fields(member, path, within)
    for keyword in ("anyOf", "oneOf"):
        choices = items(known.get(keyword))
        for number, member in enumerate(choices, start=1):
            label = _label(member, number, len(choices))
            yield from fields(member, path, f"{within}, {label}" if within else label)


def _nameless(schema: dict[str, Any], path: str, within: str) -> Iterator[Field]:
    """Yield items of lists and members of maps, where there is something to say of them."""
    for keyword, place in (("additionalProperties", _step(path, None)), ("items", f"{path}[]")):
        member = schema.get(keyword)
        if _speaks(members(member)):
            yield Field(place, member, None, within)
        yield from fields(member, place, within)
    for pattern, member in members(schema.get("patternProperties")).items():
        place = f"{path}[{json.dumps(pattern, ensure_ascii=False)}]"
        yield Field(place, member, None, within)
        yield from fields(member, place, within)


def _speaks(schema: dict[str, Any]) -> bool:
    """Say whether a row for a nameless member tells more than its type, which its parent names."""
    return bool(set(schema) - {"$ref", "additionalProperties", "properties", "required", "type"})


def _step(path: str, name: str | None) -> str:
    if name is None:
        return f"{path}.*" if path else "*"
    if not _PLAIN.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def _label(schema: Any, number: int, total: int) -> str:
    title = members(schema).get("title")
    return title if isinstance(title, str) and title else f"choice {number} of {total}"
