"""The command ``lemonsqueezy-mcp``."""

from __future__ import annotations

from collections.abc import Sequence

from lemonsqueezy_mcp import __version__
from lemonsqueezy_mcp.reading import API_KEY, find_key_fault
from lemonsqueezy_mcp.server import create_server
from mcp_wrapper_scaffold import DeclaredSecret, WrapperProgram

PROGRAM = WrapperProgram(
    name="lemonsqueezy-mcp",
    version=__version__,
    description="MCP server that reads a LemonSqueezy account and cannot change it.",
    secrets=[
        DeclaredSecret(
            name=API_KEY, purpose="an API key of LemonSqueezy", find_fault=find_key_fault
        )
    ],
    create=create_server,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    return PROGRAM.run(arguments)
