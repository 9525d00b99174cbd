"""All that the rules look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from haia_trace_mcp.guard.request import Request
from haia_trace_mcp.guard.spending import Reserved, Spent, spent_since
from haia_trace_mcp.index import Account
from haia_trace_mcp.policy import Policy


@dataclass(frozen=True)
class Case:
    """An intended payment, and what policy and history have to do with it.

    ``account`` is that of the counterparty, ``everyone`` that of all, where the policy limits
    those. ``has_roles`` says whether the template's stages are known to mean payment and outcome.
    ``run_count`` is that of the whole Trace root.
    """

    policy: Policy
    request: Request
    now: int
    account: Account
    everyone: Account | None
    has_roles: bool
    run_count: int
    reserved: Reserved

    @cached_property
    def spent(self) -> Spent:
        """Return what was spent with the counterparty within its window."""
        since = self.now - self.policy.per_counterparty.window
        return spent_since(self.account, since, self.policy)

    @cached_property
    def spent_by_all(self) -> Spent | None:
        """Return what was spent with all counterparties within their window, if that is limited."""
        if self.policy.window is None or self.everyone is None:
            return None
        return spent_since(self.everyone, self.now - self.policy.window.window, self.policy)
