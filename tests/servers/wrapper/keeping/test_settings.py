"""Permits: what they let through, what they do not, and what becomes of those that nobody needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from wheel_bench import INFO, METADATA, Files, honest_files, wheel

from mcp_wrapper_scaffold.lint.judging import lint
from mcp_wrapper_scaffold.lint.settings import (
    Settings,
    SettingsError,
    find_settings,
    read_settings,
)
from mcp_wrapper_scaffold.scan.judging import scan


def project(root: Path, settings: str, **sources: str) -> Path:
    """Write a project with a package ``notes_mcp``; return the package."""
    package = root / "src" / "notes_mcp"
    (package / "inner").mkdir(parents=True)
    for path in (package / "__init__.py", package / "inner" / "__init__.py"):
        path.write_text("", "utf-8")
    for name, source in sources.items():
        (package / f"{name.replace('__', '/')}.py").write_text(source, "utf-8")
    (root / "pyproject.toml").write_text(settings, "utf-8")
    return package


def permit(**lists: list[str]) -> str:
    lines = [f"{key} = {value!r}" for key, value in lists.items()]
    return "\n".join(["[[tool.mcp-wrapper.permit]]", 'reason = "it is needed"', *lines, ""])


def codes(package: Path) -> list[str]:
    return [finding.code for finding in lint([package], find_settings(package))]


def test_a_permit_lets_a_module_through_and_not_those_below_it(tmp_path: Path) -> None:
    text = permit(imports=["pydantic", "xml"])
    package = project(
        tmp_path,
        text,
        a="from pydantic import BaseModel\n",
        b="from pydantic.networks import x\n",
        c="import xml\n",
        d="import xml.sax\n",
    )
    found = lint([package], find_settings(package))
    assert [(each.code, Path(each.path).name) for each in found] == [
        ("MW105", "b.py"),
        ("MW105", "d.py"),
    ]


def test_a_permit_with_a_star_lets_everything_below_through(tmp_path: Path) -> None:
    package = project(
        tmp_path, permit(imports=["xml.*"]), a="import xml\n", b="from xml.sax import saxutils\n"
    )
    assert codes(package) == []


def test_a_permit_for_one_name_lets_no_other_through(tmp_path: Path) -> None:
    package = project(
        tmp_path,
        permit(imports=["mcp:MCPError"]),
        a="from mcp import MCPError\n",
        b="from mcp import ClientSession\n",
    )
    found = lint([package], find_settings(package))
    assert [(each.code, Path(each.path).name) for each in found] == [("MW101", "b.py")]


def test_a_permit_for_all_of_a_module_that_is_half_allowed(tmp_path: Path) -> None:
    package = project(tmp_path, permit(imports=["sys"]), a="import sys\nsys.modules\n")
    assert codes(package) == []


def test_a_permit_for_a_module_is_none_for_what_it_hands_on(tmp_path: Path) -> None:
    package = project(
        tmp_path,
        permit(imports=["counterfoil_bindings.*"]),
        a="from counterfoil_bindings.ga4.models import importlib\n",
        b="from counterfoil_bindings.ga4 import stubs\nstubs.Server\n",
        c="from counterfoil_bindings.runtime import ToolFailure\n",
        d="from counterfoil_bindings.ga4 import models\nmodels.importlib\n",
    )
    found = lint([package], find_settings(package))
    assert {(each.code, Path(each.path).name) for each in found} == {
        ("MW103", "a.py"),
        ("MW101", "b.py"),
        ("MW103", "d.py"),
    }


def test_a_permit_for_some_modules_is_none_for_others(tmp_path: Path) -> None:
    text = permit(modules=["notes_mcp.inner.*"], imports=["inspect"], codes=["MW112"])
    source = "import inspect\nprint.__self__\n"
    package = project(tmp_path, text, a=source, inner__b=source)
    found = lint([package], find_settings(package))
    assert {Path(each.path).name for each in found} == {"a.py"}
    assert [each.code for each in found] == ["MW103", "MW112"]


def test_a_permit_that_nothing_needs_is_reported(tmp_path: Path) -> None:
    text = permit(imports=["pydantic", "xml"], codes=["MW110"])
    package = project(tmp_path, text, a="import xml\n")
    found = lint([package], find_settings(package))
    assert [each.code for each in found] == ["MW190", "MW190"]
    assert [each.message.split("'")[1] for each in found] == ["MW110", "pydantic"]


def test_a_permit_is_not_called_stale_by_who_saw_one_file_only(tmp_path: Path) -> None:
    package = project(tmp_path, permit(imports=["xml"]), a="import xml\n", b="")
    assert codes(package / "b.py") == []


def test_a_permit_of_another_package_is_not_called_stale(tmp_path: Path) -> None:
    text = permit(imports=["xml"], modules=["other_mcp.*"])
    assert codes(project(tmp_path, text, a="")) == []


ARCHIVED: dict[str, tuple[Files, str]] = {
    "a requirement": (
        {f"{INFO}/METADATA": METADATA + b"Requires-Dist: Left.Pad>=1\n"},
        permit(requires=["left-pad"]),
    ),
    "a file": ({"notes_mcp/x.bin": b"x"}, permit(files=["notes_mcp/x.bin"])),
    "a host": ({"notes_mcp/x.py": b'X = "https://doc.test/"\n'}, permit(hosts=["doc.test"])),
    "a package": ({"more/__init__.py": b""}, permit(packages=["more"])),
    "an entry point": (
        {f"{INFO}/entry_points.txt": b"[pytest11]\nx = notes_mcp\n"},
        permit(points=["pytest11:x"]),
    ),
    "an import": ({"notes_mcp/x.py": b"import xml\n"}, permit(imports=["xml"])),
}


@pytest.mark.parametrize("name", ARCHIVED)
def test_a_permit_lets_through_what_an_archive_needs(tmp_path: Path, name: str) -> None:
    files, text = ARCHIVED[name]
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    path = wheel(tmp_path, {**honest_files(), **files})
    assert scan(path, Settings()).findings != ()
    assert scan(path, find_settings(tmp_path)).findings == ()


@pytest.mark.parametrize("name", ARCHIVED)
def test_a_permit_that_an_archive_does_not_need_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text(ARCHIVED[name][1], "utf-8")
    found = scan(wheel(tmp_path, honest_files()), find_settings(tmp_path)).findings
    assert [each.code for each in found] == ["MW190"]


FAULTS = {
    "no reason": ("[[tool.mcp-wrapper.permit]]\nimports = ['x']\n", "needs a reason"),
    "a reason of one word": (
        "[[tool.mcp-wrapper.permit]]\nimports = ['x']\nreason = 'because'\n",
        "needs a reason",
    ),
    "nothing permitted": ("[[tool.mcp-wrapper.permit]]\nreason = 'to be'\n", "permits nothing"),
    "an unknown list": (permit(import_=["x"]), "did you mean 'imports'?"),
    "an unknown code": (permit(codes=["MW999"]), "MW999 is no code"),
    "a code that stays": (permit(codes=["MW100"]), "cannot be permitted"),
    "a text for a list": (
        "[[tool.mcp-wrapper.permit]]\nreason = 'to be'\nimports = 'x'\n",
        "no list of texts",
    ),
    "a table for a list": ("[tool.mcp-wrapper.permit]\nreason = 'x'\n", "write [["),
    "an unknown setting": ("[tool.mcp-wrapper]\npackage = []\n", "did you mean 'packages'?"),
    "no TOML": ("[", "is not TOML"),
    "no settings": ("", "there is no [tool.mcp-wrapper]"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_settings_that_are_not_understood_are_refused(tmp_path: Path, name: str) -> None:
    text, said = FAULTS[name]
    path = tmp_path / "pyproject.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SettingsError) as error:
        read_settings(path)
    assert said in str(error.value)


def test_settings_of_another_project_are_not_used(tmp_path: Path) -> None:
    text = '[project]\nname = "other"\n' + permit(requires=["httpx"])
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    path = wheel(tmp_path, honest_files())
    with pytest.raises(SettingsError):
        scan(path, find_settings(tmp_path))
