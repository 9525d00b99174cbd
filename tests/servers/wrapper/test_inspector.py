"""The MCP Inspector's command line, in every era."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from local_upstream import ORDERS
from nodejs import find_package, run_node
from wrapped import TOKEN

FAILED = 5  # its exit status for a tool that fails
ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])


def inspect(home: Path, url: str, era: str, method: str, *options: str) -> tuple[int, Any, str]:
    launcher = find_package("@modelcontextprotocol/inspector")
    done = run_node(
        launcher / "clients" / "launcher" / "build" / "index.js",
        "--cli", "--method", method, *options, "--header", f"Authorization: Bearer {TOKEN}",
        "--transport", "http", "--protocol-era", era, "--format", "json", "--quiet", url,
        PATH=os.environ["PATH"], HOME=str(home), USERPROFILE=str(home),
    )  # fmt: skip
    result = json.loads(done.stdout)["result"] if done.stdout else None
    return done.returncode, result, done.stderr


@ERAS
def test_the_tools_are_listed_without_an_error_in_their_schemas(
    tmp_path: Path, wrapper_url: str, era: str
) -> None:
    status, result, told = inspect(tmp_path, wrapper_url, era, "tools/list", "--strict")
    assert status == 0
    assert told == ""
    names = [tool["name"] for tool in result["tools"]]
    assert names == ["list_orders", "read_broken", "refuse", "escape"]


@ERAS
def test_a_call_gets_data_and_a_failure_its_text(
    tmp_path: Path, wrapper_url: str, era: str
) -> None:
    status, result, _ = inspect(
        tmp_path, wrapper_url, era, "tools/call", "--tool-name", "list_orders"
    )
    assert status == 0
    assert result["structuredContent"] == ORDERS
    status, result, _ = inspect(tmp_path, wrapper_url, era, "tools/call", "--tool-name", "refuse")
    assert status == FAILED
    assert result["content"][0]["text"] == "Orders before 2019 are not kept."


@ERAS
def test_a_denied_fetch_is_an_error(tmp_path: Path, wrapper_url: str, era: str) -> None:
    status, result, told = inspect(
        tmp_path, wrapper_url, era, "tools/call", "--tool-name", "escape"
    )
    assert (status, result) != (0, {})
    assert "Fetch denied" in told + json.dumps(result)
