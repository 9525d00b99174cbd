"""A FastMCP server with one tool, one resource, one template and one prompt.

Usage: fast.py stdio | http
"""

from __future__ import annotations

import socket
import sys

from fastmcp import FastMCP

server = FastMCP("fast", version="4.5.6", instructions="Add numbers.")


@server.tool
def add(a: int, b: int = 2) -> int:
    """Add two integers."""
    return a + b


@server.resource("demo://readme")
def readme() -> str:
    """Say hello."""
    return "hello"


@server.resource("demo://item/{number}")
def item(number: str) -> str:
    """Show one item."""
    return number


@server.prompt
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Hello, {who}"


def serve_http() -> None:
    """Serve on a free loopback port, and print it."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(server.http_app(), log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        serve_http()
