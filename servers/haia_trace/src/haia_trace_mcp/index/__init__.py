"""The index over all runs, which answers what the tools and the guard ask."""

from __future__ import annotations

from haia_trace_mcp.index.account import Account, Spending, Total
from haia_trace_mcp.index.counterparties import address_key, host_key
from haia_trace_mcp.index.decoding import Terms
from haia_trace_mcp.index.follower import Limits
from haia_trace_mcp.index.moments import moment_of
from haia_trace_mcp.index.operation import Operation, Payment, Run
from haia_trace_mcp.index.store import IndexStore
from haia_trace_mcp.index.trace_index import TraceIndex

__all__ = [
    "Account",
    "IndexStore",
    "Limits",
    "Operation",
    "Payment",
    "Run",
    "Spending",
    "Terms",
    "Total",
    "TraceIndex",
    "address_key",
    "host_key",
    "moment_of",
]
