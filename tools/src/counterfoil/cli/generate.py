"""``counterfoil generate``."""

from __future__ import annotations

import argparse

from counterfoil.cli.command import (
    FOUND,
    Command,
    finding_options,
    open_project,
    project_options,
)
from counterfoil.cli.output import change_line, report, say
from counterfoil.cli.progress import progress
from counterfoil.findings import Finding, rule
from counterfoil.project import Project
from counterfoil.tree import Change, write

_FORCE = "run `counterfoil generate --force`, which gives it up"


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
        say(change_line(change))
    project.remember(files)
    kept = [_kept(change, project) for change in changes if change.act == "kept"]
    found = project.config.weighed([*project.judged.findings, *kept])
    status = report(found, arguments, "generate")
    say(_count(len(changes), len(kept), len(files)))
    return status


def _kept(change: Change, project: Project) -> Finding:
    """Return a finding for a file that is in the way, or left over, and was not touched."""
    if project.territory.owns(change.path):
        return _finding("CF202", change, f"move it away, or {_FORCE}")
    if (project.root / change.path).is_dir():
        hint = "move the folder away, or choose another output path"
    else:
        hint = f"move the file away, choose another output path, or {_FORCE}"
    return _finding("CF205", change, hint)


def _finding(code: str, change: Change, hint: str) -> Finding:
    severity = rule(code).severity
    return Finding(change.path, 0, 0, "", code, change.about, hint=hint, severity=severity)


def _count(changed: int, kept: int, planned: int) -> str:
    if not changed:
        return f"{planned} files are as the contract has them"
    text = f"{changed - kept} of {planned} files changed"
    return f"{text}; {kept} kept" if kept else text


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
