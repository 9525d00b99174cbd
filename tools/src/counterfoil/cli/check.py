"""``counterfoil check``."""

from __future__ import annotations

import argparse

from counterfoil.cli.command import CLEAN, Command, finding_options, open_project, project_options
from counterfoil.cli.output import report, say, say_passed
from counterfoil.cli.progress import progress
from counterfoil.cli.reaching import Way, reaching_options, read_way
from counterfoil.errors import CounterfoilError


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)
    parser.add_argument(
        "--server",
        metavar="SOURCE",
        help="with --lock: the server to compare, in a form that `counterfoil lock --help` lists",
    )
    parser.add_argument(
        "--lock",
        metavar="FILE",
        help="compare a server with this lock file, and nothing else",
    )
    reaching_options(parser)


def _run(arguments: argparse.Namespace) -> int:
    way = read_way(arguments, arguments.server)
    if way is not None or arguments.lock:
        return _check_lock(arguments, way)
    project = open_project(arguments)
    with progress("planning"):
        findings = project.drift()
    status = report(findings, arguments, "check")
    if not findings:
        say(f"every generated file is as {project.config.contract} has it")
    elif status == CLEAN:
        say_passed(findings)
    return status


def _check_lock(arguments: argparse.Namespace, way: Way | None) -> int:
    from counterfoil.cli.lock import check_lock  # a check of files has no use for it

    if way is None or not arguments.lock:
        raise CounterfoilError(
            "a lock is compared with a server",
            place="--lock",
            hint="give --server SOURCE and --lock FILE together",
        )
    return check_lock(arguments, way, "check")


COMMAND = Command(
    name="check",
    summary="report generated files that are not as the contract has them",
    description=(
        "Compare every generated file with the contract and change nothing: missing, extra,\n"
        "stale and hand-edited files, each with what it is made from and the command that\n"
        "mends it. Line ends of a CRLF checkout are no difference. With --server and --lock:\n"
        "compare somebody else's server with what `counterfoil lock` wrote down."
    ),
    examples=(
        "counterfoil check --server https://example.com/mcp --lock example.lock.json",
        "counterfoil check",
        "counterfoil check --format sarif > counterfoil.sarif",
    ),
    options=_options,
    run=_run,
)
