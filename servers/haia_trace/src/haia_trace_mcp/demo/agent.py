"""The agent's side: a client of the MCP SDK that starts the server and asks it over stdio."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from haia_trace_mcp.demo.narration import insist, narrate, quote

COMMAND = (sys.executable, "-m", "haia_trace_mcp")


class Agent:
    """Ask the server's tools, and show question and answer."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return a tool's answer, and show what counts in it.

        Raises:
            DemoError: it is an error.
        """
        narrate(f"  agent> {tool} {json.dumps(arguments)}")
        result = await self._client.call_tool(tool, arguments)
        answer: dict[str, Any] | None = result.structured_content
        insist(not result.is_error and answer is not None, f"{tool} answers: {result.content}")
        assert answer is not None
        for line in _shown(tool, answer):
            quote(line)
        return answer

    async def tools(self) -> set[str]:
        """Return the names of all tools."""
        return {tool.name for tool in (await self._client.list_tools()).tools}


@asynccontextmanager
async def agent_of(root: Path) -> AsyncGenerator[Agent]:
    """Start a server for a Trace root, and connect an agent to it."""
    command, *words = COMMAND
    parameters = StdioServerParameters(command=command, args=[*words, "--dir", str(root)])
    async with Client(parameters) as client:
        yield Agent(client)


def _shown(tool: str, answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an answer, as it came but for what would fill pages."""
    match tool:
        case "explain":
            for paragraph in answer["explanation"].split("\n\n"):
                yield from textwrap.wrap(paragraph, 100)
        case "list_operations":
            yield from map(json.dumps, answer["operations"])
        case "get_receipt":
            yield from map(json.dumps, answer["stages"])
            yield from map(json.dumps, answer["missing"])
            yield f"{answer['completeness']}, with {len(answer['events'])} events"
        case _:
            kept = {name: value for name, value in answer.items() if name != "reasons"}
            yield json.dumps(kept)
            yield from map(json.dumps, answer["reasons"])
