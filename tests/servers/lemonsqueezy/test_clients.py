"""Clients that people use, over HTTP and over stdio."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from lemonsqueezy_api import LemonSqueezyApi
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from wrapper_room import TOKEN, WrapperRoom, listening, read_contract

pytestmark = pytest.mark.network_allowed(
    "loopback", "processes", reason="clients come over HTTP, or start the server"
)
TOOLS = {tool["name"] for tool in read_contract("lemonsqueezy")["tools"]}


def ask(
    room: WrapperRoom, mode: str, work: Callable[[Client], Awaitable[Any]], token: str = TOKEN
) -> Any:
    """Return what comes of work with the SDK's client, which judges answers by their schemas."""

    async def run() -> Any:
        with anyio.fail_after(60):
            async with listening(room.app()) as url:
                headers = {"Authorization": f"Bearer {token}"}
                async with (
                    httpx2.AsyncClient(headers=headers, trust_env=False) as http,
                    Client(streamable_http_client(url, http_client=http), mode=mode) as client,
                ):
                    return await work(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdks_client_lists_and_reads(room: WrapperRoom, mode: str) -> None:
    async def work(client: Client) -> Any:
        listed = await client.list_tools()
        orders = await client.call_tool("list_orders", {"pageSize": 3, "include": ["customer"]})
        lost = await client.call_tool("get_order", {"orderId": "999"})
        return listed, orders, lost

    listed, orders, lost = ask(room, mode, work)
    assert {tool.name for tool in listed.tools} == TOOLS
    assert all(tool.annotations.read_only_hint for tool in listed.tools)
    assert [record["id"] for record in orders.structured_content["data"]] == ["527", "526", "525"]
    assert not orders.is_error
    assert lost.is_error
    assert lost.structured_content["status"] == 404


def test_a_client_without_the_token_reads_nothing(room: WrapperRoom) -> None:
    async def work(client: Client) -> Any:
        return await client.list_tools()

    with pytest.raises((MCPError, ExceptionGroup, httpx2.HTTPStatusError)):
        ask(room, "legacy", work, token="another-token-0123")
    assert room.requests == []


def test_fastmcps_client_lists_and_reads(room: WrapperRoom) -> None:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with listening(room.app()) as url:
                transport = StreamableHttpTransport(url, auth=TOKEN)
                async with fastmcp.Client(transport) as client:
                    listed = await client.list_tools()
                    answer = await client.call_tool("get_store", {"storeId": "7"})
                    return listed, answer

    listed, answer = anyio.run(run)
    assert {tool.name for tool in listed} == TOOLS
    assert answer.structured_content["data"]["attributes"]["name"] == "Lemons"


def test_many_callers_at_once_get_their_own_answers(
    room: WrapperRoom, api: LemonSqueezyApi
) -> None:
    numbers = list(range(501, 528))

    async def work(client: Client) -> Any:
        found: dict[int, str] = {}

        async def one(number: int) -> None:
            answer = await client.call_tool("get_order", {"orderId": str(number)})
            found[number] = answer.structured_content["data"]["id"]

        async with anyio.create_task_group() as group:
            for number in numbers:
                group.start_soon(one, number)
        return found

    assert ask(room, "2026-07-28", work) == {number: str(number) for number in numbers}


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdks_client_starts_the_server_over_stdio(mode: str) -> None:
    """Without a key, so that nothing is sent; what is read through it is tested over HTTP."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "lemonsqueezy_mcp", "stdio"], env={}
    )

    async def run() -> Any:
        with anyio.fail_after(60):
            async with Client(stdio_client(server), mode=mode) as client:
                listed = await client.list_tools()
                return listed, await client.call_tool("list_orders", {})

    listed, answer = anyio.run(run)
    assert {tool.name for tool in listed.tools} == TOOLS
    assert answer.is_error
    assert "LEMONSQUEEZY_API_KEY is not set" in answer.content[0].text
