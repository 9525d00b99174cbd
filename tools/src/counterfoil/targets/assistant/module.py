"""The TypeScript module of an assistant's tools: types by tool, and fixed wording."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from counterfoil.contract.model import Contract, Tool
from counterfoil.names import class_name
from counterfoil.render import render
from counterfoil.targets.assistant.comments import comment
from counterfoil.targets.assistant.expression import key, quoted
from counterfoil.targets.assistant.named import NamedTypes, Root

_TAKEN = ("ToolName", "ToolTypes")
_NAMES = re.compile(r"^export const TOOL_NAMES = (\[[^;]*?\]) as const;$", re.MULTILINE)


def module(contract: Contract, tools: Sequence[Tool]) -> str:
    """Return the text of the module, without a header.

    Raises:
        GenerationError: a reference leads nowhere, or schemas refer to one another without end.
    """
    types = NamedTypes(contract, _TAKEN)
    members = [_member(types, tool) for tool in tools]
    return render(
        "tools.ts.jinja",
        declarations=types.declarations(),
        members=members,
        names=[quoted(tool.name) for tool in tools],
        wording=[f"{key(name)}: {quoted(text)}" for name, text in sorted(contract.wording.items())],
    )


def read_names(text: str) -> set[str]:
    """Return the names of ``TOOL_NAMES`` in the text of a module."""
    found = _NAMES.search(text)
    try:
        return set(json.loads(re.sub(r",\s*\]$", "]", found[1]))) if found else set()
    except ValueError:
        return set()


def _member(types: NamedTypes, tool: Tool) -> str:
    """Return the member of ``ToolTypes`` that a tool has."""
    base = class_name(tool.name)
    takes = types.name_of(Root(f"{tool.pointer}/inputSchema", tool.input_schema, f"{base}Input"))
    gives = "unknown"
    if tool.output_schema is not None:
        root = Root(f"{tool.pointer}/outputSchema", tool.output_schema, f"{base}Output")
        gives = types.name_of(root)
    gone = tool.data.get("deprecated", {})
    note = f"{gone['date']}. {gone.get('note', '')}".strip() if gone else ""
    about = comment(f"{tool.title}\n\n{tool.description}", indent="  ", deprecated=note)
    return f"{about}  {key(tool.name)}: {{ input: {takes}; output: {gives} }};"
