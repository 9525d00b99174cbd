"""What commands print: findings to standard output, all else to standard error."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.cli.command import CLEAN, FOUND
from counterfoil.errors import CounterfoilError
from counterfoil.findings import ERROR, WARNING, Finding
from counterfoil.findings.formats import FORMATS
from counterfoil.findings.formats.characters import one_line

if TYPE_CHECKING:
    from counterfoil.tree import Change

_SIGNS = {"added": "+", "kept": "!", "removed": "-", "replaced": "~", "updated": "~"}


def say(line: str) -> None:
    """Print a line for people to standard error; control characters are shown as escapes."""
    # Nobody can be told that nobody can be told; the exit status still says how it went.
    with contextlib.suppress(OSError):
        print(one_line(line), file=sys.stderr)


def change_line(change: Change) -> str:
    """Return what was done to a file, as one line."""
    about = f"  ({change.about})" if change.about else ""
    edited = "; edits by hand were overwritten" if change.act == "replaced" else ""
    return f"{_SIGNS[change.act]} {change.path}{about}{edited}"


def report(findings: Sequence[Finding], arguments: argparse.Namespace, command: str) -> int:
    """Print findings in the chosen form and return the exit status."""
    sys.stdout.write(FORMATS[arguments.format](findings, command))
    sys.stdout.flush()
    failing = {ERROR, WARNING} if arguments.strict else {ERROR}
    return FOUND if any(each.severity in failing for each in findings) else CLEAN


def say_error(error: CounterfoilError) -> None:
    """Print an error and its hint to standard error."""
    say(f"counterfoil: {error}")
    if error.hint:
        say(f"  hint: {error.hint}")
