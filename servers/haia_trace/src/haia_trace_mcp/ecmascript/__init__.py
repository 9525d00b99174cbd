"""JSON, text order and comparison as ECMAScript has them, which receipts depend on to the byte."""

from __future__ import annotations

from haia_trace_mcp.ecmascript.order import (
    UNDEFINED,
    Undefined,
    compare,
    key_text,
    text_key,
    to_number,
)
from haia_trace_mcp.ecmascript.printing import number_text, print_json
from haia_trace_mcp.ecmascript.reading import (
    DEPTH_LIMIT,
    WHITE_SPACE,
    Json,
    MalformedJsonError,
    parse_json,
)

__all__ = [
    "DEPTH_LIMIT",
    "UNDEFINED",
    "WHITE_SPACE",
    "Json",
    "MalformedJsonError",
    "Undefined",
    "compare",
    "key_text",
    "number_text",
    "parse_json",
    "print_json",
    "text_key",
    "to_number",
]
