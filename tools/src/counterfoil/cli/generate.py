"""``counterfoil generate``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

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
    made = regenerate(project, force=arguments.force, tell=lambda each: say(change_line(each)))
    status = report(made.findings, arguments, "generate", made.changes)
    say(made.summary)
    return FOUND if made.planned is None else status


@dataclass(frozen=True)
class Generation:
    """What came of generating.

    Attributes:
        findings: what is wrong with the contract, and what is in the way of generated files.
        changes: what was done to files.
        planned: how many files there have to be; ``None`` when the contract has to be mended.
    """

    findings: tuple[Finding, ...]
    changes: tuple[Change, ...] = ()
    planned: int | None = None

    @property
    def summary(self) -> str:
        """Return the whole as one line."""
        if self.planned is None:
            return "nothing was generated: mend the contract first"
        if not self.changes:
            return f"{self.planned} files are as the contract has them"
        kept = sum(change.act == "kept" for change in self.changes)
        text = f"{len(self.changes) - kept} of {self.planned} files changed"
        return f"{text}; {kept} kept" if kept else text


def regenerate(
    project: Project, *, force: bool = False, tell: Callable[[Change], None]
) -> Generation:
    """Write what a project asks for.

    Args:
        project: is read for the first time here.
        force: also overwrite what is not ours.
        tell: is called with each change as soon as it is done.

    Raises:
        CounterfoilError: something cannot be read, planned or written.
    """
    project.prepare()
    contract = project.judged.usable
    if contract is None:
        return Generation(project.judged.findings)
    with progress("generating"):
        files = project.plan(contract)
    changes: list[Change] = []
    for change in write(files, project.territory, force=force):
        changes.append(change)
        tell(change)
    project.remember(files)
    kept = [_kept(change, project) for change in changes if change.act == "kept"]
    found = project.config.weighed([*project.judged.findings, *kept])
    return Generation(found, tuple(changes), len(files))


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
