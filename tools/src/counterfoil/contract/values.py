"""Take JSON values for what they should be; what they are not is empty."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Say whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Say whether a JSON value is an array."""
    return isinstance(value, list)


def members(value: Any) -> dict[str, Any]:
    """Return an object; anything else gives an empty one."""
    return value if is_object(value) else {}


def items(value: Any) -> list[Any]:
    """Return an array; anything else gives an empty one."""
    return value if is_array(value) else []


def texts(value: Any) -> list[str]:
    """Return the strings of an array."""
    return [each for each in items(value) if isinstance(each, str)]


def text(value: Any) -> str:
    """Return a string; anything else gives an empty one."""
    return value if isinstance(value, str) else ""
