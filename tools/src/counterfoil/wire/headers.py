"""The header fields of a Streamable HTTP request."""

from __future__ import annotations

import base64
import re
from typing import Any

from counterfoil.wire.errors import Reporter
from counterfoil.wire.targets import HttpTarget

SESSION = "Mcp-Session-Id"

_OWN = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    }
)
_NAME = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_PLAIN = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
_SENTINEL = re.compile(r"=\?base64\?.*\?=")
# The parameter that Mcp-Name repeats (basic/transports/streamable-http of 2026-07-28).
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def routing_headers(revision: str, method: str, params: dict[str, Any]) -> dict[str, str]:
    """Return the fields by which a modern request is routed without reading its body."""
    headers = {"MCP-Protocol-Version": revision, "Mcp-Method": method}
    if method in _NAMED_BY:
        headers["Mcp-Name"] = encode_name(params[_NAMED_BY[method]])
    return headers


def encode_name(name: str) -> str:
    """Return a name as a field value: itself, or in Base64 when a field cannot hold it."""
    if _PLAIN.fullmatch(name) and not _SENTINEL.fullmatch(name):
        return name
    return f"=?base64?{base64.b64encode(name.encode('utf-8')).decode('ascii')}?="


def checked_headers(target: HttpTarget, reporter: Reporter) -> dict[str, str]:
    """Return the target's own fields when they can be sent as they are.

    Checked here because the error of ``http.client`` would show the value.

    Raises:
        WireError: for a field that HTTP cannot carry, or that this client sets itself.
    """
    for name, value in target.headers.items():
        shown = reporter.quote(name, 60)
        if not _NAME.fullmatch(name):
            raise reporter.error(
                "target",
                f"the header name {shown} is not one that HTTP can carry",
                "Use letters, digits and hyphens.",
            )
        if name.lower() in _OWN:
            raise reporter.error(
                "target",
                f"the header {shown} is set by the protocol itself",
                "Leave it out of the target's headers.",
            )
        if not _VALUE.fullmatch(value):
            raise reporter.error(
                "target",
                f"the value of the header {shown} holds a character that HTTP cannot carry",
                "Look for a line break at its end.",
            )
    return dict(target.headers)
