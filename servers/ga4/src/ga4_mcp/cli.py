"""The command ``ga4-mcp``."""

from __future__ import annotations

import argparse

from ga4_mcp import __version__


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="ga4-mcp", description="MCP server that reads Google Analytics 4 and cannot change it."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.parse_args(arguments)
    return 0
