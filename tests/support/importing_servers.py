"""Servers of three kinds in one module, as people have them; importing it prints something."""

from __future__ import annotations

from typing import Any

import mcp.types as t
from fastmcp import FastMCP
from mcp.server import MCPServer
from mcp.server.lowlevel import Server

print("a module may print while it is imported")  # that is what is tried


async def list_tools(ctx: Any, params: Any) -> t.ListToolsResult:
    """List one tool that says as little as it may."""
    return t.ListToolsResult(tools=[t.Tool(name="bare", input_schema={"type": "object"})])


low = Server("low", version="dev", on_list_tools=list_tools)
fast: Any = FastMCP("Fast Food")
plain = MCPServer("plain")


@fast.tool
def add(left: int, right: int | None = None) -> int:
    """Add two numbers."""
    return left + (right or 0)


@plain.tool()
def count(words: list[str]) -> dict[str, int]:
    """Count words."""
    return {word: words.count(word) for word in words}


@plain.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}."


def make() -> MCPServer:
    """Make a server when it is asked for."""
    return plain
