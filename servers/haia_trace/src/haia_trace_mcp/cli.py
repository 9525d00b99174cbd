"""The command ``haia-trace-mcp``."""

from __future__ import annotations

import argparse

from haia_trace_mcp import __version__


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="haia-trace-mcp",
        description="MCP server over operation receipts, with an advisory guard and human review.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.parse_args(arguments)
    return 0
