"""Titles for nested objects that have none, since classes are named after them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from counterfoil.contract.values import is_object, members
from counterfoil.names import class_name
from counterfoil.schema.refs import unescape
from counterfoil.schema.walk import subschemas

_SCHEMAS = ("inputSchema", "outputSchema")
_STEPS = frozenset({"properties", "patternProperties"})


def with_titles(server: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Return a server whose nested objects have titles, and how many were given one.

    A title is made of the tool's name and the names on the way to the object, so that it stays
    when something else changes. It is part of what is served.
    """
    made = copy.deepcopy(server)
    count = 0
    for tool in made["tools"]:
        for key in _SCHEMAS:
            if key in tool:
                count += title_schema(tool[key], class_name(tool["name"]))
    return made, count


def title_schema(schema: Any, base: str) -> int:
    """Give titles to the nested objects of a schema, in place; return how many got one."""
    taken = {text for _, node in subschemas(schema) for text in _titles(node)}
    count = 0
    for pointer, node in subschemas(schema):
        if pointer and is_object(node) and _is_untitled(node, pointer):
            title = _unique(base + "".join(map(class_name, _names(pointer))), taken)
            node["title"] = title
            taken.add(title)
            count += 1
    return count


def _titles(node: Any) -> Iterator[str]:
    title = members(node).get("title")
    if isinstance(title, str):
        yield title


def _is_untitled(node: dict[str, Any], pointer: str) -> bool:
    if pointer.split("/")[-2:-1] in (["$defs"], ["definitions"], ["allOf"]):
        return False
    return bool(members(node.get("properties"))) and "title" not in node


def _names(pointer: str) -> list[str]:
    """Return the words of a place: names of members, and ``item`` for what stands in a list."""
    steps = [unescape(step) for step in pointer.split("/")[1:]]
    found: list[str] = []
    for before, step in zip(["", *steps], steps, strict=False):
        if before in _STEPS or before == "$defs" or step.isdecimal():
            found.append(step)
        elif step == "items":
            found.append("item")
    return found


def _unique(title: str, taken: set[str]) -> str:
    number, found = 2, title
    while found in taken:
        found = f"{title}{number}"
        number += 1
    return found
