"""What `counterfoil generate` reports besides what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from starter import counterfoil, edit_json

MODEL = "src/notes_bindings/notes/models/get_note_input.py"


def test_a_warning_is_reported_and_strict_counts_it(project: Path) -> None:
    edit_json(
        project / "contract/contract.json", lambda c: c["$defs"].update(Idle={"type": "null"})
    )
    for words, status in (((), 0), (("--strict",), 1)):
        outcome = counterfoil("generate", "--format", "json", *words, cwd=project)
        assert outcome.status == status
        assert outcome.codes == ["CF118"]
        assert outcome.findings[0]["severity"] == "warning"
    assert counterfoil("check", cwd=project).status == 0


def test_a_clean_generation_prints_a_document_without_findings(project: Path) -> None:
    outcome = counterfoil("generate", "--strict", "--format", "json", cwd=project)
    assert (outcome.status, outcome.codes) == (0, [])


def test_a_file_of_somebody_else_is_a_finding_until_it_is_forced(project: Path) -> None:
    (project / MODEL).write_text("mine = True\n", "utf-8")
    outcome = counterfoil("generate", "--format", "json", cwd=project)
    assert outcome.status == 1
    (found,) = outcome.findings
    assert (found["code"], found["path"]) == ("CF205", MODEL)
    assert "--force" in found["hint"]
    assert f"! {MODEL}" in outcome.err
    assert counterfoil("generate", "--force", cwd=project).status == 0
    assert counterfoil("check", cwd=project).status == 0


@pytest.mark.parametrize("words", [(), ("--force",)])
def test_a_folder_in_the_way_is_a_finding_that_force_does_not_mend(
    project: Path, words: tuple[str, ...]
) -> None:
    (project / MODEL).unlink()
    (project / MODEL).mkdir()
    outcome = counterfoil("generate", "--format", "json", *words, cwd=project)
    assert outcome.status == 1
    (found,) = outcome.findings
    assert (found["code"], found["path"]) == ("CF205", MODEL)
    assert "--force" not in found["hint"] + outcome.err


def test_an_edited_leftover_is_a_finding_until_it_is_forced(project: Path) -> None:
    with (project / MODEL).open("a", encoding="utf-8") as file:
        file.write("MINE = True\n")
    edit_json(project / "contract/contract.json", lambda c: c["servers"]["notes"]["tools"].pop(0))
    (project / "contract/cases/notes/get_note.json").unlink()
    outcome = counterfoil("generate", "--format", "json", cwd=project)
    assert outcome.status == 1
    (found,) = outcome.findings
    assert (found["code"], found["path"]) == ("CF202", MODEL)
    assert "--force" in found["hint"]
    assert counterfoil("generate", "--force", cwd=project).status == 0
    assert not (project / MODEL).exists()
