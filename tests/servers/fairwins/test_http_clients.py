"""Real clients over HTTP, in every era, with the credentials that a request can bring."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference
from member_api import FEES, OFFER, PAYMENT, RECEIPT, RECEIPT_FIELD, TOKEN, WAGERS

from fairwins_mcp.surface import load_snapshot

MODES = ("auto", "legacy", "2026-07-28")
SNAPSHOT = load_snapshot()
SERVED = [tool for tool in SNAPSHOT["tools"] if "mcp" in tool["surfaces"]]
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def texts(result: Any) -> list[str]:
    return [content.text for content in result.content]


@pytest.mark.parametrize("mode", MODES)
def test_a_client_sees_the_surface_of_the_snapshot(http_url: str, mode: Any) -> None:
    async def talk() -> None:
        async with Client(http_url, mode=mode) as client:
            expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
            assert client.protocol_version == expected
            tools = (await client.list_tools()).tools
            assert [t.name for t in tools] == [t["name"] for t in SERVED]
            assert [t.input_schema for t in tools] == [t["inputSchema"] for t in SERVED]
            resources = (await client.list_resources()).resources
            assert [str(r.uri) for r in resources] == [r["uri"] for r in SNAPSHOT["resources"]]
            prompts = (await client.list_prompts()).prompts
            assert [p.name for p in prompts] == [p["name"] for p in SNAPSHOT["prompts"]]
            text = (await client.get_prompt("wager-review", {"chainId": "137"})).messages[0].content
            assert "137" in getattr(text, "text", "")
            status = (await client.read_resource("fairwins://status")).contents[0]
            assert json.loads(getattr(status, "text", ""))["status"] == "ok"

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_gets_data_failures_and_errors(http_url: str, mode: Any) -> None:
    async def talk() -> None:
        async with httpx2.AsyncClient(headers=BEARER) as http:
            transport = streamable_http_client(http_url, http_client=http)
            async with Client(transport, mode=mode) as client:
                wagers = await client.call_tool("get_wagers", {})
                assert (wagers.is_error, texts(wagers)) == (False, [WAGERS])
                assert wagers.structured_content == json.loads(WAGERS)
                failed = await client.call_tool("get_membership", {})
                assert failed.is_error is True
                assert texts(failed)[0].endswith(SNAPSHOT["wording"]["unknown"])
                priced = await client.call_tool("get_fees", {})
                assert priced.structured_content == json.loads(OFFER)
                assert texts(priced)[0] == OFFER
                for attempt, code in (
                    (lambda: client.call_tool("find_in_app", {}), -32602),
                    (lambda: client.get_prompt("nothing"), -32602),
                    (lambda: client.read_resource("x://y"), -32002 if mode == "legacy" else -32602),
                ):
                    with pytest.raises(MCPError) as raised:
                        await attempt()
                    assert raised.value.error.code == code

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_without_a_token_is_told_how_to_send_one(http_url: str, mode: Any) -> None:
    async def talk() -> None:
        async with Client(http_url, mode=mode) as client:
            refused = await client.call_tool("get_profile", {})
            assert "token_missing" in texts(refused)[0]
            priced = await client.call_tool("get_fees", {})
            assert texts(priced)[0] == OFFER
            public = await client.call_tool("get_gateway_status", {})
            assert public.is_error is False

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_pays_with_a_header_and_gets_its_receipt(http_url: str, mode: Any) -> None:
    fields: list[str | None] = []

    async def remember(response: httpx2.Response) -> None:
        fields.append(response.headers.get("X-PAYMENT-RESPONSE"))

    async def talk() -> None:
        headers = {**BEARER, "X-PAYMENT": PAYMENT}
        hooks: Any = {"response": [remember]}
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks) as http:
            transport = streamable_http_client(http_url, http_client=http)
            async with Client(transport, mode=mode) as client:
                paid = await client.call_tool("get_fees", {})
                assert paid.is_error is False
                assert texts(paid)[0] == FEES
                assert "broadcast, not confirmed" in texts(paid)[1]
                assert (paid.meta or {})["x402/payment-response"] == RECEIPT
                unpriced = await client.call_tool("get_membership", {})
                assert unpriced.is_error is True
                assert "has no price" in texts(unpriced)[0]

    asyncio.run(talk())
    assert RECEIPT_FIELD in fields


@pytest.mark.parametrize("mode", MODES)
def test_a_client_completes_the_chain_of_a_prompt(http_url: str, mode: Any) -> None:
    async def talk() -> None:
        async with Client(http_url, mode=mode) as client:
            if mode != "2026-07-28":  # a client that is told the revision asks for nothing first
                assert client.server_capabilities is not None
                assert client.server_capabilities.completions is not None
            ref = PromptReference(type="ref/prompt", name="wager-review")
            found = await client.complete(ref, {"name": "chainId", "value": "8"})
            assert (found.completion.values, found.completion.has_more) == (["8453"], False)

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_fifty_callers_at_once_are_served(http_url: str, mode: Any) -> None:
    async def talk() -> None:
        async with Client(http_url, mode=mode) as client:
            calls = [client.call_tool("get_gateway_status", {}) for _ in range(50)]
            results = await asyncio.gather(*calls)
            assert [result.is_error for result in results] == [False] * 50

    asyncio.run(talk())


def test_fastmcp_s_client_works_too(http_url: str) -> None:
    async def talk() -> None:
        transport = StreamableHttpTransport(http_url, headers=BEARER)
        async with fastmcp.Client(transport) as client:
            assert [t.name for t in await client.list_tools()] == [t["name"] for t in SERVED]
            wagers = await client.call_tool("get_wagers", {})
            assert wagers.structured_content == json.loads(WAGERS)
            failed = await client.call_tool("get_membership", {}, raise_on_error=False)
            assert failed.is_error is True
            guide = await client.read_resource("fairwins://guide")
            assert len(getattr(guide[0], "text", "")) > 100
            prompt = await client.get_prompt("portfolio-briefing")
            assert len(prompt.messages) == 1

    asyncio.run(talk())
