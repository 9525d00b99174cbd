"""Clients that people use, over standard input and output, from listing to a person's decision."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import fastmcp
import pytest
from fastmcp.client.transports import StdioTransport
from mcp import Client, MCPError, StdioServerParameters
from nodejs import SCRIPTS, find_package, run_node
from trace_room import SELLER, TraceRoom

ROOT = Path(__file__).parents[4]
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
TOOLS = {tool["name"]: tool for tool in CONTRACT["servers"]["haia-trace"]["tools"]}
NAMED = {"run_id": "1", "operation_id": "op"}
PAYMENT = {"counterparty": SELLER, "amount": "0.25"}
ABSENT = {"run_id": "1", "operation_id": "nothing"}
MODES = pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])

Call: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Calls a tool and returns the result as it went over the wire, in camel case."""


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    made = TraceRoom(tmp_path / ".trace")
    made.pay("op", settled=False)
    return made


def words(room: TraceRoom) -> list[str]:
    return ["-W", "error", "-m", "haia_trace_mcp", "--dir", str(room.path)]


def as_on_wire(result: Any) -> dict[str, Any]:
    return {
        "isError": result.is_error,
        "structuredContent": result.structured_content,
        "content": [{"text": each.text} for each in result.content],
    }


async def see_a_payment_through(call: Call, room: TraceRoom) -> None:
    """Use every tool, and have a person decide in between."""
    listed = await call("list_operations", {"completeness": "partial"})
    [row] = listed["structuredContent"]["operations"]
    assert (row["run_id"], row["operation_id"]) == ("1", "op")
    receipt = await call("get_receipt", NAMED)
    assert json.loads(receipt["content"][0]["text"]) == receipt["structuredContent"]
    assert receipt["content"][0]["text"].startswith('{\n  "operation": {\n')
    explained = await call("explain", NAMED)
    assert "leave the same receipt" in explained["structuredContent"]["explanation"]
    checked = await call("check_before_pay", PAYMENT)
    assert checked["structuredContent"]["decision"] == "review"
    review = {"review_id": checked["structuredContent"]["review_id"]}
    status = await call("get_review_status", review)
    assert status["structuredContent"]["status"] == "pending"
    room.new_reviews().reject(review["review_id"], "ærlig 🍋")
    status = await call("get_review_status", review)
    assert status["structuredContent"]["status"] == "rejected"
    assert status["structuredContent"]["note"] == "ærlig 🍋"
    for tool, arguments in (("explain", ABSENT), ("list_operations", {"limit": 0})):
        failed = await call(tool, arguments)
        assert failed["isError"] is True
        assert failed.get("structuredContent") is None


@MODES
def test_the_sdks_client_sees_a_payment_through(room: TraceRoom, mode: Any) -> None:
    async def talk() -> None:
        target = StdioServerParameters(command=sys.executable, args=words(room))
        async with asyncio.timeout(60), Client(target, mode=mode) as client:
            expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
            assert client.protocol_version == expected
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools.keys() == TOOLS.keys()
            for name, tool in tools.items():
                assert tool.input_schema == TOOLS[name]["inputSchema"]
                assert tool.description == TOOLS[name]["description"]

            async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
                return as_on_wire(await client.call_tool(tool, arguments))

            await see_a_payment_through(call, room)
            with pytest.raises(MCPError) as raised:
                await client.call_tool("approve_review", {})
            assert raised.value.error.code == -32602

            many = [client.call_tool("list_operations", {}) for _ in range(50)]
            assert not any(each.is_error for each in await asyncio.gather(*many))

    asyncio.run(talk())


def test_fastmcps_client_sees_a_payment_through(room: TraceRoom) -> None:
    async def talk() -> None:
        transport = StdioTransport(sys.executable, words(room), keep_alive=False)
        async with asyncio.timeout(60), fastmcp.Client(transport) as client:

            async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
                return as_on_wire(await client.call_tool(tool, arguments, raise_on_error=False))

            assert {tool.name for tool in await client.list_tools()} == TOOLS.keys()
            await see_a_payment_through(call, room)

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("sdk", "mode"), [(1, "legacy"), (2, "legacy"), (2, "auto"), (2, "2026-07-28")]
)
def test_the_typescript_clients_read_and_check(room: TraceRoom, sdk: int, mode: str) -> None:
    find_package({1: "@modelcontextprotocol/sdk", 2: "@modelcontextprotocol/client"}[sdk])
    job = {
        "sdk": sdk,
        "mode": mode,
        "command": sys.executable,
        "args": words(room),
        "env": {"PATH": os.environ["PATH"]},
        "calls": [
            ("listTools", {}),
            ("listResources", {}),
            ("listPrompts", {}),
            ("callTool", {"name": "get_receipt", "arguments": NAMED}),
            ("callTool", {"name": "explain", "arguments": ABSENT}),
            ("callTool", {"name": "check_before_pay", "arguments": PAYMENT}),
            ("callTool", {"name": "approve_review", "arguments": {}}),
        ],
    }
    done = run_node(SCRIPTS / "client.mjs", json.dumps(job))
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert seen["server"]["name"] == "haia-trace-mcp"
    tools, resources, prompts, receipt, absent, checked, unknown = seen["answers"]
    assert {tool["name"] for tool in tools["result"]["tools"]} == TOOLS.keys()
    assert (resources["result"]["resources"], prompts["result"]["prompts"]) == ([], [])
    assert receipt["result"]["structuredContent"]["run_id"] == "1"
    assert absent["result"]["isError"] is True
    assert checked["result"]["structuredContent"]["decision"] == "review"
    assert unknown["error"]["code"] == -32602


class Inspector:
    """The Inspector's command line, with a home of its own."""

    def __init__(self, room: TraceRoom, home: Path) -> None:
        self._words = [sys.executable, *words(room)]
        self._home = str(home)

    def run(self, era: str, method: str, *options: str) -> tuple[int, Any, str]:
        """Call a method; return the exit status, the result and what was told beside it."""
        launcher = find_package("@modelcontextprotocol/inspector")
        done = run_node(
            launcher / "clients" / "launcher" / "build" / "index.js",
            "--cli", "--method", method, *options,
            "--protocol-era", era, "--format", "json", "--quiet", "--", *self._words,
            PATH=os.environ["PATH"], HOME=self._home, USERPROFILE=self._home,
        )  # fmt: skip
        result = json.loads(done.stdout)["result"] if done.stdout else None
        return done.returncode, result, done.stderr

    def call(self, era: str, tool: str, arguments: dict[str, Any]) -> tuple[int, Any, str]:
        """Call a tool."""
        given = ["--tool-args-json", json.dumps(arguments)]
        return self.run(era, "tools/call", "--tool-name", tool, *given)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_lists_reads_and_checks(room: TraceRoom, era: str, tmp_path: Path) -> None:
    inspector = Inspector(room, tmp_path)
    status, result, told = inspector.run(era, "tools/list", "--strict")
    assert (status, told) == (0, "")  # nothing to say of the schemas
    assert {tool["name"] for tool in result["tools"]} == TOOLS.keys()
    status, result, _ = inspector.call(era, "get_receipt", NAMED)
    assert status == 0
    assert result["structuredContent"]["run_id"] == "1"
    status, result, _ = inspector.call(era, "explain", ABSENT)
    assert status == 5  # what it says of a tool that fails
    assert 'holds no operation "nothing"' in result["content"][0]["text"]
    status, result, _ = inspector.call(era, "check_before_pay", PAYMENT)
    assert (status, result["structuredContent"]["decision"]) == (0, "review")
