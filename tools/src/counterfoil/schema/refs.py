"""References: where they lead, and schemas that stand on their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.contract.values import is_array, members
from counterfoil.schema.walk import objects, subschemas

_SHARED = "#/$defs/"


class DanglingReference(LookupError):
    """Report a local reference that leads nowhere."""


def unescape(token: str) -> str:
    """Undo the escapes of one reference token of a JSON pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def follow(root: Any, reference: str) -> Any:
    """Return what a local reference (``#`` or ``#/…``) leads to.

    Raises:
        DanglingReference: there is nothing there, or the reference is not local.
    """
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        raise DanglingReference(reference)
    node: Any = root
    for token in reference[2:].split("/"):
        key = unescape(token)
        try:
            node = node[int(key)] if is_array(node) else node[key]
        except (KeyError, IndexError, ValueError, TypeError):
            raise DanglingReference(reference) from None
    return node


def shared_name(reference: str) -> str:
    """Return the name that ``#/$defs/Name`` or a place inside it begins with, or ``""``."""
    if not reference.startswith(_SHARED):
        return ""
    return unescape(reference[len(_SHARED) :].split("/")[0])


def references(schema: Any) -> list[tuple[str, str]]:
    """Return ``(pointer, reference)`` of every ``$ref`` in a schema, in document order."""
    return [
        (pointer, node["$ref"])
        for pointer, node in subschemas(schema)
        if isinstance(node, dict) and isinstance(node.get("$ref"), str)
    ]


def shared_names(schema: Any) -> set[str]:
    """Return the names after ``#/$defs/`` in the references of a schema, whoever defines them."""
    found = (node.get("$ref") for node in objects(schema))
    return {shared_name(each) for each in found if isinstance(each, str)} - {""}


def reachable(schema: Any, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shared schemas that a schema needs, directly or not, sorted by name.

    A name that the schema defines itself, or that nobody defines, is left out.
    """
    if not shared:
        return {}
    own = members(members(schema).get("$defs"))
    found: dict[str, Any] = {}
    pending: list[Any] = [schema]
    while pending:
        for name in shared_names(pending.pop()):
            if name in shared and name not in own and name not in found:
                found[name] = shared[name]
                pending.append(shared[name])
    return dict(sorted(found.items()))


def bundled(schema: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that stands on its own: what it needs of the contract is in its ``$defs``.

    A schema that needs nothing is returned as it is. A root that is only a reference to a
    shared object gets ``"type": "object"`` beside it, as MCP asks of a root.
    """
    needed = reachable(schema, shared)
    if not needed:
        return schema
    result = {**schema, "$defs": {**needed, **schema.get("$defs", {})}}
    if "$ref" in schema and "type" not in schema:
        result["type"] = "object"
    return dict(sorted(result.items()))
