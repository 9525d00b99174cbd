"""A project to look at, and one in which something is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starter import counterfoil


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new project; tests that change it take a copy."""
    root = tmp_path_factory.mktemp("begun") / "project"
    outcome = counterfoil("init", str(root), cwd=root.parent)
    assert outcome.status == 0, outcome.err
    return root


@pytest.fixture(scope="session")
def broken(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project in which a generated file was edited, and a contract has a fault."""
    root = tmp_path_factory.mktemp("broken") / "project"
    shutil.copytree(begun, root)
    contract = root / "contract/contract.json"
    text = contract.read_text("utf-8")
    contract.write_text(text.replace('"title": "', '"titel": "', 1), "utf-8")
    return root


@pytest.fixture(scope="session")
def edited(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project in which somebody edited generated files."""
    root = tmp_path_factory.mktemp("edited") / "project"
    shutil.copytree(begun, root)
    for path in root.rglob("*.py"):
        path.write_text(path.read_text("utf-8") + "# by hand\n", "utf-8")
    return root
