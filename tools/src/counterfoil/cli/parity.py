"""``counterfoil parity``."""

from __future__ import annotations

import argparse
import shlex

from counterfoil.cli.command import (
    FOUND,
    Command,
    finding_options,
    open_project,
    project_options,
)
from counterfoil.cli.output import report, say
from counterfoil.config import Live
from counterfoil.errors import CounterfoilError
from counterfoil.parity.live import judge_live
from counterfoil.parity.outputs import judge_outputs
from counterfoil.parity.surfaces import judge_snapshots
from counterfoil.parity.wordings import judge_wording
from counterfoil.project import Project


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)
    parser.add_argument("--server", metavar="ID", help="ask only this server")
    parser.add_argument("--offline", action="store_true", help="ask no server")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--command", metavar="LINE", help="start --server with this over stdio")
    ways.add_argument("--url", help="ask --server at this address over HTTP")


def _run(arguments: argparse.Namespace) -> int:
    project = open_project(arguments)
    contract = project.judged.contract
    if contract is None or project.judged.usable is None:
        report(project.judged.findings, arguments, "parity")
        say("nothing was compared: mend the contract first")
        return FOUND
    steps = project.steps(contract)
    live = _live(arguments, project)
    found = [
        *project.judged.findings,
        *project.weighed(
            [
                *judge_outputs(contract, steps, project.root, project.folders()),
                *judge_snapshots(contract, steps, project.root),
                *judge_wording(contract, project.config, project.root),
                *judge_live(contract, live, project.root),
            ]
        ),
    ]
    status = report(sorted(found), arguments, "parity")
    if not found:
        asked = ", ".join(entry.id for entry in live) or "none"
        say(f"{contract.path} and its {len(steps)} outputs agree; servers asked: {asked}")
    return status


def _live(arguments: argparse.Namespace, project: Project) -> list[Live]:
    if arguments.offline:
        return []
    if arguments.command or arguments.url:
        if not arguments.server:
            raise CounterfoilError("--command and --url need --server", hint="name the server's id")
        command = tuple(shlex.split(arguments.command or ""))
        return [Live(arguments.server, command=command, url=arguments.url or "")]
    entries = [entry for entry in project.config.live if arguments.server in (None, entry.id)]
    if arguments.server and not entries:
        raise CounterfoilError(
            f"no [[tool.counterfoil.server]] has the id {arguments.server!r}",
            hint="add one, or give --command or --url",
        )
    return entries


COMMAND = Command(
    name="parity",
    summary="compare the contract with all that repeats it, running servers included",
    description=(
        "Compare in both directions: the contract with each generated output, with vendored\n"
        "surfaces, with its example calls, with the files that hold its fixed sentences, and\n"
        "with running servers (every page, every MCP revision that they claim). What is equal\n"
        "in meaning is equal; bytes are compared only where they are ours."
    ),
    examples=(
        "counterfoil parity",
        "counterfoil parity --offline",
        'counterfoil parity --server my-server --command "python -m my_server"',
        "counterfoil parity --server my-server --url http://127.0.0.1:8000/mcp",
    ),
    options=_options,
    run=_run,
)
