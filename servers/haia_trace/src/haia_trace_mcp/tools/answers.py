"""Answers in the form in which they can go over the wire.

Lone surrogates are legal in JSON text and in an event, and impossible in UTF-8: no client gets
them. They become U+FFFD, except in the text of a receipt, where they are escaped as the original
escapes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

from mcp.types import TextContent

from counterfoil_bindings.runtime import ToolFailure, ToolResult
from haia_trace_mcp.ecmascript import Json, print_json
from haia_trace_mcp.index import Operation
from haia_trace_mcp.receipts import Receipt
from haia_trace_mcp.service import Listing
from haia_trace_mcp.wording import quoted

Answer: TypeAlias = "dict[str, object]"

DEPTH_LIMIT: Final = 150
"""How deep an event may be nested: clients refuse messages of 200 levels, envelopes included."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def list_answer(listing: Listing) -> Answer:
    """Return the answer of ``list_operations``."""
    return portable(
        {
            "operations": [_row(operation) for operation in listing.operations],
            "runs_scanned": listing.runs,
        }
    )


def receipt_answer(run_id: str, receipt: Receipt) -> ToolResult:
    """Return the answer of ``get_receipt``.

    Its text is the receipt byte for byte as the original prints it, with ``run_id`` behind the
    last member. Its structured content is what the text means.

    Raises:
        ToolFailure: an event is nested deeper than any client reads.
    """
    for event in receipt.events:
        if _is_deeper(event, DEPTH_LIMIT):
            raise ToolFailure(
                f"The receipt cannot be sent: the event {quoted(str(event.get('event_id')))} is "
                f"nested deeper than {DEPTH_LIMIT} levels, which MCP's clients do not read. It is "
                "recorded, and explain tells of the receipt."
            )
    text = print_json({**receipt.to_json(), "run_id": run_id})
    return ToolResult(
        structured=portable(json.loads(text)), content=[TextContent(type="text", text=text)]
    )


def portable(answer: Mapping[str, object]) -> Answer:
    """Return an answer whose texts can be encoded in UTF-8."""
    return cast("Answer", _portable(answer))


def _row(operation: Operation) -> Answer:
    return {
        "run_id": operation.run_id,
        "operation_id": operation.operation_id,
        "template": operation.template,
        "completeness": operation.completeness,
        "missing_stages": list(operation.missing),
        "exception_count": operation.exception_count,
        "last_event_at": operation.last_event_at,
    }


def _portable(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub("\ufffd", value)
    if isinstance(value, list):
        return [_portable(each) for each in cast("list[object]", value)]
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return {str(_portable(name)): _portable(each) for name, each in members.items()}
    return value


def _is_deeper(value: Json, levels: int) -> bool:
    """Tell whether a value is nested deeper, without going deeper oneself."""
    if not isinstance(value, dict | list):
        return False
    if levels == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(_is_deeper(each, levels - 1) for each in inner)
