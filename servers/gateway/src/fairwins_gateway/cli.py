"""The command ``fairwins-gateway``."""

from __future__ import annotations

from fairwins_gateway import __version__
from fairwins_gateway.commands.arguments import PROGRAM, STATUSES
from fairwins_gateway.commands.serving import add_serve
from fairwins_gateway.commands.tokens import add_token
from fairwins_gateway.commands.wallets import add_wallet
from fairwins_gateway.console import FAILED, carry_out, tell, visible
from fairwins_gateway.errors import GatewayError
from fairwins_gateway.manual import TERMINAL, Parser, sections, statuses


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return the exit status.

    Status 0 when it is done or was told to stop, 2 when it cannot be done.
    """
    return carry_out(PROGRAM, lambda: _status(arguments))


def _status(arguments: list[str] | None) -> int:
    parsed = make_parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except GatewayError as error:
        tell(f"{PROGRAM}: {visible(str(error))}")
        return FAILED


def make_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog=PROGRAM,
        description="Serve and use a sandbox of the FairWins Member API: everything in it is "
        "invented.",
        epilog=sections(
            exit_status=statuses(STATUSES),
            environment=TERMINAL,
            examples=(
                "fairwins-gateway serve --database sandbox.sqlite --admin-port 8781",
                "fairwins-gateway token issue --account 0x00000000000000000000000000000000000a11ce",
            ),
            see_also=("fairwins-gateway COMMAND --help", "fairwins-mcp --help"),
        ),
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (add_serve, add_token, add_wallet):
        add(commands)
    return parser
