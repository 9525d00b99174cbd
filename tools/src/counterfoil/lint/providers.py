"""What the interfaces of models take of a tool in the assistant's table."""

from __future__ import annotations

import re

from counterfoil.contract.model import Contract, Tool
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import members
from counterfoil.schema.sentences import shown

# OpenAI, function names; Anthropic, tool names. MCP allows dots and 128 characters.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Anthropic, names of a tool's outermost arguments.
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# OpenAI refuses all of these at the root of a tool's schema, Anthropic the first three.
_REFUSED_AT_ROOT = ("allOf", "anyOf", "oneOf", "enum", "not")


def judge_providers(contract: Contract, report: Report) -> None:
    """Report shared tools that a provider would refuse, with the whole table they are in."""
    for server in contract.servers:
        for tool in server.tools:
            if "assistant" in tool.surfaces:
                _judge(tool, report)


def _judge(tool: Tool, report: Report) -> None:
    root = f"{tool.pointer}/inputSchema"
    if not _NAME.fullmatch(tool.name):
        message = f"model providers refuse the name {shown(tool.name)}: 1 to 64 of A-Z a-z 0-9 _ -"
        report.add("CF138", f"{tool.pointer}/name", message)
    for keyword in _REFUSED_AT_ROOT:
        if keyword in tool.input_schema:
            message = f"model providers refuse {keyword} at the root of an input schema"
            report.add("CF138", f"{root}/{keyword}", message)
    for name in members(tool.input_schema.get("properties")):
        if not _ARGUMENT.fullmatch(name):
            message = f"model providers refuse the argument {shown(name)}: 1 to 64 of A-Z a-z 0-9 "
            report.add("CF138", f"{root}/properties/{escape(name)}", f"{message}_ . -")
