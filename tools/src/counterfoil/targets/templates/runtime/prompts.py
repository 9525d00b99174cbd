"""Prompts: the contract's messages with the caller's arguments in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
)

from .boundary import JsonObject, Request, refuse_cursor, text_block
from .revisions import ARGUMENT, PROMPT, select
from .wording import shown

_PLACEHOLDER = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")


class Prompts:
    """Answer ``prompts/list`` and ``prompts/get``.

    Args:
        entries: the prompts as the surface has them.
    """

    def __init__(self, entries: Sequence[JsonObject]) -> None:
        self._entries = {str(entry["name"]): entry for entry in entries}

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
            MCPError: -32602 for an unknown prompt or argument, or a required one that is missing.
        """
        entry = self._entries.get(params.name)
        if entry is None:
            known = ", ".join(self._entries) or "none"
            raise MCPError(
                INVALID_PARAMS, f"Unknown prompt: {shown(params.name)}. Known prompts: {known}"
            )
        values = _values(entry, params.arguments or {})
        return GetPromptResult(
            description=entry["description"],
            messages=[
                PromptMessage(role=each["role"], content=text_block(_filled(each["text"], values)))
                for each in entry["messages"]
            ],
        )


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
