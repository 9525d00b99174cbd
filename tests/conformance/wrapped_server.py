"""Serve a wrapper over HTTP with the tools of prepared.json, written by hand.

The runners cannot send a header of their own, so the token is put in here, in front of the wrapper.
It listens on a free port of 127.0.0.1.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_wrapper_scaffold import (
    CallableSecret,
    Context,
    Handler,
    ToolDef,
    ToolError,
    create_wrapper_server,
    serve,
)

PREPARED = Path(__file__).with_name("prepared.json")
TOKEN = "of-the-conformance-suite"


async def answer(args: dict[str, Any], ctx: Context) -> object:
    """Answer with a text."""
    return {"text": "Hello."}


async def fail(args: dict[str, Any], ctx: Context) -> object:
    """Fail to read."""
    raise ToolError("There is nothing.")


HANDLERS: dict[str, Handler] = {"test_error_handling": fail}


def write_tools() -> Iterator[ToolDef]:
    """Yield the prepared tools."""
    for entry in json.loads(PREPARED.read_text("utf-8"))["tools"]:
        yield ToolDef(
            name=entry["name"],
            title=entry["title"],
            description=entry["description"],
            input_schema=entry["inputSchema"],
            handler=HANDLERS.get(entry["name"], answer),
        )


class Bearer:
    """Put the token into every request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the token."""
        if scope["type"] == "http":
            token = (b"authorization", f"Bearer {TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], token]}
        await self._app(scope, receive, send)


def main() -> int:
    """Serve until SIGTERM."""
    wrapper = create_wrapper_server(
        tools=list(write_tools()), agent_token=CallableSecret(lambda: TOKEN), allowlist=[]
    )
    serve(Bearer(wrapper), port=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
