"""`counterfoil init` writes a whole project or nothing, and says what is next."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starter import counterfoil, tree

PYPROJECT = "pyproject.toml"
BINDINGS = {"mcp": "implement the handlers", "snapshot": "serve ", "wrapper": "allowlist"}


def occupied(root: Path) -> dict[str, bytes]:
    """Return the files and the folders below a folder."""
    folders = {f"{path.relative_to(root)}/": b"" for path in root.rglob("*") if path.is_dir()}
    return {**tree(root), **folders}


def refused(root: Path, *said: str) -> None:
    """Insist that init refuses a folder, and changes nothing in it."""
    before = occupied(root)
    outcome = counterfoil("init", "--server", "x", cwd=root)
    assert (outcome.status, outcome.out) == (2, "")
    for part in said:
        assert part in outcome.err
    assert "+ " not in outcome.err
    assert occupied(root) == before


@pytest.mark.parametrize(
    "path",
    [
        "contract",
        "contract/cases",
        "contract/cases/x",
        "docs",
        "src",
        "src/x_bindings",
        "src/x_bindings/x/models",
    ],
)
def test_a_file_where_a_folder_goes_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("mine\n", "utf-8")
    refused(tmp_path, f"{path}: is no folder", "hint: move it away")


@pytest.mark.parametrize(
    "path",
    ["contract/cases/x/get_note.json", "contract/contract.json", "docs/fidelity.md", PYPROJECT],
)
def test_a_folder_where_a_file_goes_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / path).mkdir(parents=True)
    refused(tmp_path, path, "hint: move it away")


@pytest.mark.parametrize("path", ["docs/fidelity.md", "src/x_bindings/__init__.py"])
def test_a_file_of_somebody_else_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("mine\n", "utf-8")
    refused(tmp_path, path, "hint: move it away")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize("path", ["contract", "contract/contract.json", PYPROJECT])
def test_a_link_to_itself_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).symlink_to(Path(path).name)
    refused(tmp_path, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'name = "\xff"\n', "is not UTF-8 from byte 8 on"),
        (b"tool = 3\n", "`tool` is no table"),
        (b'tool = "counterfoil"\n', "`tool` is no table"),
        (b"[[tool]]\n", "`tool` is no table"),
        (b"tool = { ruff = {} }\n", "inline table"),
        (b"tool\n", "is not TOML"),
    ],
)
def test_a_pyproject_that_cannot_be_extended_is_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / PYPROJECT).write_bytes(content)
    refused(tmp_path, f"{PYPROJECT}: ", said, "hint: ")


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "afile").write_text("mine\n", "utf-8")
    for folder in ("afile", "afile/below"):
        outcome = counterfoil("init", folder, cwd=tmp_path)
        assert outcome.status == 2, folder
        assert "afile: is no folder" in outcome.err
    assert tree(tmp_path) == {"afile": b"mine\n"}


@pytest.mark.parametrize("end", ["", "\r\n", "\r\n\r\n"])
def test_line_ends_of_a_pyproject_are_kept(tmp_path: Path, end: str) -> None:
    before = f"[project]\r\nname = 'mine'{end}".encode()
    (tmp_path / PYPROJECT).write_bytes(before)
    assert counterfoil("init", cwd=tmp_path).status == 0
    after = (tmp_path / PYPROJECT).read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(b"\r\n")
    assert b"'mine'\r\n\r\n[tool.counterfoil]\r\n" in after


@pytest.mark.parametrize("binding", BINDINGS)
def test_what_is_next_depends_on_the_binding(tmp_path: Path, binding: str) -> None:
    outcome = counterfoil("init", "--binding", binding, cwd=tmp_path)
    assert outcome.status == 0
    assert BINDINGS[binding] in outcome.err
    assert ("handlers" in outcome.err) == (binding != "snapshot")
    assert "counterfoil check --no-cache" in outcome.err
    said = next(line for line in outcome.err.splitlines() if "depend on" in line)
    named = {name.replace("-", "_") for name in said.partition(": ")[2].split(", ")}
    # mcp_types comes with mcp.
    missing = set(imported(tmp_path / "src")) - named - {"mcp_types"}
    assert not missing


def imported(folder: Path) -> Iterator[str]:
    """Yield the packages, not of the standard library, that a folder's modules import."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
                names = [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)]
            for name in names:
                package = name.partition(".")[0]
                if package and package not in sys.stdlib_module_names:
                    yield package
