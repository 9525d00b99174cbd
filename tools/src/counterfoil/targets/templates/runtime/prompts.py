"""Prompts: the contract's messages with the caller's arguments in them, or a handler's."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from mcp import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
)

from .boundary import (
    ContextFactory,
    JsonObject,
    Request,
    call_context,
    guarded,
    opened,
    refuse_cursor,
    text_block,
)
from .calls import ToolFailure
from .revisions import ARGUMENT, PROMPT, select
from .wording import shown

Answerer = Callable[[str, Mapping[str, str], Any], Awaitable[object]]
_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")


class Prompts:
    """Answer ``prompts/list`` and ``prompts/get``.

    Args:
        entries: the prompts as the surface has them.
        answerer: takes the name, the arguments and the context of a prompt without messages.
        factory: makes the context that the answerer gets.
    """

    def __init__(
        self,
        entries: Sequence[JsonObject],
        answerer: Answerer | None = None,
        factory: ContextFactory | None = None,
    ) -> None:
        self._entries = {str(entry["name"]): entry for entry in entries}
        self._answerer = answerer
        self._factory = factory

    async def list_prompts(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        """Return the prompts as the caller's revision knows them."""
        refuse_cursor(params)
        version = request.protocol_version
        shapes = [_listed(entry, version) for entry in self._entries.values()]
        return ListPromptsResult(prompts=[Prompt.model_validate(shape) for shape in shapes])

    async def get(self, request: Request, params: GetPromptRequestParams) -> GetPromptResult:
        """Return a prompt's messages.

        Raises:
            MCPError: -32602 for an unknown prompt or argument, or a required one that is missing;
                -32603 for a handler that fails.
        """
        entry = self._entries.get(params.name)
        if entry is None:
            known = ", ".join(self._entries) or "none"
            raise MCPError(
                INVALID_PARAMS, f"Unknown prompt: {shown(params.name)}. Known prompts: {known}"
            )
        given = params.arguments or {}
        values = _values(entry, given)
        if "messages" in entry or self._answerer is None:
            made = [
                _message(each["role"], _filled(each["text"], values)) for each in entry["messages"]
            ]
        else:
            work = self._answer(request, params.name, given, self._answerer)
            made = await guarded(f"prompt {params.name}", work)
        return GetPromptResult(description=entry.get("description"), messages=made)

    async def _answer(
        self, request: Request, name: str, given: Mapping[str, str], answerer: Answerer
    ) -> list[PromptMessage]:
        try:
            async with opened(self._factory, call_context(request, name, given)) as context:
                answer = await answerer(name, given, context)
        except ToolFailure as failure:
            raise MCPError(INTERNAL_ERROR, failure.text) from None
        if isinstance(answer, str):
            return [_message("user", answer)]
        return [PromptMessage.model_validate(each) for each in cast("Sequence[object]", answer)]


def _message(role: Any, text: str) -> PromptMessage:
    return PromptMessage(role=role, content=text_block(text))


def _listed(entry: JsonObject, version: str) -> dict[str, Any]:
    shape = select(entry, PROMPT, version)
    if "arguments" in shape:
        shape["arguments"] = [select(each, ARGUMENT, version) for each in shape["arguments"]]
    return shape


def _values(entry: JsonObject, given: Mapping[str, str]) -> dict[str, str]:
    """Return what stands for each declared argument.

    An empty string counts as not given: that is what a form sends for a field left empty.
    """
    declared: Sequence[JsonObject] = entry.get("arguments", ())
    names = [each["name"] for each in declared]
    unknown = [shown(name, 80) for name in given if name not in names]
    missing = [
        each["name"] for each in declared if each.get("required") and not given.get(each["name"])
    ]
    faults = [f"unknown argument {name}" for name in unknown[:8]]
    faults += [f"missing argument {name}" for name in missing]
    if faults:
        raise MCPError(INVALID_PARAMS, f"Prompt {entry['name']}: {', '.join(faults)}")
    return {
        each["name"]: given.get(each["name"]) or each.get("whenAbsent", "") for each in declared
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Put values where their names stand, once: a value is never read as a template."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
