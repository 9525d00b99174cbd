"""The client in the same process, which the other tests rely on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from wrapped import REVISIONS, TOKEN, wrap

from mcp_wrapper_scaffold import Context
from mcp_wrapper_scaffold.testing.client import CallRefused, WrapperClient, exchange


async def echo(args: dict[str, Any], ctx: Context) -> object:
    return args


@pytest.mark.parametrize("version", REVISIONS)
def test_it_speaks_every_revision(version: str) -> None:
    async def talk() -> None:
        async with WrapperClient(wrap(echo), TOKEN, version) as client:
            assert [each["name"] for each in await client.list_tools()] == ["echo"]
            assert (await client.call_tool("echo", {"a": 1}))["a"] == 1

    asyncio.run(talk())


@pytest.mark.parametrize("token", [None, "wrong"])
def test_it_says_why_a_request_was_refused(token: str | None) -> None:
    async def talk() -> None:
        async with WrapperClient(wrap(echo), token) as client:
            with pytest.raises(CallRefused, match="401: a valid token is needed") as caught:
                await client.list_tools()
            assert caught.value.code == 401

    asyncio.run(talk())


def test_it_tells_an_application_that_answers_nothing_or_no_json() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        return

    async def plain(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 500, "headers": []})
        await send({"type": "http.response.body", "body": b"Internal", "more_body": True})
        await send({"type": "http.response.body", "body": b" Server Error"})

    async def talk() -> None:
        with pytest.raises(CallRefused, match="no response"):
            await exchange(silent, "GET", "/", {})
        client = WrapperClient(plain, TOKEN)
        with pytest.raises(CallRefused, match="500: Internal Server Error"):
            await client.list_tools()

    asyncio.run(talk())
