"""The lint against people who try to get past the gate, and against people who do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from wrapper_attacks import ATTACKS, HONEST, PACKAGE_ATTACKS

from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.settings import Settings

_CASES = [
    pytest.param(code, source, id=f"{code}-{name}")
    for code, attacks in ATTACKS.items()
    for name, source in attacks.items()
]


def package(root: Path, sources: dict[str, str]) -> Path:
    """Write a package of modules and return its folder."""
    folder = root / "evil_mcp"
    folder.mkdir()
    for name, source in {"__init__": "", **sources}.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
    return folder


def codes(folder: Path) -> set[str]:
    return {finding.code for finding in lint([folder], Settings())}


@pytest.mark.parametrize(("code", "source"), _CASES)
def test_an_attack_is_found(tmp_path: Path, code: str, source: str) -> None:
    assert code in codes(package(tmp_path, {"tools": source}))


@pytest.mark.parametrize("name", PACKAGE_ATTACKS)
def test_an_attack_of_several_modules_is_found(tmp_path: Path, name: str) -> None:
    code, sources = PACKAGE_ATTACKS[name]
    assert code in codes(package(tmp_path, sources))


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_is_let_through(tmp_path: Path, name: str) -> None:
    assert lint([package(tmp_path, {"tools": HONEST[name]})], Settings()) == []


def test_every_rule_of_sources_has_an_attack_that_meets_it() -> None:
    shown = {code for code in RULES if code < "MW190"} - {"MW120"}
    assert set(ATTACKS) == shown


def test_a_finding_names_file_line_and_column(tmp_path: Path) -> None:
    folder = package(tmp_path, {"tools": "import json\n\n\nx = 1; import socket\n"})
    (found,) = lint([folder], Settings())
    path = (folder / "tools.py").as_posix()
    assert found == Finding(path, 4, 8, "MW101", "socket opens connections", RULES["MW101"].mend)
    assert found.place == f"{path}:4:8"


@pytest.mark.parametrize("name", ["fast.so", "old.pyc", "start.pth", "more.zip"])
def test_a_file_that_python_runs_and_nobody_reads_is_found(tmp_path: Path, name: str) -> None:
    folder = package(tmp_path, {})
    (folder / name).write_bytes(b"")
    assert codes(folder) == {"MW120"}


def test_a_folder_behind_a_link_is_found(tmp_path: Path) -> None:
    folder = package(tmp_path, {})
    (tmp_path / "elsewhere").mkdir()
    (folder / "inner").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert codes(folder) == {"MW120"}


def test_a_package_that_takes_the_name_of_a_client_is_found(tmp_path: Path) -> None:
    (tmp_path / "httpx2").mkdir()
    (tmp_path / "httpx2" / "__init__.py").write_text("", "utf-8")
    assert codes(tmp_path / "httpx2") == {"MW211"}


def test_one_file_is_judged_with_its_neighbours_in_sight(tmp_path: Path) -> None:
    folder = package(
        tmp_path, {"settings": "import sys as s\n", "tools": "from .settings import s\ns.modules\n"}
    )
    assert codes(folder / "tools.py") == {"MW103"}
    assert codes(folder / "settings.py") == set()


def test_a_name_that_permitted_packages_hand_on_is_followed(tmp_path: Path) -> None:
    folder = package(tmp_path, {"tools": "from counterfoil_bindings.ga4.models import importlib\n"})
    (tmp_path / "pyproject.toml").write_text(
        "[[tool.mcp-wrapper.permit]]\n"
        'imports = ["counterfoil_bindings.*"]\nreason = "the bindings are generated"\n',
        "utf-8",
    )
    from mcp_wrapper_scaffold.lint.settings import find_settings

    found = lint([folder], find_settings(folder))
    assert [finding.code for finding in found] == ["MW103"]
