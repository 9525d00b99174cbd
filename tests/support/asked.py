"""One request to a wrapper, as somebody with the token sends it, or anybody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from wrapped import ANY, TOKEN, tool, wrap

from mcp_wrapper_scaffold import Context
from mcp_wrapper_scaffold.testing.client import Answer, WrapperClient, exchange

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
JSON = {"content-type": "application/json"}
BEARER = {"authorization": f"Bearer {TOKEN}"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def echo(args: dict[str, Any], ctx: Context) -> object:
    """Return the arguments."""
    return {"got": args}


def ask(
    body: object = PING,
    fields: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
    bare: bool = False,
    **options: Any,
) -> Answer:
    """Send one request; without ``bare``, as somebody with the token who sends JSON.

    The wrapper has the tool ``echo``, whose argument ``a`` is repeated in a field.
    """
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {**({} if bare else {**JSON, **BEARER}), **(fields or {})}
    declared = tool(
        echo, input_schema={**ANY, "properties": {"a": {"type": "string", "x-mcp-header": "A"}}}
    )

    async def talk() -> Answer:
        app = wrap(declared, **options)
        async with WrapperClient(app, TOKEN):
            return await exchange(app, method, path, given, raw)

    return asyncio.run(talk())
