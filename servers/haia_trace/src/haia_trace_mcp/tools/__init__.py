"""The five tools: what a Trace root answers, in the form of the contract."""

from __future__ import annotations

from haia_trace_mcp.tools.handlers import Handlers

__all__ = ["Handlers"]
