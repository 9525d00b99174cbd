"""A server on the low-level API of the official SDK: pages of tools, resources, prompts.

Usage: lowlevel.py stdio | http [sse] [stateful] [plain]; "plain" has no resource templates.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

import anyio
import mcp.types as t
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

PAGE = 3
TOOLS = [
    t.Tool.model_validate(
        {
            "name": f"tool_{number:02}",
            "description": f"Do the thing with the number {number}.",
            "inputSchema": {
                "type": "object",
                "properties": {"amount": {"type": "integer", "maximum": 2**63 + number}},
                "$defs": {"unused": {"const": None}},
            },
        }
    )
    for number in range(10)
]


async def list_tools(ctx: Any, params: Any) -> t.ListToolsResult:
    """List the tools, three on a page."""
    start = int(params.cursor or 0) if params is not None else 0
    following = start + PAGE
    cursor = str(following) if following < len(TOOLS) else None
    return t.ListToolsResult(tools=TOOLS[start:following], next_cursor=cursor)


async def call_tool(ctx: Any, params: Any) -> t.CallToolResult:
    """Do nothing; the wire client never calls."""
    return t.CallToolResult(content=[])


async def list_resources(ctx: Any, params: Any) -> t.ListResourcesResult:
    """List one resource."""
    return t.ListResourcesResult(resources=[t.Resource(uri="demo://readme", name="readme")])


async def list_templates(ctx: Any, params: Any) -> t.ListResourceTemplatesResult:
    """List one template."""
    template = t.ResourceTemplate(uri_template="demo://item/{id}", name="item")
    return t.ListResourceTemplatesResult(resource_templates=[template])


async def list_prompts(ctx: Any, params: Any) -> t.ListPromptsResult:
    """List one prompt."""
    argument = t.PromptArgument(name="who", required=True)
    return t.ListPromptsResult(prompts=[t.Prompt(name="greet", arguments=[argument])])


def make() -> Server[Any]:
    """Make the server."""
    return Server(
        "lowlevel",
        version="1.2.3",
        instructions="Ask for anything.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=None if "plain" in sys.argv else list_templates,
        on_list_prompts=list_prompts,
    )


async def serve_stdio() -> None:
    """Serve on the standard streams."""
    server = make()
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def serve_http() -> None:
    """Serve on a free loopback port, and print it."""
    import uvicorn

    app = make().streamable_http_app(
        json_response="sse" not in sys.argv, stateless_http="stateful" not in sys.argv
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        anyio.run(serve_stdio)
    else:
        serve_http()
