"""Hand-written tools on a server of the MCP SDK."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.caching import CacheableMethod
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)

from mcp_wrapper_scaffold.calls import GENERIC, Calls
from mcp_wrapper_scaffold.envelope import answered, encode, failed
from mcp_wrapper_scaffold.schemas import Judge
from mcp_wrapper_scaffold.tooldefs import ToolDef, check_names

LOG = logging.getLogger(__name__)
Request = ServerRequestContext[Any, Any]

_FIXED = CacheHint(ttl_ms=300_000, scope="public")  # tools stay the same while a server runs
_CACHE: Mapping[CacheableMethod, CacheHint] = {
    "server/discover": _FIXED,
    "prompts/list": _FIXED,
    "resources/list": _FIXED,
    "resources/templates/list": _FIXED,
    "tools/list": _FIXED,
}


@dataclass(frozen=True)
class Info:
    """What is known of a call before its context is made."""

    name: str
    protocol_version: str
    request_id: str | int | None


@dataclass(frozen=True)
class _Tool:
    definition: ToolDef
    arguments: Judge
    answer: Judge | None


class ToolServer:
    """Answer ``tools/list`` and ``tools/call`` from definitions.

    Args:
        tools: the definitions, in the order in which they are listed.
        calls: opens the contexts of handlers.
        answer_bytes: the largest answer.
    """

    def __init__(self, tools: Sequence[ToolDef], calls: Calls, answer_bytes: int) -> None:
        check_names(tools)
        self._calls = calls
        self._answer_bytes = answer_bytes
        self._tools = {
            tool.name: _Tool(
                tool,
                Judge(tool.input_schema),
                None if tool.output_schema is None else Judge(tool.output_schema),
            )
            for tool in tools
        }
        self._listed = ListToolsResult(tools=[Tool.model_validate(tool.listed()) for tool in tools])

    def server(self, name: str, version: str, title: str | None, instructions: str | None) -> Any:
        """Return a server of the SDK that serves the tools."""
        return Server[Any](
            name,
            version=version,
            title=title,
            instructions=instructions,
            cache_hints=_CACHE,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list,
            on_call_tool=self._call,
            # Empty, and not absent: clients ask for all three, whatever a server declares.
            on_list_resources=_list_resources,
            on_list_resource_templates=_list_templates,
            on_list_prompts=_list_prompts,
        )

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        tool = self._tools.get(name)
        return None if tool is None else tool.definition.input_schema

    async def _list(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        _refuse_cursor(params)
        return self._listed

    async def _call(self, request: Request, params: CallToolRequestParams) -> CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:128]}. Known: {known}")
        arguments = params.arguments or {}
        faults = _faults(tool.arguments, arguments)
        if faults:
            lines = [f"The arguments do not fit the input schema of {params.name}:", *faults]
            return failed("\n- ".join(lines))
        info = Info(params.name, request.protocol_version, request.request_id)
        async with self._calls.opened(info) as context:
            answer = await tool.definition.handler(arguments, context)
        return self._result(tool, answer, request.protocol_version)

    def _result(self, tool: _Tool, answer: object, version: str) -> CallToolResult:
        name = tool.definition.name
        try:
            text = encode(answer)
        except (TypeError, ValueError, RecursionError) as error:
            LOG.error("tool %s: the answer is no JSON: %s", name, type(error).__name__)
            raise MCPError(INTERNAL_ERROR, GENERIC) from None
        if len(text) > self._answer_bytes:
            return failed(
                f"The answer of {name} has more than {self._answer_bytes} bytes; ask for less."
            )
        faults = [] if tool.answer is None else _faults(tool.answer, answer)
        if faults:
            LOG.error(
                "tool %s: the answer breaks its output schema in %d places", name, len(faults)
            )
            raise MCPError(INTERNAL_ERROR, GENERIC)
        return answered(text, answer, version)


def _refuse_cursor(params: PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, "Unknown cursor: this list has one page")


async def _list_resources(
    request: Request, params: PaginatedRequestParams | None
) -> ListResourcesResult:
    _refuse_cursor(params)
    return ListResourcesResult(resources=[])


async def _list_templates(
    request: Request, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    _refuse_cursor(params)
    return ListResourceTemplatesResult(resource_templates=[])


async def _list_prompts(
    request: Request, params: PaginatedRequestParams | None
) -> ListPromptsResult:
    _refuse_cursor(params)
    return ListPromptsResult(prompts=[])


def _faults(judge: Judge, value: object) -> list[str]:
    try:
        return judge.faults(value)
    except RecursionError:
        return ["$: is nested too deeply"]
