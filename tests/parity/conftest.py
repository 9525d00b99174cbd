"""A project with one real server, whose every part agrees with its contract."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from parity_bench import CONFIG, ROOT, Bench, only

from counterfoil.cli import main


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Return a project whose every part agrees with its contract."""
    shutil.copytree(
        ROOT / "servers/fairwins/src/fairwins_mcp",
        tmp_path / "server/fairwins_mcp",
        ignore=shutil.ignore_patterns("__pycache__", "snapshot.json"),
    )
    shutil.copyfile(ROOT / "contract/contract.json", tmp_path / "contract.json")
    shutil.copyfile(ROOT / "servers/fairwins/src/fairwins_mcp/guide.md", tmp_path / "guide.md")
    (tmp_path / "pyproject.toml").write_text(CONFIG, "utf-8")
    made = Bench(tmp_path, lambda: capsys.readouterr().out)
    made.edit("contract.json", only("fairwins"))
    assert main(["generate", "--project", str(tmp_path)]) == 0
    made.read()
    return made
