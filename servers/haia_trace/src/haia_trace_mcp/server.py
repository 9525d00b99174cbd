"""The MCP server over a Trace root, for any transport."""

from __future__ import annotations

from typing import Any

from mcp.server import Server

from counterfoil_bindings.haia_trace.stubs import bind
from haia_trace_mcp.service import TraceService
from haia_trace_mcp.tools import Handlers


def make_server(service: TraceService) -> Server[Any]:
    """Return a server of the MCP SDK that serves the contract's tools over a service."""
    return bind(Handlers(service))
