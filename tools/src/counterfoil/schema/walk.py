"""Visit every subschema of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object, items, members
from counterfoil.schema.keywords import LIST, MAP, ONE

Subschema = tuple[str, dict[str, Any] | bool]


def subschemas(schema: Any, pointer: str = "") -> Iterator[Subschema]:
    """Yield ``(pointer, schema)`` for a schema and all schemas inside it, parents first.

    References are not followed. Values that are no schema where one belongs are passed
    over; judging that is the meta-schema's work.
    """
    pending: list[tuple[str, Any]] = [(pointer, schema)]
    while pending:
        at, node = pending.pop()
        if isinstance(node, bool):
            yield at, node
        elif is_object(node):
            yield at, node
            pending.extend(reversed(list(children(node, at))))


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas inside it that are objects, in no order of meaning.

    It finds what :func:`subschemas` finds; without pointers that takes a quarter of the time.
    """
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if not is_object(node):
            continue
        yield node
        for keyword, value in node.items():
            if keyword in ONE:
                pending.append(value)
            elif keyword in LIST:
                pending.extend(items(value))
            elif keyword in MAP:
                pending.extend(members(value).values())


def children(schema: dict[str, Any], pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield ``(pointer, schema)`` for the schemas directly inside a schema."""
    for keyword, value in schema.items():
        at = f"{pointer}/{escape(keyword)}"
        if keyword in ONE:
            yield at, value
        elif keyword in LIST and is_array(value):
            for index, member in enumerate(value):
                yield f"{at}/{index}", member
        elif keyword in MAP and is_object(value):
            for name, member in value.items():
                yield f"{at}/{escape(name)}", member
