"""The result of ``tools/call``: text, structured content, and the members older clients read.

The text is the answer as compact JSON. ``structuredContent`` is the same value, in revisions that
have it. Members of an answer that is an object are repeated beside them, since clients written
before there was an envelope read ``result.rows``; none of them takes the place of a member that
the protocol gives a meaning to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from mcp.types import CallToolResult, TextContent
from mcp_types.version import MODERN_PROTOCOL_VERSIONS, is_version_at_least

RESERVED: Final = frozenset({"_meta", "content", "isError", "resultType", "structuredContent"})
_STRUCTURED: Final = "2025-06-18"

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

JsonObject = dict[str, Any]


def encode(value: object) -> str:
    """Return a value as compact JSON, its characters written as they are.

    Raises:
        TypeError: something in it is no JSON, such as bytes or a Decimal.
        ValueError: it holds NaN, an infinity, a lone surrogate or itself.
        RecursionError: it is nested too deeply.
    """
    text = _ENCODER.encode(value)
    text.encode("utf-8")
    return text


def answered(text: str, value: object, version: str) -> CallToolResult:
    """Return the result of a call that was answered, without the members beside the envelope."""
    structured = value if has_structured(value, version) else None
    return CallToolResult(content=[_block(text)], structured_content=structured)


def failed(text: str) -> CallToolResult:
    """Return the result of a call that failed in a way that the model can act on."""
    return CallToolResult(content=[_block(text)], is_error=True)


def _block(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def has_structured(value: object, version: str) -> bool:
    """Tell whether a revision takes a value as structured content."""
    if version in MODERN_PROTOCOL_VERSIONS:
        return value is not None
    return isinstance(value, dict) and is_version_at_least(version, _STRUCTURED)


def spread(result: JsonObject) -> JsonObject:
    """Return a result with the members of its answer beside the envelope.

    A failed call has none. The answer of a revision without structured content is read from the
    text.
    """
    if result.get("isError"):
        return result
    answer: object = result.get("structuredContent")
    if answer is None:
        answer = _read_text(result.get("content"))
    if not isinstance(answer, Mapping):
        return result
    members = cast("Mapping[str, object]", answer)
    return {**{key: members[key] for key in members if key not in RESERVED}, **result}


def _read_text(content: object) -> object:
    """Return the value of content that is one JSON text, None for any other."""
    items = cast("list[object]", content) if isinstance(content, list) else []
    if len(items) != 1:
        return None
    text = cast("JsonObject", items[0]).get("text") if isinstance(items[0], dict) else None
    if not isinstance(text, str) or not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
