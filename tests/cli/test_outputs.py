"""Where outputs go, and what of the tree is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from starter import counterfoil, tree


def configure(project: Path, old: str, new: str) -> None:
    path = project / "pyproject.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_moved_output_leaves_nothing_behind(project: Path) -> None:
    assert counterfoil("generate", cwd=project).status == 0
    configure(project, '"src/notes_bindings"', '"lib/notes"')
    outcome = counterfoil("check", "--format", "json", cwd=project)
    assert {"CF201", "CF202"} <= set(outcome.codes)
    assert counterfoil("generate", cwd=project).status == 0
    assert not (project / "src").exists()
    assert counterfoil("check", "--no-cache", cwd=project).status == 0


def test_a_project_inside_a_project_is_left_alone(project: Path) -> None:
    configure(project, '"docs/fidelity.md"', '"packages/fidelity.md"')
    assert counterfoil("init", "packages/inner", cwd=project).status == 0
    before = tree(project / "packages/inner")
    assert counterfoil("generate", cwd=project).status == 0
    assert tree(project / "packages/inner") == before
    assert counterfoil("check", cwd=project).status == 0


def test_nothing_is_removed_through_a_link(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert counterfoil("init", str(other), cwd=tmp_path).status == 0
    before = tree(other)
    configure(project, '"docs/fidelity.md"', '"link/fidelity.md"')
    (project / "link").symlink_to(other / "src", target_is_directory=True)
    outcome = counterfoil("generate", cwd=project)
    assert outcome.status == 2
    assert "symbolic link" in outcome.err
    assert tree(other) == before


@pytest.mark.parametrize(
    "path",
    ["contract/contract.json", "contract/cases/notes/get_note.json", "pyproject.toml"],
)
def test_what_people_edit_is_never_an_output(project: Path, path: str) -> None:
    configure(project, '"docs/fidelity.md"', f'"{path}"')
    before = tree(project)
    outcome = counterfoil("generate", "--force", cwd=project)
    assert outcome.status == 2
    assert "which people edit" in outcome.err
    assert tree(project) == before


def test_a_stray_file_among_the_cases_is_seen_with_and_without_the_cache(project: Path) -> None:
    assert counterfoil("generate", cwd=project).status == 0
    (project / "contract/cases/stray.json").write_text("{}", "utf-8")
    for words in (("check",), ("check", "--no-cache"), ("validate",)):
        assert counterfoil(*words, "--format", "json", cwd=project).codes == ["CF189"], words


def test_an_edited_header_is_an_edit(project: Path) -> None:
    path = project / "src/notes_bindings/notes/stubs.py"
    text = path.read_text("utf-8")
    digest = text.split("Source sha256 ")[1][:64]
    path.write_text(text.replace(digest, "0" * 64), "utf-8")
    assert counterfoil("check", "--format", "json", cwd=project).codes == ["CF204"]


def test_findings_about_a_server_name_the_tools_that_changed(project: Path) -> None:
    path = project / "contract/contract.json"
    path.write_text(path.read_text("utf-8").replace("Read one note by", "Fetch one note by"))
    outcome = counterfoil("check", cwd=project)
    assert "change of server notes (tool get_note)" in outcome.out
