"""A repository of somebody else with a project in a folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from foreign_repository import FOLDER, Upstream
from starter import counterfoil


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what builds environments to those who ask for it."""
    if "adoption" not in str(config.getoption("markexpr")):
        skipped = pytest.mark.skip(reason="builds environments: run `nox -s adoption`")
        for item in items:
            if item.get_closest_marker("adoption") is not None:
                item.add_marker(skipped)


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that nobody changes."""
    root = tmp_path_factory.mktemp("project")
    outcome = counterfoil("init", cwd=root)
    assert outcome.status == 0, outcome.err
    return root


@pytest.fixture
def upstream(pristine: Path, tmp_path: Path) -> Upstream:
    """Return a repository to change."""
    return begin(pristine, tmp_path / "upstream")


@pytest.fixture(scope="session")
def proposed(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    """Return a repository with a pull request that breaks callers and leaves files stale.

    Its base has gone on meanwhile. Nobody changes it.
    """
    made = begin(pristine, tmp_path_factory.mktemp("proposed") / "upstream")
    made.git("tag", "v1")
    made.git("branch", "release")
    made.git("checkout", "-q", "-b", "work")
    made.withdraw()
    made.git("checkout", "-q", "main")
    (made.root / "README.md").write_text("Meanwhile.\n", "utf-8")
    made.commit()
    made.git("checkout", "-q", "work")
    made.pull()
    return made


def begin(pristine: Path, folder: Path) -> Upstream:
    """Make a repository with two commits, whose project is in a folder."""
    made = Upstream(folder)
    made.root.mkdir()
    shutil.copytree(pristine, made.root / FOLDER)
    made.git("init", "-q", "-b", "main")
    made.commit()
    made.commit()
    return made
