"""Which stage of a shipped template means that money went out, and which that the outcome came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class StageRoles:
    """The stages that prove payment and outcome."""

    paid: str
    settled: str


# Not published upstream; read from what the stages are. For seller and facilitator, "paid" means
# that the payment was verified: nothing earlier in their view proves that money was on its way.
_ROLES: Final = {
    "x402-buyer": StageRoles(paid="payment", settled="settlement"),
    "x402-seller": StageRoles(paid="verification", settled="settlement"),
    "x402-facilitator": StageRoles(paid="verification", settled="settlement"),
    "escrow-arc": StageRoles(paid="deposit", settled="disposition"),
}


def roles_of(template: str, stages: frozenset[str]) -> StageRoles | None:
    """Return the roles of a template by the name it was asked for and the stages that it has.

    None for a template of the project's own: any partial receipt of it counts as open. A project
    file of a shipped name has the roles as long as it has both stages.
    """
    roles = _ROLES.get(template)
    return roles if roles and {roles.paid, roles.settled} <= stages else None
