"""The parts of MCP of which a hand-written wrapper has nothing: resources and prompts.

Their lists are empty and not absent: clients ask for all of them, whatever a server declares.
"""

from __future__ import annotations

from typing import Any, NoReturn

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Request = ServerRequestContext[Any, Any]
_RESOURCE_NOT_FOUND = -32002  # what the handshake revisions say


def refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """Refuse a cursor, since every list has one page.

    Raises:
        MCPError: -32602, there is a cursor, and none was handed out.
    """
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, "Unknown cursor: this list has one page")


async def list_resources(
    request: Request, params: PaginatedRequestParams | None
) -> ListResourcesResult:
    """Return no resources."""
    refuse_cursor(params)
    return ListResourcesResult(resources=[])


async def list_templates(
    request: Request, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """Return no templates."""
    refuse_cursor(params)
    return ListResourceTemplatesResult(resource_templates=[])


async def read_resource(request: Request, params: ReadResourceRequestParams) -> NoReturn:
    """Find nothing.

    Raises:
        MCPError: -32602, or -32002 in a handshake revision.
    """
    modern = request.protocol_version in MODERN_PROTOCOL_VERSIONS
    code = INVALID_PARAMS if modern else _RESOURCE_NOT_FOUND
    raise MCPError(code, "Resource not found: there are none", {"uri": params.uri})


async def list_prompts(
    request: Request, params: PaginatedRequestParams | None
) -> ListPromptsResult:
    """Return no prompts."""
    refuse_cursor(params)
    return ListPromptsResult(prompts=[])


async def get_prompt(request: Request, params: GetPromptRequestParams) -> NoReturn:
    """Find nothing.

    Raises:
        MCPError: -32602.
    """
    raise MCPError(INVALID_PARAMS, "Unknown prompt: there are none")
