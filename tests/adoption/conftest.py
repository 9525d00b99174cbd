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
    made = Upstream(tmp_path / "upstream")
    made.root.mkdir()
    shutil.copytree(pristine, made.root / FOLDER)
    made.git("init", "-q", "-b", "main")
    made.commit()
    made.commit()
    return made
