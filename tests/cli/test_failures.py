"""What cannot be done ends with 2 and a line that says why, whatever it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from starter import counterfoil

posix = pytest.mark.skipif(os.name == "nt", reason="redirects as a POSIX shell does")
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")


def shell(line: str, cwd: Path) -> tuple[int, str]:
    """Run a line in which $CF is the command; return its status and what it says."""
    done = subprocess.run(
        ["sh", "-c", line.replace("$CF", f"'{sys.executable}' -m counterfoil")],
        cwd=cwd,
        # Without a buffer, nothing would be left to fail when the interpreter ends.
        env={key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ["validate", "check", "generate", "parity"])
def test_a_file_given_as_project_is_an_error(project: Path, command: str) -> None:
    outcome = counterfoil(command, "--project", "pyproject.toml", cwd=project)
    assert (outcome.status, outcome.out) == (2, "")
    assert "pyproject.toml" in outcome.err


def test_a_configuration_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    outcome = counterfoil("check", "--project", ".", cwd=tmp_path)
    assert outcome.status == 2
    assert "pyproject.toml" in outcome.err


@posix
def test_a_configuration_that_links_to_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").symlink_to("pyproject.toml")
    outcome = counterfoil("check", "--project", ".", cwd=tmp_path)
    assert outcome.status == 2
    assert "pyproject.toml" in outcome.err


@pytest.mark.parametrize("command", ["validate", "check", "generate", "parity"])
@pytest.mark.parametrize("kind", ["folder", "dangling link"])
def test_a_case_that_is_no_file_is_never_a_traceback(
    project: Path, command: str, kind: str
) -> None:
    path = project / "contract/cases/notes/x.json"
    if kind == "folder":
        path.mkdir()
    elif os.name == "nt":
        pytest.skip("links need a privilege there")
    else:
        path.symlink_to("nowhere")
    outcome = counterfoil(command, "--no-cache", cwd=project)
    assert outcome.status in (1, 2)
    assert "x.json" in outcome.out + outcome.err


@posix
def test_a_canonical_form_that_cannot_be_written_is_an_error(project: Path) -> None:
    # The name is as long as a name may be, so that no file can be written beside it.
    (project / f"contract/cases/notes/{'x' * 250}.json").write_text(
        '{"refused": [], "accepted": []}'
    )
    outcome = counterfoil("validate", "--fix", cwd=project)
    assert (outcome.status, outcome.out) == (2, "")
    assert "cases/notes: a canonical form cannot be written here: File name too long" in outcome.err


@full
@pytest.mark.parametrize("words", ["rules", "rules --markdown", "--help", "rules --help"])
def test_an_output_that_is_full_is_an_error(tmp_path: Path, words: str) -> None:
    # argparse lets a failed write of the help pass when it happens at once.
    status, told = shell(f"PYTHONUNBUFFERED= $CF {words} > /dev/full", tmp_path)
    assert status == 2
    assert "No space left" in told


@posix
def test_a_closed_output_is_an_error(project: Path) -> None:
    for words in ("validate", "rules"):
        status, told = shell(f"$CF {words} >&-", project)
        assert status == 2, words
        assert "standard output: it is closed" in told


@posix
def test_a_closed_or_full_error_output_hides_nothing_but_words(project: Path) -> None:
    assert shell("$CF validate 2>&-", project) == (0, "")
    assert shell("$CF validate --project nowhere 2>&-", project) == (2, "")
    if Path("/dev/full").exists():
        assert shell("$CF validate 2>/dev/full", project) == (0, "")


def test_a_command_line_with_an_open_quote_is_an_error(project: Path) -> None:
    words = ("parity", "--server", "notes", "--command", "python 'x")
    outcome = counterfoil(*words, cwd=project)
    assert (outcome.status, outcome.out) == (2, "")
    assert "--command: is no command line: No closing quotation" in outcome.err


@posix
def test_a_file_name_that_is_not_utf_8_is_reported_in_every_form(project: Path) -> None:
    (project / os.fsdecode(b"contract/cases/notes/\xff.json")).write_text("{")
    for form in ("text", "json", "github", "sarif", "junit"):
        assert counterfoil("validate", "--format", form, cwd=project).status == 1, form


def test_what_is_said_obeys_no_argument(tmp_path: Path) -> None:
    outcome = counterfoil("check", "--project", "a\n::error::b\x1b[2J", cwd=tmp_path)
    assert outcome.status == 2
    assert "\n::error" not in outcome.err
    assert "\x1b" not in outcome.err
