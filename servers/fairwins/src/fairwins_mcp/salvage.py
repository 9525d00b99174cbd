"""Lines that are no JSON: find out whom to answer all the same."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.shapes import RequestId

SEARCH_LIMIT = 1 << 20  # characters of a broken line that are searched; a bound on time
_TOKEN = re.compile(r'\s*("[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+)', re.DOTALL)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,999})\Z")


def find_id(text: str) -> RequestId | None:
    """Find the ``id`` of a message whose text does not parse, or None.

    Reads symbols, not structure: a complete string or whole number between ``"id":`` and the next
    comma or brace of the outermost object. More than one candidate makes the id unreadable.
    """
    text = text[:SEARCH_LIMIT]
    depth = position = 0
    last: tuple[str, ...] = ("",) * 4
    found: list[RequestId] = []
    while match := _TOKEN.match(text, position):
        symbol, position = match[1], match.end()
        ends_member = depth == 1 and symbol in (",", "}")
        if ends_member and last[0] in ("{", ",") and last[1:3] == ('"id"', ":"):
            candidate = _read_id(last[3])
            if candidate is not None:
                found.append(candidate)
        if symbol in ("{", "["):
            if depth == 0 and symbol != "{":
                return None
            depth += 1
        elif symbol in ("}", "]"):
            depth -= 1
        last = (*last[1:], symbol)
    return found[0] if len(found) == 1 else None


def _read_id(token: str) -> RequestId | None:
    if _INTEGER.match(token):
        return int(token)
    if not token.startswith('"'):
        return None
    try:
        value: object = json.loads(token)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
