"""JSON values of unknown shape, told apart for people and type checkers alike."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from fairwins_mcp.shapes import JsonObject, RequestId


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Tell a JSON object; what came from a JSON text has string keys."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Tell a JSON array."""
    return isinstance(value, list)


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell a JSON number; Python counts booleans as numbers, JSON does not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Tell what MCP allows as the id of a request: a string or an integer, never null."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)
