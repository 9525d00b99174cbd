"""The guard: what speaks against a payment before it is made."""

from __future__ import annotations

from haia_trace_mcp.guard.guard import DEFAULT_TEMPLATE, Decision, Guard, check_before_pay

__all__ = ["DEFAULT_TEMPLATE", "Decision", "Guard", "check_before_pay"]
