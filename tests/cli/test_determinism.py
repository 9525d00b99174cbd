"""The same contract gives the same bytes, whatever the machine is set to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from locales import needs_ascii_path
from starter import counterfoil, tree

SETTINGS = {
    "another hash seed": {"PYTHONHASHSEED": "4711"},
    "a C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"},
    "another time zone": {"TZ": "Pacific/Kiritimati"},
    "no terminal": {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "20"},
}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[needs_ascii_path] if "locale" in case else []) for case in SETTINGS],
)
def test_settings_of_the_machine_change_no_byte(pristine: Path, tmp_path: Path, case: str) -> None:
    made = made_again(pristine, tmp_path, env=SETTINGS[case])
    assert made == tree(pristine)


def test_line_ends_of_a_checkout_change_no_byte(pristine: Path, tmp_path: Path) -> None:
    assert made_again(pristine, tmp_path, crlf=True) == tree(pristine)


def test_the_folder_changes_no_byte(pristine: Path, tmp_path: Path) -> None:
    assert made_again(pristine, tmp_path / "a folder with spaces") == tree(pristine)


def made_again(
    pristine: Path, folder: Path, *, env: dict[str, str] | None = None, crlf: bool = False
) -> dict[str, bytes]:
    """Generate a project's outputs from nothing, in another folder."""
    root = folder / "again"
    shutil.copytree(pristine / "contract", root / "contract")
    shutil.copyfile(pristine / "pyproject.toml", root / "pyproject.toml")
    (root / "contract/contract.schema.json").unlink()
    if crlf:
        for path in [*root.rglob("*.json"), root / "pyproject.toml"]:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    outcome = counterfoil("generate", "--no-cache", cwd=root, env=env)
    assert outcome.status == 0, outcome.err
    made = tree(root)
    if crlf:
        sources = [name for name in made if name.startswith("contract/") or name.endswith(".toml")]
        for name in set(sources) - {"contract/contract.schema.json"}:
            made[name] = made[name].replace(b"\r\n", b"\n")
    return made
