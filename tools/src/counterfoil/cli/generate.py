"""``counterfoil generate``."""

from __future__ import annotations

import argparse

from counterfoil.cli.command import (
    CLEAN,
    FOUND,
    Command,
    finding_options,
    open_project,
    project_options,
)
from counterfoil.cli.output import report, say
from counterfoil.cli.progress import progress
from counterfoil.tree import Change, write

_SIGNS = {"added": "+", "kept": "!", "removed": "-", "replaced": "~", "updated": "~"}


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="also overwrite files that counterfoil did not make, and remove edited leftovers",
    )


def _run(arguments: argparse.Namespace) -> int:
    project = open_project(arguments)
    project.prepare()
    contract = project.judged.usable
    if contract is None:
        report(project.judged.findings, arguments, "generate")
        say("nothing was generated: mend the contract first")
        return FOUND
    with progress("generating"):
        files = project.plan(contract)
    changes: list[Change] = []
    for change in write(files, project.territory, force=arguments.force):
        changes.append(change)
        say(_line(change))
    project.remember(files)
    say(_count(changes, len(files)))
    return FOUND if any(change.act == "kept" for change in changes) else CLEAN


def _line(change: Change) -> str:
    about = f"  ({change.about})" if change.about else ""
    edited = "; edits by hand were overwritten" if change.act == "replaced" else ""
    return f"{_SIGNS[change.act]} {change.path}{about}{edited}"


def _count(changes: list[Change], planned: int) -> str:
    if not changes:
        return f"{planned} files are as the contract has them"
    kept = sum(change.act == "kept" for change in changes)
    text = f"{len(changes) - kept} of {planned} files changed"
    return f"{text}; {kept} kept: move them away, or use --force" if kept else text


COMMAND = Command(
    name="generate",
    summary="write every binding from the contract",
    description=(
        "Write what [tool.counterfoil] asks for, a file at a time and atomically. Files that are\n"
        "as they should be are not touched; files that are no longer planned are removed if\n"
        "their header says that counterfoil made them and nobody edited them."
    ),
    examples=("counterfoil generate", "counterfoil generate --project path/to/repository"),
    options=_options,
    run=_run,
)
