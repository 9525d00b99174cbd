"""Serve an MCP server that stands in a Python module over stdio.

The text of this file is run by the interpreter of that server, not by the toolchain's: it must
not import anything of ours, and knows no SDK but the one that the server was made with.
"""

import asyncio
import contextlib
import importlib
import inspect
import sys
from typing import Any


def main(target: str) -> None:
    """Serve ``MODULE:ATTRIBUTE``: a server, or a function that takes nothing and makes one."""
    # What the module prints is not for the client, which reads the standard output.
    with contextlib.redirect_stdout(sys.stderr):
        server = find(target)
    if inspect.iscoroutinefunction(server.run):
        asyncio.run(serve(server))
    else:
        server.run(transport="stdio")


def find(target: str) -> Any:
    """Return the server that a target names."""
    module, _, names = target.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # something that the module imports
        sys.exit(
            f"there is no module {error.name}: give --cwd its folder, or another --interpreter"
        )
    for name in names.split("."):
        if not hasattr(found, name):
            sys.exit(f"there is no {name} in {target}")
        found = getattr(found, name)
    made = found if hasattr(found, "run") else found() if callable(found) else None
    if not hasattr(made, "run"):
        sys.exit(f"{target} is no MCP server, and no function that makes one")
    return made


async def serve(server: Any) -> None:
    """Serve a low-level server, with the streams of its own SDK."""
    package = next(
        kind.__module__.partition(".")[0]
        for kind in type(server).__mro__
        if kind.__module__.startswith("mcp.")
    )
    stdio = importlib.import_module(f"{package}.server.stdio")
    async with stdio.stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    main(sys.argv[1])
