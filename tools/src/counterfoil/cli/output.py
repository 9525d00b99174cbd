"""What commands print: findings to standard output, all else to standard error."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from counterfoil.cli.command import CLEAN, FOUND
from counterfoil.console import fitted, has_colour, painted, tell
from counterfoil.errors import CounterfoilError
from counterfoil.findings import ERROR, WARNING, Finding
from counterfoil.findings.formats import FORMATS
from counterfoil.findings.formats.characters import one_line
from counterfoil.findings.formats.machine import VERSION, as_json

if TYPE_CHECKING:
    from counterfoil.tree import Change

_SIGNS = {"added": "+", "kept": "!", "removed": "-", "replaced": "~", "updated": "~"}
_SIGN_COLOURS = {"+": "green", "-": "red"}
_WORD_COLOURS = {
    "error": "red",
    "breaking": "red",
    "security": "red",
    "warning": "yellow",
    "undecided": "yellow",
    "behaviour": "yellow",
}
_WORDS = re.compile(rf"\(({'|'.join(_WORD_COLOURS)})([),;])")


def say(line: str) -> None:
    """Print a line for people to standard error; control characters are shown as escapes."""
    tell(one_line(line))


def show(text: str) -> None:
    """Print text for people to standard output: on a terminal folded, and sparsely coloured.

    Elsewhere it stays as it is: a finding is one line that a program can take apart.
    """
    shown = fitted(text, sys.stdout)
    sys.stdout.write(_coloured(shown) if has_colour(sys.stdout) else shown)
    sys.stdout.flush()


def _coloured(text: str) -> str:
    """Colour severities and differences; what they mean is said by words and signs as well."""
    lines: list[str] = []
    is_difference = False
    for line in text.split("\n"):
        detail = line.removeprefix("    ")
        is_difference = detail != line and (is_difference or detail.startswith("--- "))
        if is_difference and line[4:5] in _SIGN_COLOURS:
            lines.append(f"    {painted(detail, _SIGN_COLOURS[line[4]], sys.stdout)}")
        else:
            lines.append(line if detail != line else _WORDS.sub(_paint_word, line, count=1))
    return "\n".join(lines)


def _paint_word(match: re.Match[str]) -> str:
    return f"({painted(match[1], _WORD_COLOURS[match[1]], sys.stdout)}{match[2]}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which gets an s unless there is one of it."""
    return f"{count} {noun}{'s' * (count != 1)}"


def change_line(change: Change) -> str:
    """Return what was done to a file, as one line."""
    about = f"  ({change.about})" if change.about else ""
    edited = "; edits by hand were overwritten" if change.act == "replaced" else ""
    return f"{_SIGNS[change.act]} {change.path}{about}{edited}"


def changes_data(changes: Sequence[Change]) -> list[dict[str, str]]:
    """Return what was done to files as programs read it."""
    return [{"act": each.act, "path": each.path, "about": each.about} for each in changes]


def print_document(command: str, members: Mapping[str, object]) -> None:
    """Print what a command did to standard output, as one JSON object for programs."""
    document = {"version": VERSION, "command": command, **members}
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()


def report(
    findings: Sequence[Finding],
    arguments: argparse.Namespace,
    command: str,
    changes: Sequence[Change] | None = None,
) -> int:
    """Print findings in the chosen form and return the exit status.

    Args:
        findings: what was found.
        arguments: with the form, and whether warnings fail the command.
        command: its name.
        changes: what was done to files, for programs; people are told as it is done.
    """
    if arguments.format == "json" and changes is not None:
        text = as_json(findings, command, changes_data(changes))
    else:
        text = FORMATS[arguments.format](findings, command)
    if arguments.format == "text":
        show(text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    failing = {ERROR, WARNING} if arguments.strict else {ERROR}
    return FOUND if any(each.severity in failing for each in findings) else CLEAN


def say_passed(findings: Sequence[Finding]) -> None:
    """Say that what was found fails nothing, so that a list of warnings is no riddle."""
    say(f"no error; {counted(len(findings), 'warning')}, which would fail with --strict")


def say_error(error: CounterfoilError) -> None:
    """Print an error and its hint to standard error; what a server said last follows, indented."""
    first, *rest = str(error).split("\n")
    say(f"counterfoil: {first}")
    for line in rest:
        say(f"    {line.strip()}")
    if error.hint:
        say(f"  hint: {error.hint}")
