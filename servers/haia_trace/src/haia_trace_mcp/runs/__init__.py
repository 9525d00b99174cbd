"""Run files: which there are and in which order, their lines, and what an event has to be."""

from __future__ import annotations

from haia_trace_mcp.runs.envelope import check_envelope
from haia_trace_mcp.runs.lines import read_lines
from haia_trace_mcp.runs.listing import RunFile, list_runs

__all__ = ["RunFile", "check_envelope", "list_runs", "read_lines"]
