"""``counterfoil parity``."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from counterfoil.cli.command import (
    CLEAN,
    FOUND,
    Command,
    finding_options,
    open_project,
    project_options,
)
from counterfoil.cli.output import counted, report, say, say_error, say_passed
from counterfoil.cli.progress import progress
from counterfoil.config import Allowlist, Live
from counterfoil.console import FAILED
from counterfoil.errors import CounterfoilError
from counterfoil.project import Project

if TYPE_CHECKING:
    from counterfoil.contract.model import Contract


def _options(parser: argparse.ArgumentParser) -> None:
    project_options(parser)
    finding_options(parser)
    parser.add_argument("--server", metavar="ID", help="ask only this server")
    parser.add_argument(
        "--offline", action="store_true", help="ask no server, and start no command"
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--command", metavar="LINE", help="start --server with this over stdio")
    ways.add_argument("--url", metavar="URL", help="ask --server at this address over HTTP")


def _run(arguments: argparse.Namespace) -> int:
    project = open_project(arguments)
    contract = project.judged.contract
    if contract is None or project.judged.usable is None:
        report(project.judged.findings, arguments, "parity")
        say("nothing was compared: mend the contract first")
        return FOUND
    # Imported where it is needed: the other commands do without a containment engine.
    from counterfoil.parity.comparison import judge_parity

    live = _live(arguments, project, contract)
    allowlists = _allowlists(arguments, project)
    with progress("comparing"):
        verdict = judge_parity(project, contract, live, allowlists)
    status = report(verdict.findings, arguments, "parity")
    for error in verdict.errors:
        say_error(error)
    if verdict.errors:
        return FAILED
    if not verdict.findings:
        asked = ", ".join(entry.id for entry in live) or "none"
        outputs = len(project.config.outputs)
        say(f"{contract.path} and its {counted(outputs, 'output')} agree; servers asked: {asked}")
    elif status == CLEAN:
        say_passed(verdict.findings)
    return status


def _live(arguments: argparse.Namespace, project: Project, contract: Contract) -> list[Live]:
    if arguments.offline:
        return []
    if arguments.command or arguments.url:
        if not arguments.server:
            raise CounterfoilError("--command and --url need --server", hint="name the server's id")
        _check_server(arguments.server, contract)
        try:
            command = tuple(shlex.split(arguments.command or ""))
        except ValueError as error:
            raise CounterfoilError(
                f"is no command line: {error}", place="--command", hint="close every quote"
            ) from error
        return [Live(arguments.server, command=command, url=arguments.url or "")]
    entries = [entry for entry in project.config.live if arguments.server in (None, entry.id)]
    if arguments.server and not entries:
        raise CounterfoilError(
            f"no [[tool.counterfoil.server]] has the id {arguments.server!r}",
            hint="add one, or give --command or --url",
        )
    return entries


def _allowlists(arguments: argparse.Namespace, project: Project) -> list[Allowlist]:
    return [
        entry
        for entry in project.config.allowlists
        if arguments.server in (None, entry.id) and not (arguments.offline and entry.command)
    ]


def _check_server(name: str, contract: Contract) -> None:
    """Refuse a server that the contract does not have.

    Raises:
        CounterfoilError: it does not.
    """
    known = [server.id for server in contract.servers]
    if name not in known:
        raise CounterfoilError(
            f"the contract has no server {name!r}",
            place="--server",
            hint=f"servers: {', '.join(known)}",
        )


COMMAND = Command(
    name="parity",
    summary="compare the contract with all that repeats it, running servers included",
    description=(
        "Compare in both directions: the contract with each generated output, with vendored\n"
        "surfaces, with its example calls, with the files that hold its fixed sentences, with\n"
        "the allowlists that wrappers really use, and with running servers (every page, every\n"
        "MCP revision that they claim). What is equal in meaning is equal; bytes are compared\n"
        "only where they are ours."
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
