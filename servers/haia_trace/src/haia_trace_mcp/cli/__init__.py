"""The command ``haia-trace-mcp``. What a command needs is imported when it is carried out."""

from __future__ import annotations

from haia_trace_mcp.cli.main import main

__all__ = ["main"]
