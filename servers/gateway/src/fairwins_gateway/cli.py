"""The command ``fairwins-gateway``."""

from __future__ import annotations

import argparse
import sys

from fairwins_gateway import __version__
from fairwins_gateway.commands.serving import add_serve
from fairwins_gateway.commands.tokens import add_token
from fairwins_gateway.commands.wallets import add_wallet
from fairwins_gateway.errors import GatewayError


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return the exit status.

    Status 0 when it is done or was told to stop, 2 when it cannot be done.
    """
    parsed = _parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except GatewayError as error:
        sys.stderr.write(f"fairwins-gateway: {error}\n")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fairwins-gateway",
        description="A sandbox of the FairWins Member API: everything in it is invented.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    about = "Serve the Member API on loopback."
    add_serve(commands.add_parser("serve", help="serve the Member API", description=about))
    about = "Issue, list and revoke tokens of the sandbox."
    add_token(commands.add_parser("token", help="issue, list and revoke tokens", description=about))
    about = "Sign payments, intents and revocations. Worth nothing outside of the sandbox."
    add_wallet(commands.add_parser("wallet", help="sign what a member would", description=about))
    return parser
