"""The command line, for starts that have one: plain starts never load an argument parser."""

from __future__ import annotations

import argparse

from fairwins_mcp import __version__
from fairwins_mcp.errors import SnapshotError
from fairwins_mcp.surface import Surface, load_snapshot

EPILOG = """\
environment:
  FAIRWINS_API_URL     base URL of the FairWins gateway; without it every call says so
  FAIRWINS_API_TOKEN   the member's own token, for the tools that read a member's data
  FAIRWINS_TIMEOUT_MS  longest wait for the gateway in milliseconds (default 15000)

The server speaks MCP over standard input and output, as desktop clients start it.
"""


def open_surface(arguments: list[str]) -> Surface:
    """Read the arguments and open the surface they ask for.

    Exits with status 0 after ``--help`` and ``--version``, and with 2 and a sentence on stderr for
    arguments that are wrong.
    """
    parser = argparse.ArgumentParser(
        prog="fairwins-mcp",
        description="Serve a FairWins member's data to MCP clients. Reads only: it never signs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--tools", metavar="NAMES", help="serve these tools only, separated by commas"
    )
    given: str | None = parser.parse_args(arguments).tools
    if given is None:
        return Surface(load_snapshot())
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        parser.error("argument --tools: no tool is named")
    try:
        return Surface(load_snapshot(), names)
    except SnapshotError as error:
        parser.error(f"argument --tools: {error}")
