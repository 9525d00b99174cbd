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
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)

from mcp_wrapper_scaffold.calls import GENERIC, Calls
from mcp_wrapper_scaffold.empty_surface import (
    get_prompt,
    list_prompts,
    list_resources,
    list_templates,
    read_resource,
    refuse_cursor,
)
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
        self._listed: dict[str, ListToolsResult] = {}

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
            on_list_resources=list_resources,
            on_list_resource_templates=list_templates,
            on_read_resource=read_resource,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
        )

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        tool = self._tools.get(name)
        return None if tool is None else tool.definition.input_schema

    async def _list(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        refuse_cursor(params)
        version = request.protocol_version
        if version not in self._listed:
            listed = [each.definition.listed(version) for each in self._tools.values()]
            tools = [Tool.model_validate(each) for each in listed]
            self._listed[version] = ListToolsResult(tools=tools)
        return self._listed[version]

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
        if len(text.encode()) > self._answer_bytes:
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


def _faults(judge: Judge, value: object) -> list[str]:
    try:
        return judge.faults(value)
    except RecursionError:
        return ["$: is nested too deeply"]
