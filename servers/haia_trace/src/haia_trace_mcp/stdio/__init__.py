"""MCP over standard input and output, with what the SDK's own transport lacks.

That one drops calls that are under way when the input ends, stays on after SIGINT, says nothing to
lines that it cannot read, and keeps a process to the era of its first request.
"""

from __future__ import annotations

from haia_trace_mcp.stdio.connection import Connection
from haia_trace_mcp.stdio.process import serve

__all__ = ["Connection", "serve"]
