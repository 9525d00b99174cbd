"""What happened with one counterparty, or with all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from haia_trace_mcp.index.operation import Operation, Payment


@dataclass(frozen=True, slots=True)
class Total:
    """What was paid in one asset: atomic units, and how many payments."""

    atomic: int
    payments: int


@dataclass(frozen=True, slots=True)
class Spending:
    """Payments since some time, by (network, asset) as recorded, the asset's address by its key.

    ``unreadable`` are operations with a payment that cannot be added up: no amount, no asset, no
    network, an amount that is no whole number, or a time in another form than the contract's.
    """

    totals: Mapping[tuple[str, str], Total]
    unreadable: tuple[Operation, ...]


class Account(Protocol):
    """The operations with one counterparty, read through one template.

    An operation belongs to every address and host that its payments name; if it names none there,
    to those of its offers.
    """

    @property
    def operation_count(self) -> int:
        """Return how many operations there are."""
        ...

    @property
    def full_count(self) -> int:
        """Return how many of them are full."""
        ...

    @property
    def open_count(self) -> int:
        """Return how many of them are open."""
        ...

    def open_operations(self, limit: int) -> tuple[Operation, ...]:
        """Return the newest open ones."""
        ...

    def spent_since(self, at: int) -> Spending:
        """Add up the payments from a time on, in milliseconds since 1970."""
        ...

    def payments_since(self, at: int, limit: int) -> tuple[tuple[Operation, Payment], ...]:
        """Return the newest payments from a time on."""
        ...
