"""The TypeScript clients, of both SDK lines and in every mode."""

from __future__ import annotations

import json
from typing import Any

import pytest
from local_upstream import ORDERS
from nodejs import SCRIPTS, find_package, run_node

NEWEST = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}
PACKAGES = {1: "@modelcontextprotocol/sdk", 2: "@modelcontextprotocol/client"}
CLIENTS = pytest.mark.parametrize(
    ("sdk", "mode"), [(1, "legacy"), (2, "legacy"), (2, "auto"), (2, "2026-07-28")]
)


def run(sdk: int, mode: str, url: str, headers: dict[str, str], calls: list[Any]) -> Any:
    find_package(PACKAGES[sdk])
    job = {"sdk": sdk, "mode": mode, "url": url, "headers": headers, "calls": calls}
    return run_node(SCRIPTS / "client.mjs", json.dumps(job))


@CLIENTS
def test_a_client_lists_calls_and_is_told_of_failures(
    sdk: int, mode: str, wrapper_url: str, bearer: dict[str, str]
) -> None:
    calls = [
        ("listTools", {}),
        ("listResources", {}),
        ("listPrompts", {}),
        ("callTool", {"name": "list_orders", "arguments": {"page": 1}}),
        ("callTool", {"name": "list_orders", "arguments": {"page": 0}}),
        ("callTool", {"name": "refuse", "arguments": {}}),
        ("callTool", {"name": "escape", "arguments": {}}),
        ("callTool", {"name": "nothing", "arguments": {}}),
    ]
    done = run(sdk, mode, wrapper_url, bearer, calls)
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert seen["server"] == {"name": "orders", "version": "1.0.0"}
    if sdk == 2:
        assert seen["revision"] == NEWEST[mode]
    tools, resources, prompts, orders, wrong, refused, escaped, unknown = seen["answers"]
    names = [each["name"] for each in tools["result"]["tools"]]
    assert names == ["list_orders", "read_broken", "refuse", "escape"]
    assert resources["result"]["resources"] == []
    assert prompts["result"]["prompts"] == []
    assert orders["result"]["structuredContent"] == ORDERS
    assert orders["result"]["isError"] is False
    assert wrong["result"]["isError"] is True
    assert refused["result"]["content"][0]["text"] == "Orders before 2019 are not kept."
    assert escaped["error"]["code"] == -32603
    assert "https://evil.test/steal" in escaped["error"]["message"]
    assert unknown["error"]["code"] == -32602


@CLIENTS
def test_a_client_without_the_token_is_refused(sdk: int, mode: str, wrapper_url: str) -> None:
    done = run(sdk, mode, wrapper_url, {"Authorization": "Bearer wrong"}, [("listTools", {})])
    assert done.returncode != 0
    assert "401" in done.stderr or "nauthorized" in done.stderr
