"""What the server's papers say is true."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pytest
from trace_room import TraceRoom

from counterfoil_bindings.haia_trace.stubs import TOOL_NAMES
from haia_trace_mcp.cli.main import make_parser
from haia_trace_mcp.index import Limits
from haia_trace_mcp.policy import default_policy, read_policy
from haia_trace_mcp.reviews import RULES
from haia_trace_mcp.stdio.pipes import LINE_LIMIT
from haia_trace_mcp.templates.resolution import SHIPPED
from haia_trace_mcp.tools.answers import DEPTH_LIMIT

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "servers/haia_trace"
README = (FOLDER / "README.md").read_text("utf-8")


def first_column(head: str) -> list[str]:
    """Return what is set as code in the first column of the table that begins with a head."""
    lines = README[README.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [name for line in lines for name in re.findall(r"`([^`]+)`", line.split(" | ")[0])]


def examples() -> list[str]:
    """Return the examples of JSON."""
    return re.findall(r"```json\n(.*?)```", README, re.DOTALL)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    found = {word for action in parser._actions for word in action.option_strings}
    return {word for word in found if word.startswith("--")} - {"--help", "--version"}


def test_the_readme_has_every_tool_rule_and_option_and_no_other() -> None:
    assert sorted(first_column("| tool |")) == sorted(TOOL_NAMES)
    assert sorted([*first_column("| rule |"), "history"]) == sorted(RULES)
    assert set(first_column("| option |")) == options_of(make_parser())
    for name in SHIPPED:
        assert f"`{name}`" in README


def test_the_readmes_policy_is_the_default() -> None:
    [text] = [each for each in examples() if "denylist" in each]
    written, default = read_policy(text.encode()), default_policy()
    for name in ("allowlist", "denylist", "per_counterparty", "max_open", "review_above", "asset"):
        assert getattr(written, name) == getattr(default, name)
    assert sorted(asset.key for asset in written.assets) == sorted(
        asset.key for asset in default.assets
    )


def test_the_limits_that_the_readme_names_are_those_that_hold() -> None:
    limits = Limits()
    gib, mib = 1 << 30, 1 << 20
    assert f"Run files of over {limits.run_file // gib} GiB" in README
    assert f"lines of over {limits.line // mib} MiB" in README
    assert f"requests of over {LINE_LIMIT // mib} MiB" in README
    assert f"deeper than {DEPTH_LIMIT}" in README.replace("\n  ", " ")


def test_the_readmes_commands_are_commands(tmp_path: Path) -> None:
    room = TraceRoom(tmp_path / ".trace")
    parser = make_parser()
    lines = re.findall(r"^haia-trace-mcp (.*)$", README.replace("\\\n", ""), re.MULTILINE)
    assert len(lines) > 6
    for line in lines:
        words = re.sub(r"\[(.*?)\]", r"\1", line).replace("REVIEW_ID", "x").split('"')[0].split()
        parsed: Any = parser.parse_args([*words, "x"] if words[-1] == "--note" else words)
        assert callable(parsed.run)
    [config] = [each for each in examples() if "mcpServers" in each]
    server = json.loads(config)["mcpServers"]["haia-trace"]
    assert server["command"] == "haia-trace-mcp"
    assert parser.parse_args(server["args"]).dir == Path("/home/me/project/.trace")
    assert room.path.is_dir()


def test_the_image_is_built_of_what_there_is_and_runs_as_nobody() -> None:
    lines = (FOLDER / "Dockerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if re.match("COPY (?!--from)", line)]
    assert copied
    assert all((ROOT / path).exists() for paths in copied for path in paths)
    assert "USER 10001" in lines[lines.index("FROM python:3.11-slim") :]
    words = json.loads(next(line for line in lines if line.startswith("CMD"))[4:])
    assert make_parser().parse_args(words).dir == Path("/trace")
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    assert {"!generated", "!requirements", "!servers/haia_trace"} <= set(ignored)


@pytest.mark.parametrize("name", ["anyio", "msgspec", "pydantic", "pyjwt", "ruamel-yaml"])
def test_what_is_imported_is_declared_and_locked(name: str) -> None:
    declared = (FOLDER / "pyproject.toml").read_text("utf-8")
    locked = (ROOT / "requirements/receipts.txt").read_text("utf-8")
    assert f'"{name}' in declared
    assert re.search(rf"^{name}==", locked, re.MULTILINE)
    assert "x402==" not in locked
