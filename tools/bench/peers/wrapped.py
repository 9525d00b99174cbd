"""One wrapped read, served by mcp-wrapper-scaffold.

Usage: ``python wrapped.py UPSTREAM_URL PORT``; the token is in BENCH_TOKEN.
"""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import urlencode

from mcp_wrapper_scaffold import (
    AllowEntry,
    Context,
    EnvSecret,
    ToolDef,
    create_wrapper_server,
    serve,
)

ARGUMENTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "page": {"type": "integer", "minimum": 1, "maximum": 1000},
        "delay": {"type": "number", "minimum": 0},
    },
}
DESCRIPTION = "Lists orders, one page at a time."


def main(upstream: str, port: int) -> None:
    """Serve."""

    async def list_orders(args: dict[str, Any], ctx: Context) -> object:
        query = urlencode({"page": 1, **args})
        answer = await ctx.fetch(
            f"{upstream}/v1/orders?{query}", headers={"Accept": "application/json"}
        )
        return answer.json()

    app = create_wrapper_server(
        tools=[
            ToolDef(
                name="list_orders",
                description=DESCRIPTION,
                input_schema=ARGUMENTS,
                handler=list_orders,
            )
        ],
        agent_token=EnvSecret("BENCH_TOKEN"),
        allowlist=[AllowEntry(upstream, "GET", "/v1/orders")],
    )
    serve(app, port=port, log_level="warning")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
