"""The command line, as people use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kept_results import damage
from starter import counterfoil, edit_json, tree

from counterfoil.cache import VARIABLE

COMMANDS = ("init", "validate", "generate", "check", "parity", "rules")
GET_NOTE = "src/notes_bindings/notes/models/get_note_input.py"


def add_argument(contract: dict[str, Any]) -> None:
    schema = contract["servers"]["notes"]["tools"][0]["inputSchema"]
    schema["properties"]["full"] = {"description": "All of it.", "type": "boolean"}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples_and_exit_statuses(command: str, tmp_path: Path) -> None:
    outcome = counterfoil(command, "--help", cwd=tmp_path)
    assert outcome.status == 0
    assert f"  counterfoil {command}" in outcome.out
    assert "exit status:\n  0 " in outcome.out


def test_a_new_project_is_clean(project: Path) -> None:
    assert counterfoil("validate", "--strict", cwd=project).status == 0
    assert counterfoil("check", "--strict", "--no-cache", cwd=project).status == 0
    assert counterfoil("parity", cwd=project).status == 0


def test_generate_says_what_changed_and_then_nothing(project: Path) -> None:
    edit_json(project / "contract/contract.json", add_argument)
    stale = counterfoil("check", "--format", "json", cwd=project)
    assert stale.status == 1
    assert set(stale.codes) == {"CF203"}
    paths = {finding["path"] for finding in stale.findings}
    assert GET_NOTE in paths
    assert not [path for path in paths if "search_notes" in path]
    told = counterfoil("generate", cwd=project)
    assert told.status == 0
    assert f"~ {GET_NOTE}" in told.err
    assert counterfoil("check", cwd=project).status == 0
    assert "files are as the contract has them" in counterfoil("generate", cwd=project).err


def test_check_names_the_tool_and_the_command_that_mends_it(project: Path) -> None:
    edit_json(project / "contract/contract.json", add_argument)
    outcome = counterfoil("check", cwd=project)
    assert "get_note" in outcome.out
    assert "hint: run `counterfoil generate`" in outcome.out


def test_a_removed_tool_takes_its_files_along(project: Path) -> None:
    edit_json(project / "contract/contract.json", lambda c: c["servers"]["notes"]["tools"].pop(0))
    (project / "contract/cases/notes/get_note.json").unlink()
    assert "CF202" in counterfoil("check", "--format", "json", cwd=project).codes
    assert counterfoil("generate", cwd=project).status == 0
    assert not (project / GET_NOTE).exists()
    assert counterfoil("check", cwd=project).status == 0


def test_a_broken_contract_is_reported_whole_and_nothing_is_written(project: Path) -> None:
    def spoil(contract: dict[str, Any]) -> None:
        contract["servers"]["notes"]["binding"] = "sdk"
        contract["servers"]["notes"]["tools"][0]["name"] = "two words"
        del contract["servers"]["notes"]["name"]

    edit_json(project / "contract/contract.json", spoil)
    before = tree(project)
    for command in ("validate", "generate", "check", "parity"):
        outcome = counterfoil(command, "--format", "json", cwd=project)
        assert outcome.status == 1, command
        assert outcome.codes == ["CF103"] * 3, command
        assert all(finding["line"] and finding["column"] for finding in outcome.findings)
    assert tree(project) == before


def test_fix_brings_contract_and_cases_into_canonical_form(project: Path) -> None:
    path = project / "contract/contract.json"
    canonical = path.read_bytes()
    data = json.loads(canonical)
    data["servers"]["notes"]["tools"].reverse()
    path.write_text(json.dumps(data), "utf-8")
    assert counterfoil("validate", "--format", "json", cwd=project).codes == ["CF105"]
    assert counterfoil("validate", "--fix", cwd=project).status == 0
    assert path.read_bytes() == canonical


def test_a_crlf_checkout_is_clean(project: Path) -> None:
    for path in project.rglob("*"):
        if path.is_file() and ".counterfoil" not in path.parts:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for words in (("validate", "--strict"), ("check", "--no-cache"), ("check",), ("parity",)):
        outcome = counterfoil(*words, cwd=project)
        assert outcome.status == 0, (words, outcome.out, outcome.err)


def test_severities_can_be_changed(project: Path) -> None:
    path = project / "pyproject.toml"
    edit_json(
        project / "contract/contract.json", lambda c: c["$defs"].update(Idle={"type": "null"})
    )
    assert counterfoil("validate", cwd=project).status == 0
    assert counterfoil("validate", "--strict", cwd=project).status == 1
    text = path.read_text("utf-8")
    path.write_text(text + '\n[tool.counterfoil.severity]\nCF118 = "error"\n', "utf-8")
    assert counterfoil("validate", cwd=project).status == 1
    path.write_text(text + '\n[tool.counterfoil.severity]\nCF118 = "off"\n', "utf-8")
    assert counterfoil("validate", "--strict", cwd=project).status == 0


IMPORTED = """
import sys
from counterfoil.cli import main
status = main(sys.argv[1:])
heavy = ("datamodel_code_generator", "jinja2", "jsonschema_rs", "mcp", "pydantic")
print([name for name in heavy if name in sys.modules])
sys.exit(status)
"""


def test_a_check_of_an_unchanged_tree_imports_no_generator(project: Path) -> None:
    assert counterfoil("generate", cwd=project).status == 0
    outcome = counterfoil("check", cwd=project, entry=IMPORTED)
    assert (outcome.status, outcome.out.strip()) == (0, "[]")


def test_a_spoiled_cache_changes_nothing_that_is_said(project: Path, tmp_path: Path) -> None:
    kept = {VARIABLE: str(tmp_path / "kept")}
    assert counterfoil("generate", cwd=project, env=kept).status == 0
    assert damage(tmp_path / "kept") > 0
    assert counterfoil("check", cwd=project, env=kept).status == 0
    assert damage(tmp_path / "kept") > 0
    (project / GET_NOTE).unlink()
    assert counterfoil("check", "--format", "json", cwd=project, env=kept).codes == ["CF201"]


ERRORS = {
    "no project": (("check",), "counterfoil init"),
    "no such folder": (("check", "--project", "nowhere"), "nowhere"),
    "an unknown code": (("rules", "CF9"), "counterfoil rules"),
    "a bad server id": (("init", "--server", "Two Words"), "lower-case"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_run_ends_with_two_and_a_mend(tmp_path: Path, case: str) -> None:
    words, mend = ERRORS[case]
    outcome = counterfoil(*words, cwd=tmp_path)
    assert outcome.status == 2
    assert outcome.out == ""
    assert mend in outcome.err


def test_a_missing_contract_is_an_error(project: Path) -> None:
    (project / "contract/contract.json").unlink()
    for command in ("validate", "generate", "check", "parity"):
        outcome = counterfoil(command, cwd=project)
        assert outcome.status == 2, command
        assert "contract/contract.json: there is no such file" in outcome.err


def test_an_unknown_target_is_an_error_that_lists_them(project: Path) -> None:
    path = project / "pyproject.toml"
    path.write_text(path.read_text("utf-8").replace('"fidelity"', '"modles"'), "utf-8")
    outcome = counterfoil("generate", cwd=project)
    assert outcome.status == 2
    assert "snapshot, stubs" in outcome.err


def test_init_leaves_what_is_there_alone(project: Path) -> None:
    before = tree(project)
    outcome = counterfoil("init", cwd=project)
    assert outcome.status == 2
    assert "already" in outcome.err
    assert tree(project) == before


def test_init_extends_an_existing_pyproject(tmp_path: Path) -> None:
    text = '[project]\nname = "mine"\nversion = "1"\n\n[tool.ruff]\nline-length = 90'
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    assert counterfoil("init", "--server", "mine", cwd=tmp_path).status == 0
    assert (tmp_path / "pyproject.toml").read_text("utf-8").startswith(text)
    assert counterfoil("check", cwd=tmp_path).status == 0


@pytest.mark.parametrize("binding", ["mcp", "snapshot", "wrapper"])
def test_init_makes_a_clean_project_of_each_binding(tmp_path: Path, binding: str) -> None:
    outcome = counterfoil("init", "new", "--binding", binding, cwd=tmp_path)
    assert outcome.status == 0, outcome.err
    for words in (("validate", "--strict"), ("check", "--strict"), ("parity",)):
        assert counterfoil(*words, cwd=tmp_path / "new").status == 0, words


def test_rules_explains_a_code(tmp_path: Path) -> None:
    outcome = counterfoil("rules", "cf104", cwd=tmp_path)
    assert outcome.status == 0
    for part in ("CF104", "For example:", "Mend:"):
        assert part in outcome.out


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "counterfoil", "rules", "--markdown"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    assert b"Exception" not in err


def test_a_check_that_only_warns_says_that_it_passed(project: Path) -> None:
    edit_json(
        project / "contract/contract.json",
        lambda contract: contract["servers"]["notes"]["tools"][0].pop("title"),
    )
    assert counterfoil("generate", cwd=project).status == 0
    outcome = counterfoil("check", cwd=project)
    assert (outcome.status, "CF107 (warning)" in outcome.out) == (0, True)
    assert outcome.err == "no error; 1 warning, which would fail with --strict\n"
    assert counterfoil("check", "--strict", cwd=project).status == 1
