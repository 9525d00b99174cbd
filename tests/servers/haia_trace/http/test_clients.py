"""Real clients over HTTP with a token, in every era."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from nodejs import SCRIPTS, find_package, run_node

if TYPE_CHECKING:
    from conftest import Served

MODES = pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
NAMES = {"check_before_pay", "explain", "get_receipt", "get_review_status", "list_operations"}


@MODES
def test_the_client_of_the_sdk_reads_receipts(guarded: Served, mode: Any) -> None:
    async def talk() -> None:
        async with httpx2.AsyncClient(headers=guarded.bearer) as http:
            transport = streamable_http_client(guarded.url, http_client=http)
            async with Client(transport, mode=mode) as client:
                expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
                assert client.protocol_version == expected
                assert {each.name for each in (await client.list_tools()).tools} == NAMES
                listed = await client.call_tool("list_operations", {"completeness": "partial"})
                assert listed.structured_content is not None
                (row,) = listed.structured_content["operations"]
                named = {"run_id": row["run_id"], "operation_id": row["operation_id"]}
                receipt = await client.call_tool("get_receipt", named)
                assert receipt.is_error is False
                absent = await client.call_tool("get_receipt", {**named, "run_id": "7"})
                assert absent.is_error is True

    asyncio.run(talk())


@MODES
def test_many_calls_at_once_are_answered(guarded: Served, mode: Any) -> None:
    async def talk() -> None:
        async with httpx2.AsyncClient(headers=guarded.bearer) as http:
            transport = streamable_http_client(guarded.url, http_client=http)
            async with Client(transport, mode=mode) as client:
                calls = [client.call_tool("list_operations", {"limit": 1}) for _ in range(40)]
                for result in await asyncio.gather(*calls):
                    assert result.structured_content is not None
                    assert len(result.structured_content["operations"]) == 1

    asyncio.run(talk())


@MODES
@pytest.mark.parametrize(("scope", "status"), [(None, 403), ("trace:read", 403), ("", 401)])
def test_a_client_without_the_scopes_gets_nowhere(
    guarded: Served, mode: Any, scope: str | None, status: int
) -> None:
    token = "none" if scope == "" else guarded.issuer.token(scope=scope)
    statuses: list[int] = []

    async def remember(response: httpx2.Response) -> None:
        statuses.append(response.status_code)

    async def talk() -> None:
        hooks: Any = {"response": [remember]}
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, event_hooks=hooks) as http:
            transport = streamable_http_client(guarded.url, http_client=http)
            async with Client(transport, mode=mode) as client:
                await client.list_tools()

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - of the SDK, a group of any kind
        asyncio.run(talk())
    assert not isinstance(caught.value, KeyboardInterrupt | SystemExit)
    assert set(statuses) == {status}


def test_the_client_of_fastmcp_reads_receipts(guarded: Served) -> None:
    async def talk() -> None:
        transport = StreamableHttpTransport(guarded.url, headers=guarded.bearer)
        async with fastmcp.Client(transport) as client:
            assert {each.name for each in await client.list_tools()} == NAMES
            listed = await client.call_tool("list_operations", {})
            assert listed.structured_content is not None
            assert listed.structured_content["runs_scanned"] == 1

    asyncio.run(talk())


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_reads_receipts(guarded: Served, tmp_path: Path, era: str) -> None:
    launcher = find_package("@modelcontextprotocol/inspector")

    def inspect(*words: str) -> tuple[int, Any]:
        done = run_node(
            launcher / "clients" / "launcher" / "build" / "index.js",
            "--cli", *words, "--header", f"Authorization: {guarded.bearer['Authorization']}",
            "--transport", "http", "--protocol-era", era, "--format", "json", "--quiet",
            guarded.url, PATH=os.environ["PATH"], HOME=str(tmp_path), USERPROFILE=str(tmp_path),
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout)["result"] if done.stdout else done.stderr

    status, result = inspect("--method", "tools/list", "--strict")
    assert (status, {tool["name"] for tool in result["tools"]}) == (0, NAMES)
    status, result = inspect("--method", "tools/call", "--tool-name", "list_operations")
    assert (status, result["structuredContent"]["runs_scanned"]) == (0, 1)


@pytest.mark.parametrize(
    ("sdk", "mode"), [(1, "legacy"), (2, "legacy"), (2, "auto"), (2, "2026-07-28")]
)
def test_the_typescript_clients_read_receipts(guarded: Served, sdk: int, mode: str) -> None:
    find_package({1: "@modelcontextprotocol/sdk", 2: "@modelcontextprotocol/client"}[sdk])
    calls = [
        ("listTools", {}),
        ("callTool", {"name": "list_operations", "arguments": {}}),
        ("callTool", {"name": "get_receipt", "arguments": {"run_id": "7", "operation_id": "x"}}),
    ]
    job = {"sdk": sdk, "mode": mode, "url": guarded.url, "headers": guarded.bearer, "calls": calls}
    done = run_node(SCRIPTS / "client.mjs", json.dumps(job))
    assert (done.returncode, done.stderr) == (0, "")
    tools, listed, absent = json.loads(done.stdout)["answers"]
    assert {tool["name"] for tool in tools["result"]["tools"]} == NAMES
    assert listed["result"]["structuredContent"]["runs_scanned"] == 1
    assert absent["result"]["isError"] is True
    refused = {**job, "headers": {}}
    done = run_node(SCRIPTS / "client.mjs", json.dumps(refused))
    assert done.returncode != 0
    assert "401" in done.stderr or "nauthorized" in done.stderr
