"""Parse the command line, run a subcommand, and end with its status."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_wrapper_scaffold import __version__
from mcp_wrapper_scaffold.cli import allowlist, lint, rules, scan
from mcp_wrapper_scaffold.cli.command import STATUSES
from mcp_wrapper_scaffold.console import FAILED, carry_out, tell, visible
from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.manual import TERMINAL, Parser, sections, statuses

_COMMANDS = (lint.COMMAND, scan.COMMAND, allowlist.COMMAND, rules.COMMAND)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status.

    Args:
        arguments: the words; default: those of the process.
    """
    return carry_out("mcp-wrapper", lambda: _status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    given = make_parser().parse_args(arguments)
    try:
        status: int = given.run(given)
        return status
    except WrapperError as error:
        tell(f"mcp-wrapper: {visible(str(error))}")
    return FAILED


def make_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="mcp-wrapper",
        description="Check that a wrapper can only send the requests it declared.",
        epilog=sections(
            exit_status=statuses(STATUSES),
            environment=TERMINAL,
            files=(("pyproject.toml", "[tool.mcp-wrapper]: packages, permits and their reasons"),),
            examples=[command.examples[0] for command in _COMMANDS],
            see_also=("mcp-wrapper COMMAND --help", "mcp-wrapper rules"),
        ),
    )
    parser.add_argument("--version", action="version", version=f"mcp-wrapper {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser
