"""A project that `counterfoil new wrapper` wrote, with the real library: green at once."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starter import ROOT, counterfoil, edit_json

_OF = {"ruff": "the linter", "hatchling": "the builder"}


def run(root: Path, *words: str) -> str:
    """Run a module in a project; return what it printed, or fail with it."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def needed(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{_OF[module]} {module} is not installed")


def wrapper(folder: Path, name: str, *words: str) -> Path:
    outcome = counterfoil("new", "wrapper", name, *words, cwd=folder)
    assert outcome.status == 0, outcome.err
    return folder / name


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project around the contract that projects start with."""
    return wrapper(tmp_path_factory.mktemp("small"), "notes-mcp")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project around a real contract, with a name that breaks lines."""
    folder = tmp_path_factory.mktemp("large")
    words = ("--from-contract", str(ROOT / "contract/contract.json"), "--server", "lemonsqueezy")
    return wrapper(folder, "my-company-web-shop-reading-mcp", *words)


@pytest.fixture(params=["small", "large"])
def project(request: pytest.FixtureRequest) -> Path:
    root: Path = request.getfixturevalue(request.param)
    return root


def test_its_tests_pass_on_a_closed_network(project: Path) -> None:
    shown = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert "passed" in shown
    assert "skipped" not in shown


def test_mypy_takes_it_in_strict_mode(project: Path) -> None:
    run(project, "mypy", "--no-incremental")


def test_the_lint_of_the_gate_finds_nothing_and_needs_every_permit(project: Path) -> None:
    assert run(project, "mcp_wrapper_scaffold", "lint") == ""


def test_ruff_finds_nothing_and_would_format_nothing(project: Path) -> None:
    needed("ruff")
    run(project, "ruff", "check", "--no-cache")
    run(project, "ruff", "format", "--check", "--no-cache")


def test_its_wheel_and_source_archive_have_nothing_in_them(project: Path, tmp_path: Path) -> None:
    needed("hatchling")
    run(project, "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(tmp_path))
    built = sorted(str(path) for path in tmp_path.iterdir())
    assert len(built) == 2
    config = str(project / "pyproject.toml")
    assert run(project, "mcp_wrapper_scaffold", "scan", "--config", config, *built) == ""


def test_it_shows_and_permits_what_its_contract_says(project: Path) -> None:
    outcome = counterfoil("parity", cwd=project, env={"PYTHONPATH": str(project / "src")})
    assert outcome.status == 0, outcome.out + outcome.err
    assert outcome.out == ""


def test_its_tests_notice_when_the_gate_is_opened(small: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small, tmp_path / "project")
    tools = root / "src/notes_mcp/tools.py"
    text = tools.read_text("utf-8")
    tools.write_text(text.replace("from typing", "import socket\nfrom typing", 1), "utf-8")
    with pytest.raises(AssertionError, match="MW101 socket opens connections"):
        run(root, "pytest", "-q", "-p", "no:cacheprovider")


def test_its_tests_notice_when_a_tool_makes_something_up(small: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small, tmp_path / "project")
    tools = root / "src/notes_mcp/tools.py"
    text = tools.read_text("utf-8")
    invented = 'return models.GetNoteOutput(id="n1", tags=[], text="")'
    tools.write_text(text.replace('raise _not_written("get_note")', invented), "utf-8")
    with pytest.raises(AssertionError, match="test_a_tool_that_could_read_nothing_says_so"):
        run(root, "pytest", "-q", "-p", "no:cacheprovider")


def test_a_tool_more_in_the_contract_loses_nothing(small: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small, tmp_path / "project")
    written = 'return {"id": args.id, "tags": [], "text": (await ctx.fetch(URL)).text}'
    tools = root / "src/notes_mcp/tools.py"
    text = tools.read_text("utf-8").replace('raise _not_written("get_note")', written)
    text = text.replace(") -> models.GetNoteOutput:", ") -> dict[str, object]:")
    text = text.replace(
        "API_KEY: Final", 'URL: Final = "https://api.example.com/v1/notes/n1"\nAPI_KEY: Final'
    )
    tools.write_text(text, "utf-8")
    cases = json.loads((root / "contract/cases/notes/get_note.json").read_text("utf-8"))
    del cases["results"]
    cases["accepted"].append({"arguments": {"id": "n3"}, "name": "another"})
    (root / "contract/cases/notes/list_tags.json").write_text(json.dumps(cases), "utf-8")
    edit_json(root / "contract/contract.json", _add_tool)
    assert counterfoil("validate", "--fix", cwd=root).status == 0
    outcome = counterfoil("new", "wrapper", "notes-mcp", "--directory", ".", "--add", cwd=root)
    assert outcome.status == 0, outcome.err
    after = tools.read_text("utf-8")
    assert written in after
    assert "async def list_tags(" in after
    assert "7 passed" in run(root, "pytest", "-q", "-p", "no:cacheprovider")
    run(root, "mypy", "--no-incremental")
    assert run(root, "mcp_wrapper_scaffold", "lint") == ""


def _add_tool(contract: dict[str, Any]) -> None:
    tools = contract["servers"]["notes"]["tools"]
    more = {**tools[0], "name": "list_tags", "title": "List tags", "description": "List tags."}
    more.pop("outputSchema")
    tools.insert(1, more)
