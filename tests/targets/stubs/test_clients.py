"""The SDK's own client finds in a bound server what the contract says, over every transport."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ListToolsResult, PaginatedRequestParams, TextContent

from counterfoil.contract.model import Contract
from counterfoil.targets.snapshot import standalone

MODES = ("auto", "legacy", "2026-07-28")
RECEIPT = {"number": "R0001", "total": "4.50", "note": None, "lines": ["pens — 4,50 €"]}
SERVED = """
from __future__ import annotations

import json
import sys
import threading

import anyio
from mcp.server.stdio import stdio_server

from desk_bindings.paper_desk.stubs import bind
from desk_bindings.runtime import ToolFailure


class Desk:
    async def class_(self, args, ctx, /):
        raise OSError("/etc/desk")

    async def file_paper_v2(self, args, ctx, /):
        print("this goes to stderr")
        return args.text

    async def get_receipt(self, args, ctx, /):
        return json.loads(sys.argv[1])

    async def weigh(self, args, ctx, /):
        raise ToolFailure("The scale could not be read.")

    async def read_resource(self, uri, ctx, /):
        return uri


async def serve():
    server = bind(Desk())
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(serve)
"""


@pytest.fixture(scope="module")
def script(root: Path) -> Iterator[list[str]]:
    path = root / "serve_desk.py"
    path.write_text(SERVED, "utf-8")
    yield [str(path), json.dumps(RECEIPT)]
    path.unlink()


def spoken(target: Any, mode: str) -> dict[str, Any]:
    """Return what a client gets of lists and calls."""

    async def run() -> dict[str, Any]:
        with anyio.fail_after(60):
            async with Client(target, mode=mode) as client:
                return await asked(client)

    return anyio.run(run)


async def asked(client: Client) -> dict[str, Any]:
    text = "a \\N{BULLET} \u2028 «é»"
    try:
        crash = await client.call_tool("class", {})
        raise AssertionError(crash)
    except MCPError as error:
        crashed = (error.code, error.message)
    return {
        "tools": (await client.list_tools()).tools,
        "prompts": (await client.list_prompts()).prompts,
        "receipt": (await client.call_tool("get_receipt", {"number": "R0001"})).structured_content,
        "echo": (await client.call_tool("file-paper.v2", {"text": text})).content[0],
        "refused": await client.call_tool("get_receipt", {}),
        "failed": await client.call_tool("weigh", {"what": "me"}),
        "crashed": crashed,
        "text": text,
    }


@pytest.mark.parametrize("mode", MODES)
def test_a_client_over_stdio_finds_the_contract(
    contract: Contract, root: Path, script: list[str], mode: str
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONIOENCODING": "ascii"}
    server = StdioServerParameters(command=sys.executable, args=script, env=environment)
    found = spoken(server, mode)
    served = contract.server("paper-desk").served
    for tool, wanted in zip(found["tools"], served, strict=True):
        whole = standalone(contract, wanted)
        assert tool.name == whole["name"]
        assert tool.title == whole["title"]
        assert tool.description == whole["description"]
        if mode != "legacy" or tool.name != "file-paper.v2":  # its booleans are spelled out there
            assert tool.input_schema == whole["inputSchema"]
        assert tool.output_schema == whole.get("outputSchema")
        assert tool.meta == whole.get("_meta")
    assert found["receipt"] == RECEIPT
    assert found["echo"].text == found["text"]
    assert found["refused"].is_error
    assert found["refused"].content[0].text.endswith('- $: lacks "number"')
    assert found["failed"].is_error
    assert found["failed"].content[0].text == "The scale could not be read."
    assert found["crashed"] == (-32603, "Internal error")


@pytest.mark.parametrize("mode", MODES)
def test_a_client_in_memory_finds_the_contract(
    contract: Contract, server: Any, handlers: Any, mode: str
) -> None:
    async def run() -> tuple[list[Any], Any]:
        with anyio.fail_after(30):
            async with Client(server, mode=mode) as client:
                tools = (await client.list_tools()).tools
                return tools, await client.call_tool("get_receipt", {"number": "R0001"})

    tools, result = anyio.run(run)
    served = contract.server("paper-desk").served
    assert [tool.description for tool in tools] == [tool.description for tool in served]
    assert result.structured_content == RECEIPT


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_headers_of_each_http_request_reach_the_handler(desk: ModuleType, mode: str) -> None:
    class Echo:
        async def class_(self, args: Any, ctx: Any) -> str:
            return str(ctx.headers.get("X-Desk"))

        file_paper_v2 = get_receipt = weigh = read_resource = class_

    server = desk.bind(Echo())
    app = server.streamable_http_app(json_response=True, stateless_http=True)

    @asynccontextmanager
    async def connected(header: str) -> AsyncGenerator[Client]:
        transport = httpx2.ASGITransport(app)
        headers = {"X-Desk": header}
        async with httpx2.AsyncClient(transport=transport, headers=headers) as http:
            url = "http://127.0.0.1:8000/mcp"
            async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                yield client

    async def run() -> list[str]:
        texts: list[str] = []
        with anyio.fail_after(30):
            async with server.session_manager.run():
                for header in ("one", "two"):
                    async with connected(header) as client:
                        result = await client.call_tool("class", {})
                        (block,) = result.content
                        assert isinstance(block, TextContent)
                        texts.append(block.text)
        return texts

    assert anyio.run(run) == ["one", "two"]


def test_a_mirrored_argument_is_checked_without_listing_tools(desk: ModuleType) -> None:
    """The tool's ``x-mcp-header`` is known from the surface: a wrong header is refused."""

    class Echo:
        async def class_(self, args: Any, ctx: Any) -> str:
            return "filed"

        file_paper_v2 = get_receipt = weigh = read_resource = class_

    async def refuse(ctx: Any, params: Any) -> ListToolsResult:
        raise AssertionError("tools were listed")

    server = desk.bind(Echo())
    server.add_request_handler("tools/list", PaginatedRequestParams, refuse)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "file-paper.v2",
            "arguments": {"text": "t", "drawer": "A"},
            "_meta": meta,
        },
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "file-paper.v2",
    }

    async def run() -> list[int]:
        transport = httpx2.ASGITransport(app)
        with anyio.fail_after(30):
            async with (
                server.session_manager.run(),
                httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http,
            ):
                return [
                    (
                        await http.post(
                            "/mcp", json=call, headers={**headers, "Mcp-Param-Drawer": drawer}
                        )
                    ).status_code
                    for drawer in ("A", "B")
                ]

    assert anyio.run(run) == [200, 400]


def test_a_crash_over_stdio_is_on_stderr_with_its_traceback(root: Path, script: list[str]) -> None:
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "class", "arguments": {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    process = subprocess.Popen(
        [sys.executable, *script],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    guard = threading.Timer(60, process.kill)
    guard.start()
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(call).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        process.stdin.close()
        assert process.stdout.read() == b""
        told = process.stderr.read().decode()
    guard.cancel()
    assert json.loads(answer)["error"] == {"code": -32603, "message": "Internal error"}
    assert "tool class failed" in told
    assert "Traceback" in told
    assert "OSError: /etc/desk" in told
