"""Arguments repeated in header fields, where a tool's schema says so with ``x-mcp-header``."""

from __future__ import annotations

import re

from fairwins_mcp.errors import HEADER_MISMATCH, RpcError
from fairwins_mcp.http.era import decode_field
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairwins_mcp.http.heads import Head
    from fairwins_mcp.shapes import JsonObject
    from fairwins_mcp.surface import Surface

ANNOTATION = "x-mcp-header"
_PREFIX = "Mcp-Param-"
_INTEGER = re.compile(r"(-?[0-9]{1,40})(?:\.0{1,40})?")


class Annotations:
    """Compare header fields with arguments, for the tools of a surface."""

    def __init__(self, surface: Surface) -> None:
        self._names = {
            name: dict(_collect(entry["inputSchema"], ())) for name, entry in surface.tools.items()
        }

    def check(self, head: Head, params: JsonObject) -> None:
        """Compare the fields of one call.

        Raises:
            RpcError: -32020, a field is missing, too many, or says something else.
        """
        tool: object = params.get("name")
        fields = self._names.get(tool) if isinstance(tool, str) else None
        for path, field in (fields or {}).items():
            value = _dig(params.get("arguments"), path)
            key = field.lower()
            given = head.fields.get(key)
            if given is None and value is None:
                continue
            if given is None or value is None or key in head.repeated:
                problem = "came without its argument" if value is None else "is missing or repeated"
                raise RpcError(HEADER_MISMATCH, f"Header mismatch: {field} {problem}")
            if not _says(given, value):
                raise RpcError(HEADER_MISMATCH, f"Header mismatch: {field} is not its argument")


def _collect(schema: JsonObject, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find the annotations that count: those below ``properties`` alone."""
    properties: object = schema.get("properties")
    if not is_object(properties):
        return
    for name, inner in properties.items():
        if not is_object(inner):
            continue
        field: object = inner.get(ANNOTATION)
        if isinstance(field, str):
            yield (*path, name), _PREFIX + field
        yield from _collect(inner, (*path, name))


def _dig(value: object, path: tuple[str, ...]) -> object:
    for name in path:
        value = value.get(name) if is_object(value) else None
    return value


def _says(given: str, value: object) -> bool:
    text = decode_field(given)
    if text is None:
        return False
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, (int, float)):
        match = _INTEGER.fullmatch(text)
        return match is not None and int(match[1]) == value
    return text == value
