"""Many slow calls at once, a bound on them, and clients that go away."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from local_upstream import ORDERS, LocalUpstream
from served import served
from wrapped import REVISIONS, TOKEN, Handler, wrap

from mcp_wrapper_scaffold import Context, Limits
from mcp_wrapper_scaffold.testing.client import Answer, CallRefused, WrapperClient, exchange

MANY = 500
Args = dict[str, Any]


def slow_tool(upstream: LocalUpstream) -> Handler:
    async def slow(args: Args, ctx: Context) -> object:
        return (await ctx.fetch(f"{upstream.origin}/v1/slow")).json()

    return slow


def call_of(name: str, version: str) -> bytes:
    """Return the bytes of an HTTP request that calls a tool."""
    client = WrapperClient(lambda *_: None, TOKEN, version)  # type: ignore[arg-type] # it only writes
    body = client.message("tools/call", {"name": name, "arguments": {}})
    lines = [
        "POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json",
        f"Authorization: Bearer {TOKEN}", f"MCP-Protocol-Version: {version}",
        "Mcp-Method: tools/call", f"Mcp-Name: {name}", f"Content-Length: {len(body)}", "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + body


def test_five_hundred_slow_calls_run_at_once_and_hold_nobody_up() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            app = wrap(slow_tool(upstream), origin=upstream.origin)
            async with WrapperClient(app, TOKEN) as client, asyncio.timeout(60):
                calls = [asyncio.create_task(client.call_tool("slow")) for _ in range(MANY)]
                await upstream.wait_for(held=MANY)
                assert len(await client.list_tools()) == 1
                assert (await exchange(app, "GET", "/healthz", {})).status == 200
                upstream.release.set()
                for result in await asyncio.gather(*calls):
                    assert result["structuredContent"] == ORDERS

    asyncio.run(talk())


def test_a_call_beyond_the_bound_is_refused_with_a_time_to_come_back() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            limits = Limits(concurrent_calls=3)
            app = wrap(slow_tool(upstream), origin=upstream.origin, limits=limits)
            async with WrapperClient(app, TOKEN) as client:
                calls = [asyncio.create_task(client.call_tool("slow")) for _ in range(3)]
                await upstream.wait_for(held=3)
                answer = await send_call(client)
                assert (answer.status, answer.headers["retry-after"]) == (503, "1")
                assert answer.json()["error"]["code"] == -32603
                assert "try again" in answer.json()["error"]["message"]
                assert len(await client.list_tools()) == 1
                upstream.release.set()
                await asyncio.gather(*calls)
                assert (await send_call(client)).status == 200

    async def send_call(client: WrapperClient) -> Answer:
        params = {"name": "slow", "arguments": {}}
        message = client.message("tools/call", params)
        return await client.send(message, method="tools/call", params=params)

    asyncio.run(talk())


def test_calls_in_an_array_count_one_by_one() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            limits = Limits(concurrent_calls=1)
            app = wrap(slow_tool(upstream), origin=upstream.origin, limits=limits)
            async with WrapperClient(app, TOKEN, "2025-03-26") as client:
                running = asyncio.create_task(client.call_tool("slow"))
                await upstream.wait_for(held=1)
                call = json.loads(client.message("tools/call", {"name": "slow"}))
                ping = json.loads(client.message("ping"))
                answer = await client.send(json.dumps([call, ping]).encode(), method="")
                refused, pong = answer.json()
                assert (answer.status, refused["error"]["code"]) == (200, -32603)
                assert pong["result"] == {}
                upstream.release.set()
                await running

    asyncio.run(talk())


@pytest.mark.parametrize("version", REVISIONS)
def test_a_client_that_goes_away_takes_its_call_and_its_connection_upstream_with_it(
    version: str,
) -> None:
    async def talk() -> None:
        ended = asyncio.Event()

        async def slow(args: Args, ctx: Context) -> object:
            try:
                return (await ctx.fetch(f"{upstream.origin}/v1/slow")).json()
            finally:
                ended.set()

        async with LocalUpstream() as upstream:
            app = wrap(slow, origin=upstream.origin, limits=Limits(concurrent_calls=1))
            async with served(app) as server:
                for number in (1, 2):  # the second one is let in, so the first is not counted
                    ended.clear()
                    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                    writer.write(call_of("slow", version))
                    await upstream.wait_for(held=1)
                    writer.close()
                    await writer.wait_closed()
                    await upstream.wait_for(hung_up=number)
                    async with asyncio.timeout(20):
                        await ended.wait()
                    assert upstream.held == 0

    asyncio.run(talk())


def test_five_hundred_clients_that_go_away_leave_nothing_behind() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            app = wrap(slow_tool(upstream), origin=upstream.origin)
            async with served(app) as server, asyncio.timeout(100):
                before = len(asyncio.all_tasks())
                request = call_of("slow", "2026-07-28")
                writers: list[asyncio.StreamWriter] = []
                for _ in range(MANY):
                    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                    writer.write(request)
                    writers.append(writer)
                await upstream.wait_for(held=MANY)
                for writer in writers:
                    writer.close()
                await upstream.wait_for(hung_up=MANY)
                while len(asyncio.all_tasks()) > before:
                    await asyncio.sleep(0)

    asyncio.run(talk())


def test_a_client_that_leaves_half_a_body_hurts_nobody() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            app = wrap(slow_tool(upstream), origin=upstream.origin)
            async with served(app) as server:
                for cut in (1, 30, 200, -1):
                    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                    writer.write(call_of("slow", "2026-07-28")[:cut])
                    await writer.drain()
                    writer.close()
                    await writer.wait_closed()
                upstream.release.set()
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(call_of("slow", "2026-07-28"))
                assert (await reader.readline()).startswith(b"HTTP/1.1 200")
                writer.close()

    asyncio.run(talk())


def test_a_handler_that_ignores_its_cancellation_is_counted_until_it_ends() -> None:
    async def talk() -> None:
        release, started, gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def stubborn(args: Args, ctx: Context) -> object:
            started.set()
            try:
                await release.wait()
            except asyncio.CancelledError:
                gone.set()
                await release.wait()
            return {}

        app = wrap(stubborn, limits=Limits(concurrent_calls=1))
        async with WrapperClient(app, TOKEN) as client:
            first = asyncio.create_task(client.call_tool("stubborn"))
            await started.wait()
            first.cancel()
            await gone.wait()
            with pytest.raises(CallRefused):
                await client.call_tool("stubborn")
            release.set()
            await asyncio.wait((first,))
            assert (await client.call_tool("stubborn"))["isError"] is False

    asyncio.run(talk())


def test_a_call_under_way_is_answered_while_the_server_stops() -> None:
    async def talk() -> None:
        async with LocalUpstream() as upstream:
            app = wrap(slow_tool(upstream), origin=upstream.origin)
            async with served(app) as server:
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(call_of("slow", "2026-07-28"))
                await upstream.wait_for(held=1)
                server.stop()
                upstream.release.set()
                answer = await reader.read()
            assert answer.startswith(b"HTTP/1.1 200")
            assert json.dumps(ORDERS, separators=(",", ":")).encode() in answer
            writer.close()

    asyncio.run(talk())
