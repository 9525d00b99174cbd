"""``counterfoil check``."""

from __future__ import annotations

import argparse

from counterfoil.cli.command import Command, finding_options, open_project, project_options
from counterfoil.cli.output import report, say
from counterfoil.cli.progress import progress


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)


def _run(arguments: argparse.Namespace) -> int:
    project = open_project(arguments)
    with progress("planning"):
        findings = project.drift()
    status = report(findings, arguments, "check")
    if not findings:
        say(f"every generated file is as {project.config.contract} has it")
    return status


COMMAND = Command(
    name="check",
    summary="report generated files that are not as the contract has them",
    description=(
        "Compare every generated file with the contract and change nothing: missing, extra,\n"
        "stale and hand-edited files, each with what it is made from and the command that\n"
        "mends it. Line ends of a CRLF checkout are no difference."
    ),
    examples=("counterfoil check", "counterfoil check --format sarif > counterfoil.sarif"),
    options=_options,
    run=_run,
)
