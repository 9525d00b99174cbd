"""What the index tells of runs and operations."""

from __future__ import annotations

from dataclasses import dataclass

from haia_trace_mcp.errors import RunError
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


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of payment as recorded; None for what is absent or of another type than text.

    ``amount`` is in atomic units. A v1 offer's amount is not recorded upstream, so it is None.
    """

    scheme: str | None
    network: str | None
    asset: str | None
    amount: str | None
    pay_to: str | None


@dataclass(frozen=True, slots=True)
class Payment:
    """Terms that an operation was paid or settled under, and when.

    ``terms`` is None where the payment stage was proved by events that name no terms.
    ``at`` counts milliseconds since 1970; None for a time in another form than the contract's.
    """

    terms: Terms | None
    occurred_at: str
    at: int | None


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a run, read through one template.

    ``is_paid`` and ``is_settled`` are None where nobody knows which stages of the template mean
    that. ``is_open``: paid and not settled and not ``joined``; any partial one where they are None.
    ``offers`` are the terms of the challenge. ``joined`` names the other half of a payment that a
    lone MCP client recorded as two operations.
    """

    run_id: str
    operation_id: str
    template: str
    completeness: Completeness
    missing: tuple[str, ...]
    exception_count: int
    first_event_at: str
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
