"""What the index tells of runs and operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from haia_trace_mcp.errors import RunError
from haia_trace_mcp.index.decoding import Terms
from haia_trace_mcp.receipts import Completeness


@dataclass(frozen=True, slots=True)
class Run:
    """A run file. With a ``problem``, nothing else is known of the run, and nothing is left out."""

    run_id: str
    events: int
    operations: int
    problem: RunError | None
    links: int
    """How many names the file has; more than one means hard links, which cannot be told apart."""


class Payment(NamedTuple):
    """Terms that an operation was paid or settled under, and when it was first seen to be.

    ``terms`` is None where the payment was seen and its terms were not. ``at`` counts milliseconds
    since 1970; None for a time in another form than the event contract's.
    """

    terms: Terms | None
    at: int | None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a run, read through one template.

    ``is_paid`` and ``is_settled`` are None where nobody knows which stages of the template mean
    that. ``is_open``: paid and not settled and not ``joined``; any partial one where they are None.
    ``offers`` are the terms of the challenge. ``addresses`` are those that the terms of payment
    name, or where there are none yet, those of the offers. ``joined`` is the operation id of the
    other half of a payment that a lone MCP client recorded as two operations.
    """

    run_id: str
    operation_id: str
    template: str
    completeness: Completeness
    missing: tuple[str, ...]
    exception_count: int
    last_event_at: str
    confirmed: frozenset[str]
    is_paid: bool | None
    is_settled: bool | None
    is_open: bool
    payments: tuple[Payment, ...]
    offers: tuple[Terms, ...]
    addresses: tuple[str, ...]
    hosts: tuple[str, ...]
    joined: str | None
