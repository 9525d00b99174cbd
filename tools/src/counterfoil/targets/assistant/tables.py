"""Tool tables in the forms that model providers take."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from counterfoil.contract.model import Contract, Tool
from counterfoil.errors import GenerationError
from counterfoil.schema.refs import bundled

# What both providers' interfaces accept as a tool's name. MCP allows dots and 128 characters.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Anthropic's interface checks the outermost argument names by this pattern.
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# OpenAI's interface refuses all of these at the root of a schema, Anthropic's the first three.
_REFUSED_AT_ROOT = ("allOf", "anyOf", "oneOf", "enum", "not")


def judge_tool(contract: Contract, tool: Tool) -> None:
    """Refuse a tool that a provider would refuse, with the whole table it is in.

    Raises:
        GenerationError: it names the tool.
    """
    what = _fault(tool)
    if what:
        raise GenerationError(
            f"the tool {tool.name} {what}",
            place=f"{contract.path}#{tool.pointer}",
            hint='change it, or take "assistant" out of its surfaces',
        )


def _fault(tool: Tool) -> str:
    if not _NAME.fullmatch(tool.name):
        return "has a name that model providers refuse: 1 to 64 of A-Z a-z 0-9 _ -"
    for keyword in _REFUSED_AT_ROOT:
        if keyword in tool.input_schema:
            return f"has {keyword} at the root of its input schema, which model providers refuse"
    for name in tool.input_schema.get("properties", {}):
        if not _ARGUMENT.fullmatch(name):
            return f"has an argument {name!r}; model providers take 1 to 64 of A-Z a-z 0-9 _ . -"
    return ""


def anthropic(contract: Contract, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the ``tools`` of a request to Anthropic's Messages interface."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": bundled(tool.input_schema, contract.defs),
        }
        for tool in tools
    ]


def openai(contract: Contract, tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the ``tools`` of a request to OpenAI's Chat Completions interface.

    It is the nested form, which servers that follow that interface take too. A request to the
    Responses interface takes the same without the nesting: ``{type: "function", ...function}``.

    ``strict`` is false, said outright because the Responses interface would make it true:
    strict mode asks that every argument be required and objects be closed, and knows only some
    keywords, so it would change what the contract says.
    """
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": bundled(tool.input_schema, contract.defs),
                "strict": False,
            },
        }
        for tool in tools
    ]
