# ruff: noqa: D103, N803 - the contract describes the tools and names their arguments
"""The tools of fairwins-mcp on FastMCP.

Usage: ``python framework.py SNAPSHOT stdio`` or ``... SNAPSHOT http PORT``. It does what such a
server usually does: a tool is a function, pydantic judges its arguments, and the API is read with
httpx2. Descriptions and output schemas come from the snapshot.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any

import httpx2
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import FunctionTool
from pydantic import Field

ChainId = Annotated[int, Field(ge=1, le=9_999_999_999)]
Answer = dict[str, Any]

API = httpx2.AsyncClient(base_url=os.environ.get("FAIRWINS_API_URL", ""))


async def read(path: str, **query: object) -> Answer:
    """Read the API."""
    given = {name: str(value) for name, value in query.items() if value is not None}
    response = await API.get(path, params=given or None)
    if response.is_error:
        raise ToolError(response.text)
    answer: Answer = response.json()
    return answer


async def get_fees() -> Answer:
    return await read("/v1/member/fees")


async def get_gateway_status() -> Answer:
    return await read("/status")


async def get_membership() -> Answer:
    return await read("/v1/member/membership")


async def get_perps_pairs() -> Answer:
    return await read("/v1/perps/pairs")


async def get_profile() -> Answer:
    return await read("/v1/member/me")


async def get_wagers(
    chainId: ChainId | None = None, first: Annotated[int, Field(ge=1, le=200)] = 50
) -> Answer:
    return await read("/v1/member/wagers", chainId=chainId, first=first)


async def get_prediction_markets(
    chainId: ChainId = 137,
    next: Annotated[str | None, Field(pattern="^[0-9]{1,9}$")] = None,  # noqa: A002 - its name
    q: Annotated[str | None, Field(min_length=1, max_length=128)] = None,
) -> Answer:
    return await read(f"/v1/polymarket/{chainId}/markets", next=next, q=q)


async def get_token_news(
    asset: Annotated[str, Field(pattern="^(native|0x[0-9a-f]{40})$")],
    chainId: Annotated[str, Field(pattern="^([1-9][0-9]{0,9}|bitcoin|bitcoin-testnet)$")],
    slug: Annotated[str, Field(pattern="^[a-z0-9-]{1,64}$")],
    limit: Annotated[int, Field(ge=1, le=20)] = 8,
) -> Answer:
    return await read(f"/v1/news/{chainId}/{asset}", slug=slug, limit=limit)


async def build_intent(
    action: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9]{0,63}$")],
    chainId: ChainId,
    params: dict[str, Any],
) -> Answer:
    body = {"action": action, "chainId": chainId, "params": params}
    response = await API.post("/v1/member/intents/build", json=body)
    if response.is_error:
        raise ToolError(response.text)
    answer: Answer = response.json()
    return answer


FUNCTIONS: tuple[Callable[..., Awaitable[Answer]], ...] = (
    build_intent,
    get_fees,
    get_gateway_status,
    get_membership,
    get_perps_pairs,
    get_prediction_markets,
    get_profile,
    get_token_news,
    get_wagers,
)


def main(arguments: list[str]) -> None:
    """Serve."""
    entries = json.loads(Path(arguments[0]).read_text("utf-8"))["tools"]
    served = {entry["name"]: entry for entry in entries if "mcp" in entry["surfaces"]}
    functions = {function.__name__: function for function in FUNCTIONS}
    assert functions.keys() == served.keys(), functions.keys() ^ served.keys()
    server = FastMCP(
        "bench",
        version="1.0.0",
        tools=[
            FunctionTool.from_function(
                functions[name],
                title=entry["title"],
                description=entry["description"],
                output_schema=entry.get("outputSchema"),
            )
            for name, entry in served.items()
        ],
    )
    if arguments[1] == "stdio":
        server.run("stdio", show_banner=False)
        return
    server.run(
        "http",
        host="127.0.0.1",
        port=int(arguments[2]),
        json_response=True,
        stateless_http=True,
        show_banner=False,
        uvicorn_config={"http": "httptools", "loop": "uvloop", "log_level": "warning"},
    )


if __name__ == "__main__":
    main(sys.argv[1:])
