"""``counterfoil completion``, in the shells that people use."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from starter import counterfoil

from counterfoil.cli.completion import completers
from counterfoil.cli.main import make_parser

# What a key press does in each shell, with the line as the first argument.
SHELLS = {
    "bash": """
        eval "$(counterfoil completion bash)"
        COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9
        _python_argcomplete counterfoil
        printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "fish": """
        counterfoil completion fish | source
        complete -C "$argv[1]"
    """,
    "zsh": """
        autoload -U compinit; compinit -u -D
        eval "$(counterfoil completion zsh)"
        _describe() { print -l -- "${(@)completions}" }
        BUFFER="$1" CURSOR=${#1} words=(${=1})
        _python_argcomplete
    """,
}
LINES = {
    "counterfoil che": "check",
    "counterfoil check --format sar": "sarif",
    "counterfoil explain CF20": "CF204",
    "counterfoil check --form": "--format",
    "counterfoil parity --server n": "notes",
    "counterfoil breaking --fail-on sec": "security",
    "counterfoil completion zs": "zsh",
}


def complete(shell: str, line: str, cwd: Path, folder: Path) -> set[str]:
    """Return what a shell offers for a line, without the descriptions."""
    command = folder / "counterfoil"
    if not command.exists():
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m counterfoil "$@"\n')
        command.chmod(0o755)
    words = [shell, *(["-f"] if shell == "zsh" else []), "-c", SHELLS[shell]]
    done = subprocess.run(
        [*words, *([line] if shell == "fish" else ["shell", line])],
        cwd=cwd,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    offered = done.stdout.splitlines()
    return {each.replace("\t", ":").split(":")[0].strip() for each in offered} - {""}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_commands_options_and_values(
    shell: str, pristine: Path, tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    lines = LINES if shell == "bash" else dict(islice(LINES.items(), 3))
    for line, expected in lines.items():
        assert expected in complete(shell, line, pristine, tmp_path), line


def test_branches_and_tags_are_editions(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "trunk"], [*author, "commit", "-q", "--allow-empty", "-mx"]):
        subprocess.run(["git", *words, *([str(folder)] if "init" in words else [])],
                       cwd=folder if folder.is_dir() else tmp_path, check=True)  # fmt: skip
    assert complete("bash", "counterfoil breaking --against tr", folder, tmp_path) == {"trunk"}


@pytest.mark.parametrize("text", ["[tool.counterfoil]\n", "[tool.counterfoil]\noutput = 1\n", "["])
def test_a_broken_project_completes_nothing_and_says_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    assert complete("bash", "counterfoil parity --server ", tmp_path, tmp_path) == set()


def _kinds(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                yield from _kinds(command)
        elif action.nargs != 0 and action.choices is None:
            yield str(action.metavar or action.dest)


def test_every_kind_of_value_is_known_and_none_is_left_over() -> None:
    assert set(_kinds(make_parser())) == set(completers())


def test_an_unknown_shell_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    outcome = counterfoil("completion", "csh", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert "'bash', 'fish', 'zsh'" in outcome.err
