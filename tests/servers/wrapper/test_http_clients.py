"""Real clients over HTTP, in every era, with the token in their header."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from local_upstream import ORDERS
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

MODES = pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
NAMES = ["list_orders", "read_broken", "refuse", "escape"]


@MODES
def test_a_client_lists_calls_and_is_told_of_failures(
    wrapper_url: str, bearer: dict[str, str], mode: Any
) -> None:
    async def talk() -> None:
        async with httpx2.AsyncClient(headers=bearer) as http:
            transport = streamable_http_client(wrapper_url, http_client=http)
            async with Client(transport, mode=mode) as client:
                expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
                assert client.protocol_version == expected
                tools = (await client.list_tools()).tools
                assert [each.name for each in tools] == NAMES
                assert tools[0].annotations is not None
                assert tools[0].annotations.read_only_hint is True
                assert (await client.list_resources()).resources == []
                assert (await client.list_prompts()).prompts == []
                orders = await client.call_tool("list_orders", {"page": 1})
                assert orders.is_error is False
                assert orders.structured_content == ORDERS
                assert json.loads(getattr(orders.content[0], "text", "")) == ORDERS
                wrong = await client.call_tool("list_orders", {"page": 0})
                assert wrong.is_error is True
                for name, told in (("refuse", "before 2019"), ("read_broken", "is no JSON")):
                    failed = await client.call_tool(name, {})
                    assert failed.is_error is True
                    assert told in getattr(failed.content[0], "text", "")
                with pytest.raises(MCPError) as caught:
                    await client.call_tool("escape", {})
                assert caught.value.error.code == -32603
                assert "https://evil.test/steal" in caught.value.error.message
                assert "secret" not in caught.value.error.message

    asyncio.run(talk())


@MODES
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_a_client_without_the_token_gets_nowhere(
    wrapper_url: str, mode: Any, headers: dict[str, str]
) -> None:
    statuses: list[int] = []

    async def remember(response: httpx2.Response) -> None:
        statuses.append(response.status_code)

    async def talk() -> None:
        hooks: Any = {"response": [remember]}
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks) as http:
            transport = streamable_http_client(wrapper_url, http_client=http)
            async with Client(transport, mode=mode) as client:
                await client.list_tools()

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - of the SDK, a group of any kind
        asyncio.run(talk())
    assert not isinstance(caught.value, KeyboardInterrupt | SystemExit)
    assert statuses
    assert set(statuses) == {401}


@MODES
def test_fifty_callers_at_once_are_served(
    wrapper_url: str, bearer: dict[str, str], mode: Any
) -> None:
    async def talk() -> None:
        async with httpx2.AsyncClient(headers=bearer) as http:
            transport = streamable_http_client(wrapper_url, http_client=http)
            async with Client(transport, mode=mode) as client:
                calls = [client.call_tool("list_orders", {}) for _ in range(50)]
                for result in await asyncio.gather(*calls):
                    assert result.structured_content == ORDERS

    asyncio.run(talk())


def test_fastmcp_s_client_works_too(wrapper_url: str, bearer: dict[str, str]) -> None:
    async def talk() -> None:
        transport = StreamableHttpTransport(wrapper_url, headers=bearer)
        async with fastmcp.Client(transport) as client:
            assert [each.name for each in await client.list_tools()] == NAMES
            orders = await client.call_tool("list_orders", {})
            assert orders.structured_content == ORDERS
            failed = await client.call_tool("refuse", {}, raise_on_error=False)
            assert failed.is_error is True

    asyncio.run(talk())


def test_a_raw_client_of_the_first_days_reads_members_of_the_result(
    wrapper_url: str, bearer: dict[str, str]
) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_orders", "arguments": {}},
    }
    with httpx2.Client(headers=bearer) as http:
        payload = http.post(wrapper_url, json=request).json()
    assert payload["result"]["data"] == ORDERS["data"]
    assert json.loads(payload["result"]["content"][0]["text"]) == ORDERS
