"""What is made again after an edit: what it touches, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_results import damage, kept
from starter import edit_json

from counterfoil.cache import VARIABLE
from counterfoil.config import read_config
from counterfoil.contract.canonical import dump
from counterfoil.project import Project

TOOLS = 6
CONFIGURATION = """
[tool.counterfoil]

[[tool.counterfoil.output]]
target = "models"
path = "src"

[[tool.counterfoil.output]]
target = "stubs"
path = "src"

[[tool.counterfoil.output]]
target = "fidelity"
path = "docs/fidelity.md"

[[tool.counterfoil.output]]
target = "reference"
path = "docs/{server}.md"
"""


def tool(number: int) -> dict[str, Any]:
    """Return a tool; the first two share a schema."""
    kind = {"$ref": "#/$defs/Kind"} if number < 2 else {"type": "string", "maxLength": number}
    return {
        "auth": "none",
        "description": f"Reads list {number}.",
        "exec": {"kind": "handler"},
        "inputSchema": {"type": "object", "properties": {"kind": kind}},
        "name": f"read_list_{number}",
        "surfaces": ["mcp"],
        "title": f"List {number}",
    }


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose results are kept in a cache of its own, beside it."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    made = tmp_path / "project"
    (made / "contract").mkdir(parents=True)
    (made / "pyproject.toml").write_text(CONFIGURATION, "utf-8")
    server = {
        "binding": "mcp",
        "name": "lists",
        "title": "Lists",
        "tools": [tool(number) for number in range(TOOLS)],
        "version": "1.0.0",
    }
    contract = {
        "counterfoil": 1,
        "$defs": {"Kind": {"enum": ["long", "short"], "type": "string"}},
        "servers": {"lists": server},
    }
    (made / "contract/contract.json").write_text(dump(contract), "utf-8")
    return made


def planned(root: Path, *, cached: bool = True) -> dict[str, bytes]:
    """Return what a new process would plan."""
    project = Project(read_config(root), cached=cached)
    contract = project.judged.usable
    assert contract is not None, project.judged.findings
    return {path: file.content for path, file in project.plan(contract).items()}


def entries(root: Path) -> dict[str, bytes]:
    return kept(root.parent / "cache")


def edit(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    edit_json(root / "contract/contract.json", change)


def describe(data: dict[str, Any], number: int) -> None:
    tools = data["servers"]["lists"]["tools"]
    tools[number]["inputSchema"]["properties"]["kind"]["description"] = "Which."


def reorder(data: dict[str, Any]) -> None:
    data["servers"]["lists"]["tools"].pop(0)


def entitle(data: dict[str, Any]) -> None:
    data["servers"]["lists"]["title"] = "Other lists"


def widen(data: dict[str, Any]) -> None:
    data["$defs"]["Kind"]["enum"].append("wide")


@pytest.mark.parametrize(
    ("change", "remade"),
    [
        (lambda data: describe(data, 4), 3),  # models, comparison, section
        (widen, 4),  # models and comparison of two tools, whose sections name the type
        (reorder, 0),
        (entitle, 0),
    ],
    ids=["a tool", "a shared schema", "the list of tools", "the server"],
)
def test_an_edit_makes_again_what_it_touches(
    root: Path, change: Callable[[dict[str, Any]], object], remade: int
) -> None:
    planned(root)
    before = entries(root)
    assert len(before) >= TOOLS * 3
    edit(root, change)
    files = planned(root)
    summary = 1  # of the whole plan
    assert len(entries(root).keys() - before.keys()) == summary + remade
    assert files == planned(root, cached=False)


def test_damaged_entries_are_made_again(root: Path) -> None:
    files = planned(root)
    sound = entries(root)
    assert damage(root.parent / "cache") == len(sound) > 0
    assert planned(root) == files
    assert entries(root) == sound


def test_without_the_cache_nothing_is_kept(root: Path) -> None:
    planned(root, cached=False)
    assert entries(root) == {}


def test_findings_are_the_same_with_and_without_a_cache(root: Path) -> None:
    assert Project(read_config(root)).judged.findings == ()
    edit(root, lambda data: data["$defs"].update(Idle={"type": "list"}))
    fresh = Project(read_config(root), cached=False).judged.findings
    assert {finding.code for finding in fresh} >= {"CF118", "CF120"}
    for _ in range(2):
        assert Project(read_config(root)).judged.findings == fresh
