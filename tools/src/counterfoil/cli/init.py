"""``counterfoil init``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from counterfoil.cli.command import CLEAN, Command
from counterfoil.cli.output import say
from counterfoil.config import read_config
from counterfoil.errors import CounterfoilError
from counterfoil.project import Project
from counterfoil.scaffold.setup import BINDINGS, CONTRACT, set_up
from counterfoil.tree import write

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", help="default: this folder")
    parser.add_argument(
        "--server", metavar="ID", default="notes", help="id of the first server; default: notes"
    )
    parser.add_argument(
        "--binding",
        choices=BINDINGS,
        default="mcp",
        help="mcp: stubs on the mcp SDK; snapshot: JSON for a server without dependencies; "
        "wrapper: stubs and an outbound allowlist; default: mcp",
    )


def _run(arguments: argparse.Namespace) -> int:
    if not _ID.fullmatch(arguments.server):
        raise CounterfoilError(
            f"{arguments.server!r} is no server id",
            place="--server",
            hint="write lower-case words of letters and digits, joined by hyphens",
        )
    root = Path(arguments.folder).resolve()
    root.mkdir(parents=True, exist_ok=True)
    for path in set_up(root, arguments.server, arguments.binding):
        say(f"+ {path}")
    project = Project(read_config(root))
    contract = project.judged.usable
    if contract is None:
        raise CounterfoilError("the starter contract was refused", place=CONTRACT)
    for change in write(project.plan(contract), project.territory):
        say(f"+ {change.path}")
    say(
        f"\nNext: edit {CONTRACT}, run `counterfoil generate`, implement the handlers that the\n"
        "stubs ask for, and let CI run `counterfoil check`."
    )
    return CLEAN


COMMAND = Command(
    name="init",
    summary="start a project: contract, cases, configuration, first bindings",
    description=(
        "Write a small working contract with its cases, add [tool.counterfoil] to pyproject.toml\n"
        "and generate the first bindings. Nothing that is there is overwritten."
    ),
    examples=(
        "counterfoil init",
        "counterfoil init my-project --server weather",
        "counterfoil init --server billing --binding wrapper",
    ),
    options=_options,
    run=_run,
)
