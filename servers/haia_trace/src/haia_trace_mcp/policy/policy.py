"""What the operator decided, ready for use: amounts in atomic units, names in one spelling."""

from __future__ import annotations

from dataclasses import dataclass

from haia_trace_mcp.money import Asset, Assets


@dataclass(frozen=True, slots=True)
class SpendLimit:
    """How much may be spent within some hours, in atomic units of the policy's asset."""

    atomic: int
    window_hours: int

    @property
    def window(self) -> int:
        """Return the hours in milliseconds."""
        return self.window_hours * 3_600_000


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules. ``asset`` is the one that all amounts are in; None turns a rule off."""

    assets: Assets
    asset: Asset
    allowlist: frozenset[str]
    denylist: frozenset[str]
    per_counterparty: SpendLimit
    max_open: int
    review_above: int
    window: SpendLimit | None
    duplicate_minutes: int | None
    reservation_seconds: int | None
