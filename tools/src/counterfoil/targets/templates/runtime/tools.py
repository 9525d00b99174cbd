"""Tools: listed as the contract has them, called through typed handlers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from mcp import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from pydantic import BaseModel, ValidationError

from .boundary import (
    LOG,
    ContextFactory,
    JsonObject,
    Request,
    call_context,
    guarded,
    opened,
    refuse_cursor,
    text_block,
)
from .calls import ToolFailure, ToolResult
from .revisions import select_tool, structured
from .schemas import Judge
from .wording import listed, shortened, shown

Handler = Callable[[Any, Any], Awaitable[object]]
_FAULTS = 8


class BoundTool:
    """One tool of the contract and the handler that carries it out.

    Args:
        entry: the tool as the surface has it.
        handler: takes the typed arguments and the context.
        model: returns the typed view of the arguments; it is imported with the first call.
    """

    def __init__(
        self, entry: JsonObject, handler: Handler, model: Callable[[], type[BaseModel]]
    ) -> None:
        self.entry = entry
        self.name = str(entry["name"])
        self._handler = handler
        self._load_model = model
        self._input = Judge(entry["inputSchema"])
        self._output = Judge(entry["outputSchema"]) if "outputSchema" in entry else None

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Return what is wrong with patterns of its schemas, one sentence each."""
        return self._input.unreadable + (self._output.unreadable if self._output else ())

    @cached_property
    def _model(self) -> type[BaseModel]:
        return self._load_model()

    async def call(
        self, request: Request, arguments: Mapping[str, object], factory: ContextFactory | None
    ) -> CallToolResult:
        """Judge the arguments, hand them to the handler, judge its answer."""
        with_structured = structured(request.protocol_version)
        faults = self._input.faults(arguments)
        if faults:
            heading = f"The arguments do not fit the input schema of {self.name}:"
            return _failed(listed(heading, faults))
        try:
            typed = self._model.model_validate(arguments)
        except ValidationError as error:
            heading = f"The typed view of this server cannot hold these arguments of {self.name}:"
            return _failed(listed(heading, _places(error)))
        answer: object = None
        try:
            async with opened(factory, call_context(request, self.name, arguments)) as context:
                answer = await self._handler(typed, context)
        except ToolFailure as failure:
            given = None if failure.structured is None else _json(failure.structured)[1]
            return _failed(failure.text, given if with_structured else None)
        return self._result(answer, with_structured)

    def _result(self, answer: object, with_structured: bool) -> CallToolResult:
        if isinstance(answer, str) and self._output is None:
            return CallToolResult(content=[text_block(answer)])
        whole = answer if isinstance(answer, ToolResult) else ToolResult(cast("Any", answer))
        if whole.structured is None:
            if whole.content is None or not (whole.is_error or self._output is None):
                raise TypeError(f"the handler of {self.name} gave no structured content")
            text, value = "", None
        else:
            text, value = _json(whole.structured)
            if not whole.is_error:
                self._judge(value)
        return CallToolResult(
            content=[text_block(text)] if whole.content is None else list(whole.content),
            structured_content=value if with_structured else None,
            is_error=whole.is_error,
            _meta=None if whole.meta is None else dict(whole.meta),
        )

    def _judge(self, value: dict[str, Any]) -> None:
        """Hold an answer to the output schema: a caller may rely on it.

        Raises:
            MCPError: -32603 without detail; the log names the tool and the places.
        """
        faults = [] if self._output is None else self._output.faults(value)
        if faults:
            LOG.error("tool %s: the answer breaks its output schema: %s", self.name, faults)
            raise MCPError(INTERNAL_ERROR, "Internal error")


class Tools:
    """Answer ``tools/list`` and ``tools/call``.

    Args:
        tools: the tools in the order in which they are listed.
        factory: makes the context that handlers get.
    """

    def __init__(self, tools: Sequence[BoundTool], factory: ContextFactory | None) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._factory = factory
        self._listed: dict[str, ListToolsResult] = {}

    def input_schema(self, name: str) -> JsonObject | None:
        """Return a tool's input schema, for the SDK's check of ``Mcp-Param-*`` headers."""
        tool = self._tools.get(name)
        return None if tool is None else tool.entry["inputSchema"]

    async def list_tools(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Return the tools as the caller's revision knows them."""
        refuse_cursor(params)
        version = request.protocol_version
        if version not in self._listed:
            tools = [select_tool(tool.entry, version) for tool in self._tools.values()]
            self._listed[version] = ListToolsResult(tools=[Tool.model_validate(t) for t in tools])
        return self._listed[version]

    async def call(self, request: Request, params: CallToolRequestParams) -> CallToolResult:
        """Call a tool.

        Raises:
            MCPError: -32602 for an unknown tool, -32603 for a crash or a broken answer.
        """
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(
                INVALID_PARAMS, f"Unknown tool: {shown(params.name)}. Known tools: {known}"
            )
        work = tool.call(request, params.arguments or {}, self._factory)
        return await guarded(f"tool {tool.name}", work)


def _failed(text: str, value: dict[str, Any] | None = None) -> CallToolResult:
    return CallToolResult(content=[text_block(text)], structured_content=value, is_error=True)


def _json(answer: object) -> tuple[str, dict[str, Any]]:
    """Return an answer as JSON text, and the value that a reader of the text gets.

    Members that a model's maker did not set stay missing.

    Raises:
        TypeError: it is no object, or holds something that is no JSON.
        ValueError: it holds NaN, an infinity or a lone surrogate.
    """
    if isinstance(answer, BaseModel):
        answer = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a generated model or a mapping, not {type(answer).__name__}")
    members = dict(cast("Mapping[str, object]", answer))
    text = json.dumps(members, ensure_ascii=False, allow_nan=False)
    text.encode()
    return text, json.loads(text)


def _places(error: ValidationError) -> list[str]:
    """Return ``place: sentence`` of the first faults, without the values."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        shortened(f"{'.'.join(['$', *(str(part) for part in fault['loc'])])}: {fault['msg']}")
        for fault in found
    ]
    return lines if len(lines) <= _FAULTS else [*lines[:_FAULTS], "and more"]
