"""`.pre-commit-hooks.yaml`: what other repositories may rely on. `nox -s adoption` tries it."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml
from starter import ROOT

from counterfoil.cli.main import make_parser

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
IDS = [hook["id"] for hook in HOOKS]


def test_each_hook_is_a_command_that_there_is() -> None:
    assert [f"counterfoil-{each}" for each in ("validate", "generate", "check", "breaking")] == IDS
    for hook in HOOKS:
        program, *words = hook["entry"].split()
        assert program == "counterfoil"
        assert hook["id"] == f"counterfoil-{words[0]}"
        assert make_parser(words[0]).parse_args(words).run


def test_each_hook_brings_the_command_along_and_takes_no_file_names() -> None:
    for hook in HOOKS:
        assert hook["language"] == "python"
        assert hook["additional_dependencies"] == ["./tools"]
        assert hook["pass_filenames"] is False
        assert hook["require_serial"] is True
    tools = tomllib.loads((ROOT / "tools/pyproject.toml").read_text("utf-8"))
    assert "counterfoil" in tools["project"]["scripts"]


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        ("contract/contract.json", True),
        ("api/pyproject.toml", True),
        ("pyproject.toml", True),
        ("src/notes.py", False),
        ("notpyproject.toml", False),
    ],
)
def test_a_hook_runs_when_a_source_is_committed_or_always(path: str, matters: bool) -> None:
    for hook in HOOKS:
        if not hook.get("always_run"):
            assert bool(re.search(hook["files"], path)) is matters, hook["id"]


def test_the_top_of_a_clone_can_be_installed_and_holds_no_module() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert root["build-system"]["build-backend"] == "hatchling.build"
    assert root["tool"]["hatch"]["build"]["targets"]["wheel"] == {"bypass-selection": True}
    assert "dependencies" not in root["project"]


def test_the_guide_names_every_hook_and_input() -> None:
    guide = (ROOT / "docs/guides/refuse-what-is-stale.md").read_text("utf-8")
    assert [each for each in IDS if f"id: {each}" in guide] == IDS
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert [each for each in action["inputs"] if f"| `{each}` |" not in guide] == ["token"]
