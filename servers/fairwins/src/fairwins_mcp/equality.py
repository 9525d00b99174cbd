"""Values as JSON sees them: their types, their equality, and how to name them in a sentence."""

from __future__ import annotations

from fairwins_mcp.errors import shorten
from fairwins_mcp.jsonrpc import encode
from fairwins_mcp.values import is_array, is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable


ARTICLES = {
    "null": "null",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "array": "an array",
    "object": "an object",
}


def name_type(value: object) -> str:
    """Return the JSON Schema type of a value; a float without a fraction is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if is_array(value) else "object"


def freeze(value: object) -> Hashable:
    """Return a key that is equal for equal JSON values and only for those.

    1 and 1.0 are equal, 1 and true are not; the order of an object's members does not count.
    """
    if isinstance(value, bool):
        return ("boolean", value)
    if is_array(value):
        return ("array", tuple(freeze(item) for item in value))
    if is_object(value):
        return ("object", frozenset((key, freeze(member)) for key, member in value.items()))
    return value if isinstance(value, (int, float, str)) else ("null",)


def describe(value: object) -> str:
    """Show a value from a schema in a sentence, as short JSON."""
    return shorten(encode(value).decode("utf-8"), 60)
