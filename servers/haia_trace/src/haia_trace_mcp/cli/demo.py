"""Play the demo."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from haia_trace_mcp.cli.options import Commands, help_end
from haia_trace_mcp.errors import HaiaTraceError

_PACKAGES: Final = ("eth_account", "x402")


class ExtraMissingError(HaiaTraceError):
    """Say which extra has to be installed."""


class OccupiedError(HaiaTraceError):
    """Say which folder is no place for a Trace root of the demo."""


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
            ("demo", "demo --keep agent"),
            no="something was not as it should be; the line before says what",
        ),
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="end before the human decides, keep the Trace root in this new folder, and leave the "
        "review to you",
    )
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Play it.

    Raises:
        ExtraMissingError: what the buyer is built with is not installed.
        OccupiedError: something is in the folder that is to be kept.
    """
    kept: Path | None = chosen.keep
    if kept is not None and kept.exists() and not (kept.is_dir() and not any(kept.iterdir())):
        raise OccupiedError(f"--keep: there is something in {kept}; name a new folder")
    if any(find_spec(name) is None for name in _PACKAGES):
        raise ExtraMissingError(
            "the demo's buyer needs x402 and eth-account: pip install 'haia-trace-mcp[demo]'"
        )
    from haia_trace_mcp.demo.play import make_sellers, play

    return play(*make_sellers(), kept)
