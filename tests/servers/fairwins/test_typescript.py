"""The TypeScript clients, of both SDK lines and in every mode, over both transports."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import pytest
from member_api import OFFER, TOKEN, WAGERS, serve_member_api
from nodejs import SCRIPTS, find_package, run_node

from fairwins_mcp.surface import load_snapshot

SNAPSHOT = load_snapshot()
SERVED = [tool for tool in SNAPSHOT["tools"] if "mcp" in tool["surfaces"]]
UNKNOWN = SNAPSHOT["wording"]["unknown"]
NEWEST = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
PACKAGES = {1: "@modelcontextprotocol/sdk", 2: "@modelcontextprotocol/client"}
CLIENTS = pytest.mark.parametrize(
    ("sdk", "mode"), [(1, "legacy"), (2, "legacy"), (2, "auto"), (2, "2026-07-28")]
)
TRANSPORTS = pytest.mark.parametrize("transport", ["stdio", "http"])
Calls = list[tuple[str, dict[str, Any]]]


def talk(sdk: int, mode: str, target: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """Let a client make calls; return what it saw."""
    find_package(PACKAGES[sdk])
    job = {"sdk": sdk, "mode": mode, "calls": calls, **target}
    done = run_node(SCRIPTS / "client.mjs", json.dumps(job))
    assert (done.returncode, done.stderr) == (0, "")
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["server"]["name"] == SNAPSHOT["server"]["name"]
    if sdk == 2:
        assert seen["revision"] == NEWEST[mode]
    return seen


def stdio(**environment: str) -> dict[str, Any]:
    """Start the server over stdio, with these variables and none of this process."""
    variables = {"PATH": os.environ["PATH"], **environment}
    return {"command": sys.executable, "args": ["-m", "fairwins_mcp"], "env": variables}


@TRANSPORTS
@CLIENTS
def test_a_client_sees_the_surface_of_the_snapshot(
    sdk: int, mode: str, transport: str, http_url: str
) -> None:
    target = stdio() if transport == "stdio" else {"url": http_url}
    reference = {"type": "ref/prompt", "name": "wager-review"}
    calls: Calls = [
        ("listTools", {}),
        ("listResources", {}),
        ("listResourceTemplates", {}),
        ("listPrompts", {}),
        ("readResource", {"uri": "fairwins://guide"}),
        ("getPrompt", {"name": "wager-review", "arguments": {"chainId": "137"}}),
        ("complete", {"ref": reference, "argument": {"name": "chainId", "value": "13"}}),
    ]
    answers = [answer["result"] for answer in talk(sdk, mode, target, calls)["answers"]]
    tools, resources, templates, prompts, guide, prompt, completion = answers
    for field in ("name", "title", "description", "inputSchema", "outputSchema", "annotations"):
        assert [t.get(field) for t in tools["tools"]] == [t.get(field) for t in SERVED]
    assert [r["uri"] for r in resources["resources"]] == [r["uri"] for r in SNAPSHOT["resources"]]
    assert templates["resourceTemplates"] == []
    assert [p["name"] for p in prompts["prompts"]] == [p["name"] for p in SNAPSHOT["prompts"]]
    assert guide["contents"][0]["text"].startswith("# ")
    assert "137" in prompt["messages"][0]["content"]["text"]
    assert completion["completion"]["values"] == ["137"]


@CLIENTS
def test_a_client_of_a_server_without_configuration_gets_an_unknown(sdk: int, mode: str) -> None:
    [answer] = talk(sdk, mode, stdio(), [("callTool", {"name": "get_membership"})])["answers"]
    assert answer["result"]["isError"] is True
    text = answer["result"]["content"][0]["text"]
    assert "FAIRWINS_API_URL is not set" in text
    assert text.endswith(UNKNOWN)


@TRANSPORTS
@CLIENTS
def test_a_client_gets_data_failures_and_prices(
    sdk: int, mode: str, transport: str, http_url: str
) -> None:
    calls: Calls = [
        ("callTool", {"name": "get_wagers", "arguments": {}}),
        ("callTool", {"name": "get_membership", "arguments": {}}),
        ("callTool", {"name": "get_fees", "arguments": {}}),
        ("callTool", {"name": "get_wagers", "arguments": {"first": 0}}),
    ]
    with serve_member_api() as api_url:
        if transport == "stdio":
            target = stdio(FAIRWINS_API_URL=api_url, FAIRWINS_API_TOKEN=TOKEN)
        else:
            target = {"url": http_url, "headers": {"Authorization": f"Bearer {TOKEN}"}}
        answers = [answer["result"] for answer in talk(sdk, mode, target, calls)["answers"]]
    wagers, failed, priced, wrong = answers
    assert wagers["isError"] is False
    assert wagers["structuredContent"] == json.loads(WAGERS)
    assert wagers["content"] == [{"type": "text", "text": WAGERS}]
    assert failed["isError"] is True
    assert "did not succeed: down — Off." in failed["content"][0]["text"]
    assert failed["content"][0]["text"].endswith(UNKNOWN)
    assert priced["isError"] is True
    assert priced["structuredContent"] == json.loads(OFFER)
    assert wrong["isError"] is True
    assert "/first" in wrong["content"][0]["text"]


@TRANSPORTS
@CLIENTS
def test_a_client_gets_errors_with_the_codes_of_its_revision(
    sdk: int, mode: str, transport: str, http_url: str
) -> None:
    target = stdio() if transport == "stdio" else {"url": http_url}
    calls: Calls = [
        ("callTool", {"name": "find_in_app", "arguments": {}}),
        ("getPrompt", {"name": "nothing"}),
        ("getPrompt", {"name": "wager-review", "arguments": {"unheard": "1"}}),
        ("readResource", {"uri": "x://y"}),
        ("listTools", {"cursor": "later"}),
    ]
    answers = talk(sdk, mode, target, calls)["answers"]
    missing = -32002 if sdk == 1 else -32602  # the newer client names it so in every revision
    codes = [answer["error"]["code"] for answer in answers]
    assert codes == [-32602, -32602, -32602, missing, -32602]
