"""``counterfoil watch``: a process that is told of saved files by the system."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starter import counterfoil, edit_json, tree

from counterfoil.watching import Sources

CONTRACT = "contract/contract.json"
GET_NOTE = "src/notes_bindings/notes/models/get_note_input.py"
CASE = "contract/cases/notes/get_note.json"
SCHEMA = "contract/contract.schema.json"  # lies beside what people edit
CHANGED = re.compile(rf"{CONTRACT}: [1-9]\d* of \d+ files changed")

posix = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a POSIX terminal does")


class Watching:
    """A command that runs, and what it says line by line."""

    def __init__(self, root: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "counterfoil", "watch", *words],
            cwd=root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def until(self, words: str) -> list[str]:
        """Return the lines up to one with these words, which has to come."""
        assert self.process.stderr is not None
        lines: list[str] = []
        for line in self.process.stderr:
            lines.append(line.rstrip("\n"))
            if words in line:
                return lines
        raise AssertionError(f"{words!r} was never said: {lines}")

    def interrupt(self) -> tuple[int, str]:
        """Press Ctrl-C; return the status, and what was said after that."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@contextmanager
def watching(root: Path, *words: str) -> Iterator[Watching]:
    command = Watching(root, *words)
    guard = threading.Timer(120, command.process.kill)  # a line that never comes ends the test
    guard.start()
    try:
        yield command
    finally:
        guard.cancel()
        command.process.kill()
        command.process.communicate()


def add_argument(contract: dict[str, Any]) -> None:
    schema = contract["servers"]["notes"]["tools"][0]["inputSchema"]
    schema["properties"]["full"] = {"description": "All of it.", "type": "boolean"}


def replace(path: Path, change: Callable[[str], str]) -> None:
    """Save as many editors do: a new file is written, and takes the place of the old one."""
    draft = path.with_suffix(".draft")
    draft.write_text(change(path.read_text("utf-8")), "utf-8")
    draft.replace(path)


@posix
def test_a_save_generates_and_a_broken_contract_is_waited_for(project: Path) -> None:
    good = (project / CONTRACT).read_text("utf-8")
    with watching(project) as command:
        command.until("Ctrl-C ends it")
        edit_json(project / CONTRACT, add_argument)
        (line,) = command.until(CONTRACT)
        assert CHANGED.fullmatch(line)
        assert "full:" in (project / GET_NOTE).read_text("utf-8")
        (project / CONTRACT).write_text('{"half": ', "utf-8")
        command.until("nothing was generated: mend the contract first")
        replace(project / CONTRACT, lambda _: good)
        assert CHANGED.fullmatch(command.until("files changed")[-1])
        (project / "pyproject.toml").write_text("[tool.counterfoil", "utf-8")
        command.until("is not TOML")
        assert command.interrupt() == (0, "")
    assert "full:" not in (project / GET_NOTE).read_text("utf-8")


@posix
def test_what_is_out_of_step_at_the_start_is_mended_and_lost_edits_are_told(project: Path) -> None:
    with (project / GET_NOTE).open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    with watching(project, "--debounce", "20") as command:
        said = command.until("Ctrl-C ends it")
        assert f"~ {GET_NOTE}" in said[0]
        assert said[0].endswith("edits by hand were overwritten")
        assert command.interrupt() == (0, "")
    assert counterfoil("check", cwd=project).status == 0


def test_a_folder_that_is_no_project_is_not_watched(tmp_path: Path) -> None:
    outcome = counterfoil("watch", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert "counterfoil init" in outcome.err


@pytest.mark.parametrize("given", ["0", "60001", "-1"])
def test_a_debounce_out_of_range_is_an_error(given: str, project: Path) -> None:
    outcome = counterfoil("watch", "--debounce", given, cwd=project)
    assert (outcome.status, outcome.out) == (2, "")
    assert "--debounce: must be above 0" in outcome.err


def test_a_saved_source_is_named_once(project: Path) -> None:
    sources = Sources(project)
    assert sources.renew() == []
    edit_json(project / CONTRACT, add_argument)
    (project / CASE).unlink()
    (project / "contract/cases/notes/new.json").write_text("{}", "utf-8")
    named = sources.renew()
    assert named == sorted([CONTRACT, CASE, "contract/cases/notes/new.json"])
    assert sources.renew() == []


def test_what_generation_writes_is_no_source(project: Path) -> None:
    edit_json(project / CONTRACT, add_argument)
    (project / SCHEMA).unlink()
    sources = Sources(project)
    before = tree(project)
    assert counterfoil("generate", cwd=project).status == 0
    written = {path for path, content in tree(project).items() if before.get(path) != content}
    assert {GET_NOTE, SCHEMA} <= written
    assert sources.renew() == []
    assert not [path for path in written if sources.concerns(None, str(project / path))]
    assert sources.concerns(None, str(project / CONTRACT))
    assert sources.concerns(None, str(project / CASE))


def test_a_contract_that_moves_is_followed(project: Path) -> None:
    sources = Sources(project)
    (project / "api").mkdir()
    (project / CONTRACT).rename(project / "api/notes.json")
    replace(project / "pyproject.toml", lambda text: text.replace(CONTRACT, "api/notes.json"))
    assert sources.renew() == ["api/notes.json", CONTRACT, "pyproject.toml"]
    assert project / "api" in sources.folders
    (project / "pyproject.toml").write_text("[", "utf-8")
    assert sources.renew() == ["pyproject.toml"]
    assert project / "api" in sources.folders


def test_a_folder_that_goes_away_is_waited_for_in_its_parent(project: Path) -> None:
    sources = Sources(project)
    (project / "contract").rename(project / "elsewhere")
    assert sources.folders == {project}
    assert json.loads((project / "elsewhere/contract.json").read_text("utf-8"))
    assert CONTRACT in sources.renew()
