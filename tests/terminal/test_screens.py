"""What people see: at 60 and at 200 columns, in colour and without, in any encoding."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

from locales import needs_ascii_path  # noqa: E402 - after what skips all of it
from pseudo_terminal import clean, look, overlong  # noqa: E402 - it needs pty, too

BIN = Path(sys.executable).parent
COLOUR = re.compile(rb"\x1b\[3[0-9]m")
# Without the coercion of Python, this is ASCII.
POSIX = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
LATIN = {"PYTHONIOENCODING": "iso8859-1"}


def command(line: str) -> list[str]:
    """Return the words of a line, with the program that is installed beside this Python."""
    program, *words = shlex.split(line)
    return [str(BIN / program), *words]


@pytest.mark.parametrize("columns", [60, 200])
@pytest.mark.parametrize(
    ("place", "line", "status"),
    [
        ("begun", "counterfoil validate", 0),
        ("begun", "counterfoil doctor --offline", 0),
        ("broken", "counterfoil validate", 1),
        ("edited", "counterfoil check", 1),
        ("begun", "counterfoil explain CF104", 0),
        ("begun", "counterfoil import nowhere.json", 2),
        ("edited", "mcp-wrapper lint src", 1),
        ("begun", "haia-trace-mcp policy", 0),
        ("begun", "fairwins-mcp --check-config", 1),
        ("begun", "fairwins-mcp client-config", 0),
    ],
)
def test_what_is_printed_fits_the_terminal(
    place: str, line: str, status: int, columns: int, request: pytest.FixtureRequest
) -> None:
    screen = look(command(line), columns=columns, cwd=request.getfixturevalue(place))
    assert screen.status == status, screen.text()
    assert not overlong(screen.text(), columns)
    assert "Traceback" not in screen.text()


def test_a_finding_is_one_line_for_programs_and_the_same_words_on_a_terminal(
    broken: Path,
) -> None:
    wide = look(command("counterfoil validate"), columns=1000, cwd=broken).text()
    narrow = look(command("counterfoil validate"), columns=60, cwd=broken).text()
    assert narrow != wide
    assert narrow.split() == wide.split()


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colours_are_for_terminals_and_can_be_had_and_refused(
    edited: Path, environment: dict[str, str], is_coloured: bool
) -> None:
    screen = look(command("counterfoil check"), cwd=edited, environment=clean(**environment))
    assert bool(COLOUR.search(screen.raw)) is is_coloured
    assert " (error) edited by hand" in " ".join(screen.text().split())


@pytest.mark.parametrize(
    ("environment", "encoding", "dots"),
    [
        pytest.param(POSIX, "ascii", "...", marks=needs_ascii_path),
        (LATIN, "iso8859-1", "..."),
        ({"LC_ALL": "C.UTF-8"}, "utf-8", "…"),
    ],
)
def test_an_encoding_without_a_character_gets_what_can_be_read(
    environment: dict[str, str], encoding: str, dots: str, tmp_path: Path
) -> None:
    screen = look(command("counterfoil import --help"), environment=clean(**environment))
    assert screen.status == 0
    assert f"http://{dots}" in screen.text(encoding)
    refused = look(
        command("counterfoil import né—1.json"), cwd=tmp_path, environment=clean(**environment)
    )
    assert refused.status == 2
    # In ASCII, Python takes the bytes of an argument for what they are, and shows them as escapes.
    shown = {"ascii": "1.json", "iso8859-1": "né--1.json", "utf-8": "né—1.json"}[encoding]
    assert f"{shown}: cannot be read" in refused.text(encoding)


def test_a_table_that_is_too_wide_becomes_lists(tmp_path: Path) -> None:
    root = tmp_path / ".trace"
    (root / "events").mkdir(parents=True)
    name = f"run-{'0' * 40}"
    (root / "events" / f"{name}.ndjson").write_text("{}\n", "utf-8")
    words = command(f"haia-trace-mcp index --dir {root}")
    wide = look(words, columns=200).text()
    narrow = look(words, columns=60).text()
    assert wide.splitlines()[0].split() == ["RUN", "EVENTS", "OPERATIONS", "PROBLEM"]
    assert f"RUN         {name}" in narrow
    assert not overlong(narrow, 60)


def test_long_work_is_told_at_a_terminal_and_taken_back(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("import sys; sys.stdin.read()", "utf-8")
    server = shlex.quote(shlex.join([sys.executable, str(tmp_path / "silent.py")]))
    line = f"counterfoil import --timeout 2 --command {server}"
    screen = look(command(line), columns=200, cwd=tmp_path)
    assert screen.status == 2
    told, _, after = screen.raw.rpartition(b"\r\x1b[K")
    assert b"asking stdio:" in told
    assert after.startswith(b"counterfoil: ")
    assert b"asking" not in after


def test_keys_interrupt_a_watch(tmp_path: Path) -> None:
    (tmp_path / ".trace").mkdir()
    words = command("haia-trace-mcp review watch --interval 0.05")
    screen = look(words, cwd=tmp_path, keys=(b"waiting", b"\x03"))
    assert screen.status == 130
    assert "Traceback" not in screen.text()


def test_a_terminal_is_told_that_its_input_is_read(tmp_path: Path) -> None:
    screen = look(command("counterfoil import -"), cwd=tmp_path, keys=(b"Ctrl-D", b"[]\n\x04"))
    assert "reading standard input; Ctrl-D ends it" in " ".join(screen.text().split())
    assert json.loads(screen.raw[screen.raw.index(b"{") : screen.raw.rindex(b"}") + 1])
