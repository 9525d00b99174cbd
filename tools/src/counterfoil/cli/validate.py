"""``counterfoil validate``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from counterfoil.cli.command import Command, finding_options, open_project, project_options
from counterfoil.cli.output import counted, report, say
from counterfoil.cli.progress import progress
from counterfoil.errors import CounterfoilError
from counterfoil.project import Project


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)
    parser.add_argument(
        "--fix", action="store_true", help="write the contract and the cases in canonical form"
    )


def _run(arguments: argparse.Namespace) -> int:
    project = open_project(arguments)
    if arguments.fix:
        for path in _rewritten(project):
            say(f"rewrote {path} in its canonical form")
    with progress("judging"):
        judged = project.judged
    status = report(judged.findings, arguments, "validate")
    if judged.usable is not None:
        say(_summary(project))
    return status


def _rewritten(project: Project) -> list[str]:
    try:
        return project.rewrite()
    except OSError as error:
        # What failed is a file beside the one to replace, whose name would tell nobody anything.
        folder = Path(os.fsdecode(error.filename)).parent if error.filename else project.root
        raise CounterfoilError(
            f"a canonical form cannot be written here: {error.strerror}",
            place=str(folder),
            hint="check the folder, its permissions, and the names in it",
        ) from error


def _summary(project: Project) -> str:
    contract = project.judged.contract
    assert contract is not None  # the caller has looked
    tools = sum(len(server.tools) for server in contract.servers)
    cases = project.judged.cases
    return (
        f"{contract.path}: {counted(len(contract.servers), 'server')}, {counted(tools, 'tool')}, "
        f"cases for {len(cases)} of them; sha256 {contract.sha256}"
    )


COMMAND = Command(
    name="validate",
    summary="judge the contract and its cases",
    description=(
        "Judge the contract: its grammar, what MCP and code generation demand beyond it, and\n"
        "the example calls. Every fault is reported in one run, with line and column."
    ),
    examples=(
        "counterfoil validate",
        "counterfoil validate --fix",
        "counterfoil validate --format github",
    ),
    options=_options,
    run=_run,
)
