"""Parameters of an operation: as a route has them, and as a tool's arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from counterfoil.contract.values import is_object, items, text
from counterfoil.importer.openapi.document import Document

# A segment of a path: unreserved characters, and never a dot segment (RFC 3986, 2.3 and 3.3).
SEGMENT = "^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,254}$"
_NUMBERS = {
    "integer": "^-?(0|[1-9][0-9]{0,18})$",
    "number": "^-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,18})?$",
    "boolean": "^(false|true)$",
}
_NATURAL = "^(0|[1-9][0-9]{0,18})$"
_ANYTHING = "^[^\\x00]*$"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_COMBINED = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
_DEEPEST = 20  # wrappings of one schema in another
_SAFE = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")


def is_identifier(name: str) -> bool:
    """Say whether a name can be that of a parameter in a contract."""
    return _IDENTIFIER.fullmatch(name) is not None


def plain_schema(document: Document, schema: Any) -> Any:
    """Return the schema of a value that is written into an address, spelled out.

    References, wrappings of a single schema and ``null``, which no address can hold, are gone:
    generators of documents write an optional text in all of these ways.
    """
    for _ in range(_DEEPEST):
        node = _with_siblings(document, schema)
        inner = [
            each
            for key in ("allOf", "anyOf", "oneOf")
            for each in items(node.get(key))
            if document.resolved(each).get("type") != "null"
        ]
        if len(inner) != 1:
            return _without_null(node) if is_object(schema) else schema
        rest = {key: value for key, value in node.items() if key not in ("allOf", "anyOf", "oneOf")}
        schema = {**_with_siblings(document, inner[0]), **rest}
    return schema


def _with_siblings(document: Document, schema: Any) -> dict[str, Any]:
    """Return what a reference leads to, with what stands beside it where that counts."""
    if document.legacy or not is_object(schema):
        return document.resolved(schema)
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**document.resolved(schema), **beside}


def _without_null(node: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: value for key, value in node.items() if key != "nullable"}
    kinds = [kind for kind in items(made.get("type")) if kind != "null"]
    if len(kinds) == 1:
        made["type"] = kinds[0]
    if None in items(made.get("enum")):
        made["enum"] = [value for value in made["enum"] if value is not None]
    if made.get("default", ...) is None:
        del made["default"]
    return made


def path_parameter(name: str, told: str, schema: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return a path parameter of a route, and the schema of the argument that fills it.

    The argument takes no more than what is safe in a segment, whatever the document says.
    """
    made = dict(schema)
    values = items(schema.get("enum"))
    if values and all(isinstance(each, str) and _SAFE.fullmatch(each) for each in values):
        pattern = f"^({'|'.join(map(re.escape, values))})$"
    elif schema.get("type") == "integer":
        pattern = _NATURAL
        low = schema.get("minimum", 0)
        made["minimum"] = max(low, 0) if isinstance(low, int) else 0
        made.setdefault("maximum", 2**53 - 1)
    else:
        pattern = SEGMENT
        made = {
            key: value
            for key, value in schema.items()
            if key in ("title", "description", "default", "examples", "format")
        }
        made |= {"type": "string", "pattern": SEGMENT}
    return {"name": name, "description": told, "pattern": pattern}, made


def query_parameter(
    name: str, told: str, schema: Mapping[str, Any], *, required: bool
) -> dict[str, Any] | None:
    """Return a query parameter of a route, or ``None`` for a value that is no scalar."""
    kinds = schema.get("type", "string")
    values = items(schema.get("enum"))
    if not isinstance(kinds, str) or kinds in ("array", "object") or _COMBINED & schema.keys():
        return None
    pattern = text(schema.get("pattern"))
    if values and all(isinstance(each, str) for each in values):
        made = f"^({'|'.join(re.escape(str(each)) for each in values)})$"
    elif kinds == "string" and pattern.startswith("^") and pattern.endswith("$"):
        made = pattern
    else:
        made = _NUMBERS.get(kinds, _ANYTHING)
    parameter: dict[str, Any] = {"name": name, "description": told, "pattern": made}
    if required:
        parameter["required"] = True
    if kinds != "string" and is_object(schema):
        parameter["schema"] = dict(schema)
    return parameter
