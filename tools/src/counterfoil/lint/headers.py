"""``x-mcp-header``: arguments that HTTP clients repeat in a header.

MCP 2026-07-28, transports/streamable-http, custom headers; server/tools, x-mcp-header. A client
drops a tool whose annotation breaks these rules.
"""

from __future__ import annotations

import re
from typing import Any

from counterfoil.contract.report import Report
from counterfoil.lint.secrets import named_like_a_secret
from counterfoil.lint.survey import Node, Place
from counterfoil.schema.sentences import shown

_KEY = "x-mcp-header"
# RFC 9110, 5.6.2.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = frozenset({"boolean", "integer", "string"})


def judge_headers(places: tuple[Place, ...], report: Report) -> None:
    """Report every annotation that a client would drop the tool for, or should not be there."""
    for place in places:
        seen: dict[str, str] = {}
        for node in place.nodes:
            if _KEY not in node.data:
                continue
            if place.role != "input" or not node.keyword or not node.plain:
                message = f"{_KEY} is only read on properties that `properties` alone lead to"
                report.add("CF133", f"{node.pointer}/{_KEY}", message)
            else:
                _judge(node, seen, report)


def _judge(node: Node, seen: dict[str, str], report: Report) -> None:
    pointer = f"{node.pointer}/{_KEY}"
    value: Any = node.data[_KEY]
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        report.add("CF131", pointer, f"{shown(value)} is no token as RFC 9110 has it")
    elif value.lower() in seen:
        message = f'the header "{value}" is also that of #{seen[value.lower()]}'
        report.add("CF131", pointer, message)
    else:
        seen[value.lower()] = node.pointer
    kind: Any = node.data.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        message = f"a header cannot carry this argument: its type is {shown(kind)}"
        report.add("CF132", f"{node.pointer}/type", message)
    word = named_like_a_secret(node.name)
    if word:
        message = f'"{node.name}" is named like a secret ("{word}") and would travel in a header'
        report.add("CF134", pointer, message)
