"""Projects that `counterfoil init` made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starter import counterfoil


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that nobody changes."""
    root = tmp_path_factory.mktemp("pristine")
    outcome = counterfoil("init", cwd=root)
    assert outcome.status == 0, outcome.err
    return root


@pytest.fixture
def project(pristine: Path, tmp_path: Path) -> Path:
    """Return a project to change."""
    root = tmp_path / "project"
    shutil.copytree(pristine, root)
    return root
