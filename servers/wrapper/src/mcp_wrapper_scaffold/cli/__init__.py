"""The command ``mcp-wrapper``."""

from mcp_wrapper_scaffold.cli.main import main

__all__ = ["main"]
