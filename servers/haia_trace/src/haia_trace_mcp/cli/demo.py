"""Play the demo."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Final

from haia_trace_mcp.cli.options import Commands, help_end
from haia_trace_mcp.errors import HaiaTraceError

_PACKAGES: Final = ("eth_account", "x402")


class ExtraMissingError(HaiaTraceError):
    """Say which extra has to be installed."""


def add_parser(commands: Commands) -> None:
    """Add the command ``demo``."""
    parser = commands.add_parser(
        "demo",
        help="pay two simulated sellers, one of which never settles, and see what follows",
        description="A buyer pays two simulated sellers on this machine, one of which never "
        "settles. The guard sends the next payment to review, a human rejects it, and the agent "
        "reads why. Nothing leaves this machine, and no money moves. The status is 1 if anything "
        "is not as it should be.",
        epilog=help_end(
            ("demo",), no="something was not as it should be; the line before says what"
        ),
    )
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Play it.

    Raises:
        ExtraMissingError: what the buyer is built with is not installed.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        raise ExtraMissingError(
            "the demo's buyer needs x402 and eth-account: pip install 'haia-trace-mcp[demo]'"
        )
    from haia_trace_mcp.demo.play import make_sellers, play

    return play(*make_sellers())
