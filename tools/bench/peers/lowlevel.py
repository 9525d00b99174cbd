"""The tools of fairwins-mcp on the low-level server of the ``mcp`` package.

Usage: ``python lowlevel.py SNAPSHOT stdio`` or ``... SNAPSHOT http PORT``. It does what such a
server usually does: schemas are judged by jsonschema, and the API is read with httpx2.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp.types as mcp_types
import uvicorn
from jsonschema import Draft202012Validator
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

Context = ServerRequestContext[Any, Any]


class Tools:
    """The snapshot's tools; those that take no arguments and no token are read from the API."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        served = [tool for tool in snapshot["tools"] if "mcp" in tool["surfaces"]]
        fields = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
        self._listed = [
            mcp_types.Tool.model_validate({name: tool[name] for name in fields if name in tool})
            for tool in served
        ]
        self.schemas = {tool["name"]: tool["inputSchema"] for tool in served}
        self._judges = {name: Draft202012Validator(each) for name, each in self.schemas.items()}
        routes = snapshot["routes"]
        self._paths = {tool["name"]: routes[tool["exec"]["route"]]["path"] for tool in served}
        self._api = httpx2.AsyncClient(base_url=os.environ.get("FAIRWINS_API_URL", ""))

    async def list(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        """Answer ``tools/list``."""
        return mcp_types.ListToolsResult(tools=self._listed)

    async def call(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """Answer ``tools/call``."""
        judge = self._judges.get(params.name)
        if judge is None:
            raise MCPError(mcp_types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        faults = [error.message for error in judge.iter_errors(params.arguments or {})]
        if faults:
            return show("; ".join(faults), is_error=True)
        response = await self._api.get(self._paths[params.name])
        if response.is_error:
            return show(response.text, is_error=True)
        return show(response.text, document=response.json())


def show(
    text: str, *, document: dict[str, Any] | None = None, is_error: bool = False
) -> mcp_types.CallToolResult:
    """Make a result."""
    content: list[mcp_types.ContentBlock] = [mcp_types.TextContent(type="text", text=text)]
    return mcp_types.CallToolResult(content=content, structured_content=document, is_error=is_error)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve until the input ends."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main(arguments: list[str]) -> None:
    """Serve."""
    tools = Tools(json.loads(Path(arguments[0]).read_text("utf-8")))
    server = Server(
        "bench",
        version="1.0.0",
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        get_tool_input_schema=tools.schemas.get,
    )
    if arguments[1] == "stdio":
        anyio.run(serve_stdio, server)
        return
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(arguments[2]),
        http="httptools",
        loop="uvloop",
        log_level="warning",
        access_log=False,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
