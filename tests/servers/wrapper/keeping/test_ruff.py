"""What ruff is told: the same in the library and in new projects, and nothing that is allowed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from wrapper_attacks import HONEST

from mcp_wrapper_scaffold.cli import main
from mcp_wrapper_scaffold.lint.modules import ALLOWED, refused_names
from mcp_wrapper_scaffold.lint.ruff import as_toml, banned_api

TEMPLATE = resources.files("counterfoil") / "scaffold/wrapper/templates/banned_api.toml"


def test_new_projects_get_the_table_that_the_library_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rules", "--ruff"]) == 0
    printed = capsys.readouterr().out
    assert printed == as_toml() == TEMPLATE.read_text("utf-8")


def test_the_table_is_toml() -> None:
    table = tomllib.loads(as_toml())["lint"]["flake8-tidy-imports"]["banned-api"]
    assert {name: entry["msg"] for name, entry in table.items()} == banned_api()


def test_nothing_is_banned_that_the_lint_allows() -> None:
    for name in banned_api():
        assert name not in ALLOWED
        assert not any(module.startswith(f"{name}.") for module in ALLOWED), name
        module, _, member = name.rpartition(".")
        if module in ALLOWED and name not in refused_names():
            assert not ALLOWED[module].covers(member), name


BANNED = {
    "a client": "import httpx2\n",
    "a shell": "import os\n\nos.system('x')\n",
    "a shell by name": "from os import popen\n\npopen('x')\n",
    "loaded modules": "import sys\n\nsys.modules['x']\n",
    "a request": "from urllib.request import urlopen\n\nurlopen('x')\n",
    "an event loop": "import asyncio\n\nasyncio.get_running_loop()\n",
}


def ruff(folder: Path, source: str) -> str:
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    (folder / "ruff.toml").write_text(f'[lint]\nselect = ["TID251"]\n\n{as_toml()}', "utf-8")
    (folder / "tools.py").write_text(source, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "."],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("name", BANNED)
def test_ruff_finds_what_is_banned(tmp_path: Path, name: str) -> None:
    assert "TID251" in ruff(tmp_path, BANNED[name])


@pytest.mark.parametrize("name", HONEST)
def test_ruff_lets_honest_code_through(tmp_path: Path, name: str) -> None:
    assert "TID251" not in ruff(tmp_path, HONEST[name])
