"""Both wrappers as they are shipped: nothing leads past the gate, and their papers are true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from wrapper_room import ROOT, TOKEN, listening, read_contract

from counterfoil.config import Live
from counterfoil.contract.reading import read_contract as read_whole_contract
from counterfoil.parity.live import judge_live
from ga4_mcp.cli import PROGRAM as GA4
from lemonsqueezy_mcp.cli import PROGRAM as LEMONSQUEEZY
from mcp_wrapper_scaffold import CallableSecret, WrapperProgram
from mcp_wrapper_scaffold.cli import main as wrapper_command

PROGRAMS = {"lemonsqueezy": LEMONSQUEEZY, "ga4": GA4}
each_wrapper = pytest.mark.parametrize("name", PROGRAMS)


def folder(name: str) -> Path:
    return ROOT / "servers" / name


def options(program: WrapperProgram) -> dict[str, Any]:
    """Return what a server is made with that nobody calls a tool of."""
    secrets = {each.name: CallableSecret(lambda: "nothing") for each in program.secrets}
    return {"agent_token": CallableSecret(lambda: TOKEN), "secrets": secrets}


@each_wrapper
def test_nothing_in_the_sources_leads_past_the_gate(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(folder(name) / "pyproject.toml")
    status = wrapper_command(["lint", "--config", config, str(folder(name) / "src")])
    assert (status, capsys.readouterr().out.count("MW")) == (0, 0)


@each_wrapper
def test_nothing_in_the_wheel_leads_past_the_gate(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheels = pytest.importorskip("hatchling.builders.wheel", reason="wheels are built with it")
    builder = wheels.WheelBuilder(str(folder(name)))
    [wheel] = builder.build(directory=str(tmp_path), versions=["standard"])
    config = str(folder(name) / "pyproject.toml")
    status = wrapper_command(["scan", "--config", config, str(wheel)])
    assert (status, capsys.readouterr().out.count("MW")) == (0, 0)


@each_wrapper
def test_the_server_over_http_is_the_contracts_in_every_revision(name: str) -> None:
    contract = read_whole_contract(ROOT / "contract" / "contract.json", "contract.json").contract
    assert contract is not None

    async def run() -> Any:
        async with listening(PROGRAMS[name].create(**options(PROGRAMS[name]))) as url:
            live = Live(id=name, url=url, headers={"Authorization": f"Bearer {TOKEN}"})
            return await anyio.to_thread.run_sync(judge_live, contract, [live], ROOT)

    answers = anyio.run(run)
    assert (answers.findings, answers.errors) == ((), ())


@each_wrapper
def test_the_command_prints_the_allowlist_of_the_contract(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PROGRAMS[name].run(["allowlist"]) == 0
    declared = [
        {key: entry[key] for key in ("method", "origin", "pathPattern")}
        for entry in read_contract(name)["outbound"]
    ]
    assert json.loads(capsys.readouterr().out) == declared


@each_wrapper
def test_the_readme_has_the_allowlist_and_every_tool_and_variable(name: str) -> None:
    text = (folder(name) / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (GET|POST) \| `(\S+)` \| `(\S+)` \|$", text, re.MULTILINE)
    contract = read_contract(name)
    assert rows == [
        (entry["method"], entry["origin"], entry["pathPattern"]) for entry in contract["outbound"]
    ]
    named = set(re.findall(r"`([a-z]+(?:_[a-z0-9]+)+)`", text))
    assert {tool["name"] for tool in contract["tools"]} <= named
    for secret in PROGRAMS[name].secrets:
        assert f"`{secret.name}`" in text


@each_wrapper
def test_the_command_is_the_one_that_is_installed(name: str) -> None:
    text = (folder(name) / "pyproject.toml").read_text(encoding="utf-8")
    assert f'{PROGRAMS[name].name} = "{name}_mcp.cli:main"' in text


@each_wrapper
def test_the_image_is_built_of_what_there_is_and_runs_as_nobody(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (folder(name) / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if re.match("COPY (?!--from)", line)]
    assert copied
    assert all((ROOT / path).exists() for paths in copied for path in paths)
    assert "USER 10001" in lines[lines.index("FROM python:3.11-slim") :]
    words = json.loads(next(line for line in lines if line.startswith("CMD"))[4:])
    for secret in PROGRAMS[name].secrets:
        monkeypatch.delenv(secret.name, raising=False)
    monkeypatch.delenv("MCP_AGENT_TOKEN", raising=False)
    assert PROGRAMS[name].run(words) == 1  # the words are good, and the secrets are missing


@each_wrapper
def test_the_server_names_what_it_lacks(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [secret] = PROGRAMS[name].secrets
    monkeypatch.setenv("MCP_AGENT_TOKEN", TOKEN)
    monkeypatch.setenv(secret.name, "not a secret\nof that kind")
    assert PROGRAMS[name].run(["check-config"]) == 1
    out = capsys.readouterr().out
    assert f"{secret.name}: " in out
    assert "of that kind" not in out
