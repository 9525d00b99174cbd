"""Serve the generated stubs of a project over stdio, with handlers that do nothing.

Usage: bound_stubs.py FOLDER PACKAGE SERVER
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import anyio
from mcp.server.stdio import stdio_server


async def answer(*_: Any) -> str:
    """Answer every call, resource and prompt alike."""
    return "nothing"


def bound(package: str, server: str) -> Any:
    """Return the SDK's server of a stubs module."""
    stubs = importlib.import_module(f"{package}.{server}.stubs")
    protocol = next(value for name, value in vars(stubs).items() if name.endswith("Handlers"))
    names = [name for name in vars(protocol) if not name.startswith("_")]
    handlers = type("Handlers", (), dict.fromkeys(names, staticmethod(answer)))
    return stubs.bind(handlers())


async def serve(package: str, server: str) -> None:
    """Serve until the client is gone."""
    made = bound(package, server)
    async with stdio_server() as (reader, writer):
        await made.run(reader, writer, made.create_initialization_options())


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    anyio.run(serve, *sys.argv[2:])
