"""The first program that a reader of the README types in does what is said there."""

from __future__ import annotations

import asyncio
import functools
import re
from pathlib import Path
from typing import Any

import pytest

import mcp_wrapper_scaffold
from mcp_wrapper_scaffold import Freshness, Limits, create_wrapper_server
from mcp_wrapper_scaffold.testing import RecordedUpstream, WrapperClient

README = Path(__file__).parents[3] / "servers" / "wrapper" / "README.md"
TEXT = README.read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
ORDERS = "https://api.lemonsqueezy.com/v1/orders?page[number]=2"


def test_the_quick_start_reads_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", ORDERS, json={"data": []})
    upstream.answer("GET", ORDERS, status=401, content="a body that stays here")
    connected = functools.partial(create_wrapper_server, network=upstream.network)
    monkeypatch.setattr(mcp_wrapper_scaffold, "create_wrapper_server", connected)
    monkeypatch.setenv("AGENT_TOKEN", "of-the-agent")
    monkeypatch.setenv("LS_API_KEY", "of-the-api")
    names: dict[str, Any] = {"__name__": "orders_mcp"}
    exec(compile(BLOCKS[0], str(README), "exec"), names)

    async def talk() -> None:
        async with WrapperClient(names["app"], "of-the-agent") as client:
            answer = await client.call_tool("list_orders", {"page": 2})
            assert answer["structuredContent"] == {"data": []}
            refused = await client.call_tool("list_orders", {"page": 2})
            assert refused["isError"] is True
            assert refused["content"][0]["text"] == "The orders could not be read: status 401."

    asyncio.run(talk())
    first, _ = upstream.requests
    assert first.headers["authorization"] == "Bearer of-the-api"


def test_every_block_of_python_can_be_compiled() -> None:
    assert len(BLOCKS) >= 2
    for block in BLOCKS:
        compile(block, str(README), "exec")


@pytest.mark.parametrize(
    "sentence",
    [
        f"{Limits().concurrent_calls} calls at once",
        f"{Limits().request_bytes >> 20} MiB for a request, {Limits().request_seconds:g} seconds",
        f"{Limits().answer_bytes >> 20} MiB for an answer",
        f"{Limits().response_bytes >> 20} MiB and {Limits().fetch_seconds:g} seconds",
        f"used for {Freshness().fresh_seconds:g} seconds",
        f"lives for {Freshness().grace_seconds:g} seconds more",
    ],
)
def test_the_figures_are_those_of_the_code(sentence: str) -> None:
    assert sentence in " ".join(TEXT.split())
