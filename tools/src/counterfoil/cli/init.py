"""``counterfoil init``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from counterfoil.cli.command import CLEAN, Command
from counterfoil.cli.imported import openapi_options, read_sources, server_id
from counterfoil.cli.output import change_line, changes_data, print_document, say
from counterfoil.cli.reaching import FORMS, reaching_options
from counterfoil.config import FILE, read_config
from counterfoil.errors import CounterfoilError
from counterfoil.findings import ERROR
from counterfoil.project import Project
from counterfoil.scaffold.setup import (
    BINDINGS,
    CONTRACT,
    check_folders,
    check_free,
    first_files,
    lay,
    next_steps,
)
from counterfoil.targets.target import Planned
from counterfoil.territory import Territory
from counterfoil.tree import Change, compare, write


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", help="default: this folder")
    parser.add_argument("--server", metavar="ID", help="id of the first server; default: notes")
    parser.add_argument(
        "--binding",
        choices=BINDINGS,
        default="mcp",
        help="mcp: stubs on the mcp SDK; snapshot: JSON for a server without dependencies; "
        "wrapper: stubs and an outbound allowlist; default: mcp",
    )

    parser.add_argument(
        "--from",
        dest="source",
        metavar="SOURCE",
        help="begin with what a server lists instead of an example, and add cases, a check for "
        "CI and hooks for pre-commit; --server is then made from its name",
    )
    openapi_options(parser)
    reaching_options(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print {server, contract, changes, next} as JSON; with --from or --openapi also "
        "{assumed, losses, differences, findings}",
    )


def _run(arguments: argparse.Namespace) -> int:
    way = read_sources(arguments, arguments.source)
    if way is not None or arguments.openapi:
        from counterfoil.cli.adopting import adopt  # an example needs no server

        return adopt(arguments, way)
    arguments.server = server_id(arguments.server, "notes")
    root = Path(arguments.folder).resolve()
    first = first_files(root, arguments.server, arguments.binding)
    check_free(root, (path for path in first if path != FILE))
    check_folders(root, FILE)
    files = planned(first)
    check_outputs(root, files)
    extended = {FILE} if os.path.lexists(root / FILE) else ()
    changes = lay_project(root, first, files, extended)
    data = {"server": arguments.server, "contract": CONTRACT}
    tell_laid(arguments, data, changes, next_steps(arguments.server, arguments.binding))
    return CLEAN


def lay_project(
    root: Path,
    first: Mapping[str, bytes],
    files: Mapping[str, Planned],
    extended: Collection[str] = (),
) -> list[Change]:
    """Write a project's files, say each, and return what was done.

    Args:
        root: the project's folder.
        first: what people edit, by path.
        files: what is generated.
        extended: paths of files that were there already and get more.

    Raises:
        CounterfoilError: a file cannot be written.
    """
    changes: list[Change] = []
    for path in lay(root, first):
        changes.append(Change(path, "updated" if path in extended else "added", ""))
        say(change_line(changes[-1]))
    project = Project(read_config(root))
    for change in write(files, project.territory):
        changes.append(change)
        say(change_line(change))
    project.remember(files)
    return changes


def tell_laid(
    arguments: argparse.Namespace,
    data: Mapping[str, object],
    changes: Sequence[Change],
    steps: Iterable[str],
) -> None:
    """Say what is next; with ``--json`` also print all of it."""
    steps = list(steps)
    say("next:")
    for step in steps:
        say(f"  {step}")
    if arguments.json:
        print_document("init", {**data, "changes": changes_data(changes), "next": steps})


def planned(first: Mapping[str, bytes]) -> dict[str, Planned]:
    """Return what will be generated, found out elsewhere: the project is written all or not.

    Raises:
        CounterfoilError: nothing can be generated from the contract among the files.
    """
    with TemporaryDirectory(prefix="counterfoil-") as scratch:
        for _ in lay(Path(scratch), first):
            pass
        project = Project(read_config(Path(scratch)))
        contract = project.judged.usable
        if contract is None:
            faults = [each for each in project.judged.findings if each.severity == ERROR]
            said = "; ".join(f"{each.code} {each.message}" for each in faults[:3])
            raise CounterfoilError(
                f"cannot be generated from: {said}",
                place=CONTRACT,
                hint="mend what the server lists, or begin with `counterfoil import`",
            )
        return project.plan(contract)


def check_outputs(root: Path, files: Mapping[str, Planned]) -> None:
    """Refuse generated files at whose places something else is.

    Raises:
        CounterfoilError: with the first such place.
    """
    for path in files:
        check_folders(root, path)
    for finding in compare(files, Territory(root, CONTRACT, ())):
        if finding.code in ("CF204", "CF205"):
            raise CounterfoilError(
                finding.message,
                place=finding.path,
                hint="move it away, or choose another folder or another --server",
            )


COMMAND = Command(
    name="init",
    summary="start a project: contract, cases, configuration, first bindings",
    description=(
        "Write a small working contract with its cases, add [tool.counterfoil] to pyproject.toml\n"
        "and generate the first bindings. Nothing that is there is overwritten: every path is\n"
        "looked at before the first file is written. With --from, the contract is that of a\n"
        "server that is there, and with --openapi it has routes and tools of a document: cases\n"
        "are then generated, for you to review, and CI and pre-commit are set up.\n\n" + FORMS
    ),
    examples=(
        "counterfoil init",
        "counterfoil init my-project --server weather",
        "counterfoil init --server billing --binding wrapper",
        'counterfoil init --from "stdio:python -m my_server"',
        "counterfoil init --from tools.json --server weather",
        "counterfoil init --openapi api.yaml --tag notes",
        "counterfoil init my-project --json",
    ),
    options=_options,
    run=_run,
    statuses=(
        ("0", "written, and generated"),
        ("1", "written, and something is not represented, differs, or keeps from generating"),
    ),
)
