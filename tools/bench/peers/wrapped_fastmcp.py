"""The same wrapped read on FastMCP, behind its check of a static bearer token.

Usage: ``python wrapped_fastmcp.py UPSTREAM_URL PORT``; the token is in BENCH_TOKEN. It does what
such a server usually does: a function, judged by pydantic, and one httpx2 client for all calls.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import httpx2
from fastmcp import FastMCP
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from pydantic import Field

DESCRIPTION = "Lists orders, one page at a time."


def main(upstream: str, port: int) -> None:
    """Serve."""
    limits = httpx2.Limits(max_connections=600, max_keepalive_connections=100)
    client = httpx2.AsyncClient(base_url=upstream, limits=limits, timeout=30)
    token = os.environ["BENCH_TOKEN"]
    auth = StaticTokenVerifier({token: {"client_id": "bench", "scopes": []}})
    server = FastMCP("bench", version="1.0.0", auth=auth)

    @server.tool(description=DESCRIPTION)
    async def list_orders(
        page: Annotated[int, Field(ge=1, le=1000)] = 1,
        delay: Annotated[float | None, Field(ge=0)] = None,
    ) -> dict[str, Any]:
        query = {"page": page} if delay is None else {"page": page, "delay": delay}
        response = await client.get(
            "/v1/orders", params=query, headers={"Accept": "application/json"}
        )
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer

    server.run(
        "http",
        host="127.0.0.1",
        port=port,
        json_response=True,
        stateless_http=True,
        show_banner=False,
        uvicorn_config={"http": "httptools", "loop": "uvloop", "log_level": "warning"},
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
