"""The command ``ga4-mcp``."""

from __future__ import annotations

from collections.abc import Sequence

from ga4_mcp import __version__
from ga4_mcp.reading import SERVICE_ACCOUNT
from ga4_mcp.server import create_server
from mcp_wrapper_scaffold import DeclaredSecret, WrapperProgram, find_service_account_fault

PROGRAM = WrapperProgram(
    name="ga4-mcp",
    version=__version__,
    description="MCP server that reads Google Analytics 4 and cannot change it.",
    secrets=[
        DeclaredSecret(
            name=SERVICE_ACCOUNT,
            purpose="the JSON of a Google service account; GOOGLE_APPLICATION_CREDENTIALS may name "
            "its file, too",
            find_fault=find_service_account_fault,
            file_variables=("GOOGLE_APPLICATION_CREDENTIALS",),
        )
    ],
    create=create_server,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; return the exit status."""
    return PROGRAM.run(arguments)
