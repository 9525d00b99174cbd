"""One wrapped read, served by mcp-wrapper-scaffold.

Usage: ``python wrapped.py UPSTREAM_URL PORT``; the token is in BENCH_TOKEN.
"""

from __future__ import annotations

import sys
from typing import Any

from mcp_wrapper_scaffold import (
    AllowEntry,
    Context,
    EnvSecret,
    Limits,
    ToolDef,
    create_wrapper_server,
    serve,
)

ARGUMENTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"page": {"type": "integer", "minimum": 1, "maximum": 1000}},
}
DESCRIPTION = "Lists orders, one page at a time."


def main(upstream: str, port: int) -> None:
    """Serve."""

    async def list_orders(args: dict[str, Any], ctx: Context) -> object:
        page = args.get("page", 1)
        answer = await ctx.fetch(
            f"{upstream}/v1/orders?page={page}", headers={"Accept": "application/json"}
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
        limits=Limits(concurrent_calls=512),
    )
    serve(app, port=port, log_level="warning")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
