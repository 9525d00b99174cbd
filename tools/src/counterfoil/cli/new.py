"""``counterfoil new``."""

from __future__ import annotations

import argparse
from pathlib import Path

from counterfoil.cli.command import Command


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("wrapper",), help="a read-only MCP server with a gate")
    parser.add_argument("name", metavar="NAME", help="of the distribution, such as notes-mcp")
    parser.add_argument(
        "--from-contract",
        metavar="PATH",
        type=Path,
        help="a contract.json; default: the project's own, or a small one to start with",
    )
    parser.add_argument("--server", metavar="ID", help="which wrapper of the contract it is")
    parser.add_argument(
        "--directory", metavar="DIR", type=Path, help="the project's folder; default: NAME"
    )
    parser.add_argument(
        "--add", action="store_true", help="put missing handlers at the end of their class"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print {changes, handlers: {path, class, missing: [{name, code}], added, surplus}} "
        "as JSON; for a contract that has to be mended: its findings",
    )


def _run(arguments: argparse.Namespace) -> int:
    # Imported where it is needed: the other commands do without templates and a judge.
    from counterfoil.cli.wrapping import write_wrapper

    return write_wrapper(arguments)


COMMAND = Command(
    name="new",
    summary="write the project of a read-only wrapper around a contract",
    description=(
        "Write a whole project: configuration, typed handlers that say they are not written yet,\n"
        "lint settings, container, tests that pass. Run again, it makes the generated files anew,\n"
        "keeps every file that is there, and shows the handlers that new tools of the contract\n"
        "need."
    ),
    examples=(
        "counterfoil new wrapper notes-mcp",
        "counterfoil new wrapper notes-mcp --from-contract contract/contract.json --server notes",
        "counterfoil new wrapper notes-mcp --directory . --add",
        "counterfoil new wrapper notes-mcp --json",
    ),
    options=_options,
    run=_run,
)
