"""The runner of pages notices what is not as a page says."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
import walkthrough
from walkthrough import Outcome, PageError

EMPTY = "<!-- place: empty -->\n\n"


def outcomes(tmp_path: Path, text: str) -> list[Outcome]:
    path = tmp_path / "page.md"
    path.write_text(EMPTY + text, "utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    return list(walkthrough.run(walkthrough.read(path), folder))


def commands(text: str, shown: str | None = None) -> str:
    return f"```sh\n{text}\n```\n\n" + ("" if shown is None else f"```text\n{shown}\n```\n\n")


def faults(tmp_path: Path, text: str) -> list[str]:
    return [outcome.fault for outcome in outcomes(tmp_path, text) if outcome.fault]


def test_folder_and_variables_live_on_from_fence_to_fence(tmp_path: Path) -> None:
    text = commands("mkdir deep && cd deep\nX=5") + commands('basename "$PWD"; echo $X', "deep\n5")
    assert faults(tmp_path, text) == []


def test_a_line_that_is_not_printed_is_named(tmp_path: Path) -> None:
    [fault] = faults(tmp_path, commands("echo one; echo two >&2", "one\nthree"))
    assert fault == "it does not print what the page shows:\n  three"


def test_a_line_that_is_printed_and_not_shown_is_in_a_diff(tmp_path: Path) -> None:
    [fault] = faults(tmp_path, commands("echo one; echo two >&2", "one"))
    assert fault.splitlines()[-1] == "+two"


@pytest.mark.parametrize(
    ("shown", "matches"),
    [
        ("a 1 b\nc\nd", True),
        ("a ... b\n...", True),
        ("...\nd", True),
        ("...\na 1 b\n...\nc\nd\n...", True),
        ("a ...", False),
        ("a ... d", False),
        ("...\nc", False),
        ("a 1 b\nc", False),
        ("a [0-9] b\nc\nd", False),
    ],
)
def test_three_dots_stand_for_part_of_a_line_or_for_lines(
    shown: str, matches: bool, tmp_path: Path
) -> None:
    assert (faults(tmp_path, commands(r"printf 'a 1 b\nc\nd\n'", shown)) == []) is matches


def test_the_first_command_that_fails_ends_the_page(tmp_path: Path) -> None:
    found = outcomes(tmp_path, commands("echo begun\nfalse\necho not reached") + commands("echo x"))
    assert [(each.printed, each.fault) for each in found] == [
        ("begun\n", "ended with 1 instead of 0")
    ]


def test_a_command_in_a_pipe_may_not_fail_unseen(tmp_path: Path) -> None:
    assert faults(tmp_path, commands("false | cat")) == ["ended with 1 instead of 0"]


@pytest.mark.parametrize(("code", "fault"), [("3", []), ("0", ["ended with 0 instead of 3"])])
def test_a_status_that_is_announced_has_to_come(
    code: str, fault: list[str], tmp_path: Path
) -> None:
    text = "<!-- exit: 3 -->\n\n" + commands(f"exit {code}") + commands("echo on", "on")
    assert faults(tmp_path, text) == fault


def test_a_file_is_written_where_the_text_says(tmp_path: Path) -> None:
    text = "In `a/b.txt`:\n\n<!-- file: a/b.txt -->\n\n```toml\nx = 1\n```\n\n"
    assert faults(tmp_path, text + commands("cat a/b.txt", "x = 1")) == []


def test_ports_are_exchanged_for_free_ones_and_back(tmp_path: Path) -> None:
    text = "<!-- ports: 8790 -->\n\n" + commands(
        'port=8790; echo "at 8790"; echo $port > port', "at 8790"
    )
    assert faults(tmp_path, text) == []
    assert int((tmp_path / "folder" / "project" / "port").read_text("utf-8")) != 8790


def test_what_a_page_left_running_is_ended(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket; s = socket.create_connection(('127.0.0.1', {port})); "
        code += "s.sendall(b'here'); open('ready', 'w').close(); s.recv(1)"
        text = commands(f'python -c "{code}" > log 2>&1 &\nuntil [ -e ready ]; do :; done')
        assert faults(tmp_path, text) == []
        with listener.accept()[0] as visitor:
            visitor.settimeout(60)
            assert visitor.recv(4) == b"here"
            assert visitor.recv(1) == b""  # nobody has sent anything, and it is gone


@pytest.mark.parametrize("command", ["pip", "pip3", "python -m pip"])
def test_what_is_installed_stays_in_an_environment_of_the_page(
    command: str, tmp_path: Path
) -> None:
    project = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "visitor"
version = "1"
"""
    text = (
        f"In `pyproject.toml`:\n\n<!-- file: pyproject.toml -->\n\n```toml\n{project}```\n\n"
        + commands("mkdir visitor; touch visitor/__init__.py")
        + commands(f"{command} install --quiet . && cd /")
        + commands('python -c "import visitor; print(visitor.__file__)"')
    )
    found = outcomes(tmp_path, text)
    assert [each.fault for each in found] == [""] * 4
    assert Path(found[-1].printed.strip()).is_relative_to(tmp_path / "folder" / "environment")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```\nls\n```\n", "a fence is marked ''; for commands, say sh"),
        ("```bash\nls\n```\n", "a fence is marked 'bash'"),
        ("<!-- not run: -->\n\n```sh\nls\n```\n", "no reason is given"),
        ("<!-- skipped: x -->\n\n```sh\nls\n```\n", "no comment is called 'skipped'"),
        ("Write:\n\n<!-- file: a.py -->\n\n```python\n```\n", "does not name a.py"),
    ],
)
def test_a_page_that_does_not_keep_to_the_rules_is_refused(
    text: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, "utf-8")
    with pytest.raises(PageError, match=re.escape(complaint)):
        walkthrough.read(path)
