"""The command ``mcp-wrapper``."""

from __future__ import annotations

import argparse

from mcp_wrapper_scaffold import __version__


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="mcp-wrapper",
        description="Read-only MCP wrappers that can only send the requests they declared.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.parse_args(arguments)
    return 0
