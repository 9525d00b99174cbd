"""A wrapper of a few hand-written tools, for tests of the server room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp_wrapper_scaffold import (
    AllowEntry,
    CallableSecret,
    Context,
    ToolDef,
    WrapperServer,
    create_wrapper_server,
)

TOKEN = "sesame-open-0123456789"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
ANY = {"type": "object"}
Handler = Callable[[dict[str, Any], Context], Awaitable[object]]


def tool(handler: Handler, **fields: Any) -> ToolDef:
    """Return a tool that is named after its handler and takes any arguments."""
    given = {"name": getattr(handler, "__name__", "tool"), "description": "For tests."}
    return ToolDef(handler=handler, **{**given, "input_schema": ANY, **fields})


def wrap(
    *tools: Handler | ToolDef,
    origin: str = "http://127.0.0.1:9",
    allowlist: Iterable[AllowEntry] | None = None,
    **options: Any,
) -> WrapperServer:
    """Return a wrapper of tools, with one entry for ``GET /v1/*`` at an origin."""
    entries = [AllowEntry(origin, "GET", "/v1/*")] if allowlist is None else allowlist
    given = {"agent_token": CallableSecret(lambda: TOKEN, label="the token"), "allowlist": entries}
    made = [each if isinstance(each, ToolDef) else tool(each) for each in tools]
    return create_wrapper_server(tools=made, **{**given, **options})
