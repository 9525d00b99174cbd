"""Read the words of a command line, and carry out what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from haia_trace_mcp import __version__
from haia_trace_mcp.cli import demo, index, policy, review, serve
from haia_trace_mcp.cli.options import help_end
from haia_trace_mcp.cli.terminal import PROGRAM, say
from haia_trace_mcp.console import FAILED, carry_out
from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.manual import TERMINAL, Parser

_DESCRIPTION: Final = """\
Serve an agent's own operation receipts over MCP, with an advisory guard before payments.
Without a command, it serves one client over standard input and output until that client goes.
Reviews are decided by people with "haia-trace-mcp review", and by nobody else."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    return carry_out(PROGRAM, lambda: _status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    chosen = make_parser().parse_args(arguments)
    try:
        status: int = chosen.run(chosen)
    except HaiaTraceError as error:
        say(str(error))
        return FAILED
    return status


def make_parser() -> Parser:
    """Return the parser of all commands; each one sets ``run``."""
    parser = Parser(
        prog=PROGRAM,
        description=_DESCRIPTION,
        epilog=help_end(
            (
                "",
                "--dir /srv/agent/.trace --index",
                "--http 127.0.0.1:3000 --auth-issuer https://id.example --auth-jwks keys.json",
                "review list",
            ),
            environment=TERMINAL,
            files=(
                (".trace", "the Trace root, unless --dir names another: events, guard, templates"),
                ("haia-guard.config.json", "the guard's policy, where --guard-config names it"),
            ),
            see=("haia-trace-mcp COMMAND --help",),
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    serve.add_options(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in (review, policy, index, demo):
        command.add_parser(commands)
    return parser
