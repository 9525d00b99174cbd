"""The operator's policy, and how counterparties are spelled in it."""

from __future__ import annotations

from haia_trace_mcp.policy.counterparties import (
    Counterparty,
    CounterpartyError,
    read_counterparty,
)
from haia_trace_mcp.policy.faults import PolicyError, PolicyFault
from haia_trace_mcp.policy.policy import Policy, SpendLimit
from haia_trace_mcp.policy.reading import default_policy, load_policy, read_policy

__all__ = [
    "Counterparty",
    "CounterpartyError",
    "Policy",
    "PolicyError",
    "PolicyFault",
    "SpendLimit",
    "default_policy",
    "load_policy",
    "read_counterparty",
    "read_policy",
]
