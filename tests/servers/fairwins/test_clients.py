"""Real clients of every era against the server as it is started by a desktop."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from member_api import OFFER, TOKEN, WAGERS, serve_member_api

import fairwins_mcp
from fairwins_mcp.surface import load_snapshot

MODES = ("auto", "legacy", "2026-07-28")
SNAPSHOT = load_snapshot()
# As a desktop would start it, but with nothing to import beside the library and its own folder.
START = f"""\
import sys
sys.path.insert(0, {str(Path(fairwins_mcp.__file__).parents[1])!r})
from fairwins_mcp.cli import main
sys.exit(main())
"""


def target(**environment: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-I", "-S", "-c", START], env=dict(environment)
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_client_sees_the_surface_of_the_snapshot(mode: Any) -> None:
    async def talk() -> None:
        async with Client(target(), mode=mode) as client:
            if mode != "2026-07-28":  # a client that is told the revision asks for nothing first
                assert client.server_info is not None
                assert client.server_info.name == SNAPSHOT["server"]["name"]
            expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
            assert client.protocol_version == expected
            tools = (await client.list_tools()).tools
            served = [t for t in SNAPSHOT["tools"] if "mcp" in t["surfaces"]]
            assert [t.name for t in tools] == [t["name"] for t in served]
            assert [t.input_schema for t in tools] == [t["inputSchema"] for t in served]
            assert [t.output_schema for t in tools] == [t.get("outputSchema") for t in served]
            resources = (await client.list_resources()).resources
            assert [str(r.uri) for r in resources] == [r["uri"] for r in SNAPSHOT["resources"]]
            assert (await client.list_resource_templates()).resource_templates == []
            prompts = (await client.list_prompts()).prompts
            assert [p.name for p in prompts] == [p["name"] for p in SNAPSHOT["prompts"]]
            text = (await client.get_prompt("wager-review", {"chainId": "137"})).messages[0].content
            assert "137" in getattr(text, "text", "")
            guide = (await client.read_resource("fairwins://guide")).contents[0]
            assert len(getattr(guide, "text", "")) > 100

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_gets_data_failures_and_prices(mode: Any) -> None:
    async def talk(url: str) -> None:
        where = target(FAIRWINS_API_URL=url, FAIRWINS_API_TOKEN=TOKEN)
        async with Client(where, mode=mode) as client:
            wagers = await client.call_tool("get_wagers", {})
            assert wagers.is_error is False
            assert wagers.structured_content == json.loads(WAGERS)
            assert getattr(wagers.content[0], "text", "") == WAGERS
            failed = await client.call_tool("get_membership", {})
            assert failed.is_error is True
            text = getattr(failed.content[0], "text", "")
            assert "did not succeed: down — Off." in text
            assert text.endswith(SNAPSHOT["wording"]["unknown"])
            priced = await client.call_tool("get_fees", {})
            assert priced.is_error is True
            assert priced.structured_content == json.loads(OFFER)
            assert getattr(priced.content[1], "text", "").endswith(SNAPSHOT["wording"]["price"])
            wrong = await client.call_tool("get_wagers", {"first": 0})
            assert wrong.is_error is True

    with serve_member_api() as url:
        asyncio.run(talk(url))


@pytest.mark.parametrize("mode", MODES)
def test_a_client_gets_errors_with_the_codes_of_its_revision(mode: Any) -> None:
    async def talk() -> None:
        async with Client(target(), mode=mode) as client:
            for attempt, code in (
                (lambda: client.call_tool("find_in_app", {}), -32602),
                (lambda: client.get_prompt("nothing"), -32602),
                (lambda: client.read_resource("x://y"), -32002 if mode == "legacy" else -32602),
            ):
                with pytest.raises(MCPError) as raised:
                    await attempt()
                assert raised.value.error.code == code

    asyncio.run(talk())
