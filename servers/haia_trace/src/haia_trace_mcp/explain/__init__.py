"""Explanations of receipts for people."""

from __future__ import annotations

from haia_trace_mcp.explain.explanation import BLIND_SPOT, explain, explain_operation

__all__ = ["BLIND_SPOT", "explain", "explain_operation"]
