"""What each MCP revision may see of a surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS, is_version_at_least

_FIRST = "2024-11-05"
_STRUCTURED = "2025-06-18"

# The revision that introduced each field: a strict client refuses a shape that its own revision
# does not know. Source: the specification's changelogs.
TOOL: Mapping[str, str] = {
    "name": _FIRST,
    "title": "2025-06-18",
    "description": _FIRST,
    "inputSchema": _FIRST,
    "outputSchema": _STRUCTURED,
    "annotations": "2025-03-26",
    "icons": "2025-11-25",
    "execution": "2025-11-25",
    "_meta": "2025-06-18",
}
RESOURCE: Mapping[str, str] = {
    "uri": _FIRST,
    "uriTemplate": _FIRST,
    "name": _FIRST,
    "title": "2025-06-18",
    "description": _FIRST,
    "mimeType": _FIRST,
    "size": _FIRST,
    "annotations": _FIRST,
    "icons": "2025-11-25",
    "_meta": "2025-06-18",
}
PROMPT: Mapping[str, str] = {
    "name": _FIRST,
    "title": "2025-06-18",
    "description": _FIRST,
    "arguments": _FIRST,
    "icons": "2025-11-25",
    "_meta": "2025-06-18",
}
ARGUMENT: Mapping[str, str] = {
    "name": _FIRST,
    "title": "2025-06-18",
    "description": _FIRST,
    "required": _FIRST,
}


def select(entry: Mapping[str, Any], fields: Mapping[str, str], version: str) -> dict[str, Any]:
    """Return the members of an entry that a revision knows, in the entry's order."""
    return {
        key: value
        for key, value in entry.items()
        if key in fields and is_version_at_least(version, fields[key])
    }


def select_tool(entry: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return a tool as a revision lists it.

    Before 2026-07-28 an output is always an object, and so is the schema of a property: ``true``
    is written as ``{}`` there, and ``false`` as ``{"not": {}}``.
    """
    tool = select(entry, TOOL, version)
    if stateless(version):
        return tool
    for key in ("inputSchema", "outputSchema"):
        if key in tool:
            tool[key] = _spelled_out(tool[key])
    if tool.get("outputSchema", {"type": "object"}).get("type") != "object":
        del tool["outputSchema"]
    return tool


def _spelled_out(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    booleans: dict[str, object] = {
        name: {} if each else {"not": {}}
        for name, each in properties.items()
        if isinstance(each, bool)
    }
    return {**schema, "properties": {**properties, **booleans}} if booleans else schema


def stateless(version: str) -> bool:
    """Say whether a revision carries its version in every request and has the new error codes."""
    return version in MODERN_PROTOCOL_VERSIONS


def structured(version: str) -> bool:
    """Say whether a result may hold ``structuredContent``."""
    return is_version_at_least(version, _STRUCTURED)
