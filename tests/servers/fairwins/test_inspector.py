"""The MCP Inspector's command line, in every era and over both transports."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from member_api import TOKEN, WAGERS
from nodejs import find_package, run_node

from fairwins_mcp.surface import load_snapshot

SNAPSHOT = load_snapshot()
SERVED = [tool for tool in SNAPSHOT["tools"] if "mcp" in tool["surfaces"]]
FAILED = 5  # its exit status for a tool that fails, and for a name that it does not find
ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
TRANSPORTS = pytest.mark.parametrize("transport", ["stdio", "http"])


class Inspector:
    """The command against one server, with a home of its own."""

    def __init__(self, home: Path, transport: str, url: str) -> None:
        self.home = home
        self.target = [url] if transport == "http" else [sys.executable, "-m", "fairwins_mcp"]

    def run(self, method: str, *options: str, era: str = "auto") -> tuple[int, Any, str]:
        """Call a method; return the exit status, the result and what was told beside it."""
        launcher = find_package("@modelcontextprotocol/inspector")
        done = run_node(
            launcher / "clients" / "launcher" / "build" / "index.js",
            "--cli", "--method", method, *options,  # some take all words up to the next option
            "--protocol-era", era, "--format", "json", "--quiet", *self.target,
            PATH=os.environ["PATH"], HOME=str(self.home), USERPROFILE=str(self.home),
        )  # fmt: skip
        result = json.loads(done.stdout)["result"] if done.stdout else None
        return done.returncode, result, done.stderr


@pytest.fixture
def inspector(transport: str, http_url: str, tmp_path: Path) -> Inspector:
    """Give the command for a transport; over stdio the server knows no gateway."""
    return Inspector(tmp_path, transport, http_url)


@TRANSPORTS
@ERAS
def test_the_tools_are_listed_without_an_error_in_their_schemas(
    inspector: Inspector, era: str
) -> None:
    status, result, told = inspector.run("tools/list", "--strict", era=era)
    assert status == 0
    # Its warnings are about types in lists, which are good JSON Schema.
    assert told.splitlines()[-1].startswith("0 errors, ")
    assert [tool["name"] for tool in result["tools"]] == [tool["name"] for tool in SERVED]
    assert [t["inputSchema"] for t in result["tools"]] == [t["inputSchema"] for t in SERVED]


@TRANSPORTS
@ERAS
def test_a_call_that_cannot_be_read_is_an_unknown(inspector: Inspector, era: str) -> None:
    status, result, _ = inspector.run("tools/call", "--tool-name", "get_membership", era=era)
    assert status == FAILED
    assert result["isError"] is True
    assert result["content"][0]["text"].endswith(SNAPSHOT["wording"]["unknown"])


@pytest.mark.parametrize("transport", ["http"])
def test_a_call_with_a_token_in_its_header_gets_data(inspector: Inspector) -> None:
    options = ["--tool-name", "get_wagers", "--header", f"Authorization: Bearer {TOKEN}"]
    status, result, _ = inspector.run("tools/call", *options, "--transport", "http")
    assert status == 0
    assert result["structuredContent"] == json.loads(WAGERS)


@TRANSPORTS
def test_resources_are_listed_and_read(inspector: Inspector) -> None:
    status, result, _ = inspector.run("resources/list")
    assert status == 0
    assert [r["uri"] for r in result["resources"]] == [r["uri"] for r in SNAPSHOT["resources"]]
    status, result, _ = inspector.run("resources/read", "--uri", "fairwins://guide")
    assert status == 0
    assert result["contents"][0]["text"].startswith("# ")
    assert inspector.run("resources/templates/list")[:2] == (0, {"resourceTemplates": []})


@TRANSPORTS
def test_prompts_are_listed_and_filled_in(inspector: Inspector) -> None:
    status, result, _ = inspector.run("prompts/list")
    assert status == 0
    assert [p["name"] for p in result["prompts"]] == [p["name"] for p in SNAPSHOT["prompts"]]
    options = ["--prompt-name", "wager-review", "--prompt-args", "chainId=137"]
    status, result, _ = inspector.run("prompts/get", *options)
    assert status == 0
    assert "137" in result["messages"][0]["content"]["text"]


@TRANSPORTS
def test_what_is_not_served_is_not_found(inspector: Inspector) -> None:
    status, result, told = inspector.run("tools/call", "--tool-name", "find_in_app")
    assert (status, result) == (FAILED, None)
    assert "find_in_app" in told
