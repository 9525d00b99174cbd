"""What was spent, in the policy's asset, and what cannot be added up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from haia_trace_mcp.index import Account, Operation, Payment, Total
from haia_trace_mcp.money import AmountError, parse_amount, terms_key
from haia_trace_mcp.policy import Policy
from haia_trace_mcp.reviews import Reservation

PAYMENTS_LIMIT: Final = 1000
"""How many payments are looked at one by one, from the newest on."""

_EVIDENCE_LIMIT: Final = 20
_RESERVATION_LIMIT: Final = 3_600_000
_ATOMIC = re.compile(r"[0-9]{1,78}")


@dataclass(frozen=True, slots=True)
class Spent:
    """What was paid, or may have been, since some time.

    ``others`` are operations with payments in ``other_count`` other assets; ``unreadable`` are the
    newest of those with the ``unreadable_count`` payments that have no readable terms.
    """

    atomic: int
    other_count: int
    others: tuple[Operation, ...]
    unreadable_count: int
    unreadable: tuple[Operation, ...]


def spent_since(account: Account, since: int, policy: Policy) -> Spent:
    """Add up an account's payments from a time on, in milliseconds since 1970."""
    spending = account.spent_since(since, _EVIDENCE_LIMIT)
    atomic = 0
    others: list[tuple[tuple[str, str], Total]] = []
    for (network, address), total in spending.totals.items():
        if terms_key(network, address) == policy.asset.key:
            atomic += total.atomic
        else:
            others.append(((network, address), total))
    return Spent(
        atomic=atomic,
        other_count=len(others),
        others=_others(account, since, policy) if others else (),
        unreadable_count=spending.unreadable_count,
        unreadable=spending.unreadable,
    )


def units(payment: Payment, policy: Policy) -> int | None:
    """Return what was paid in the policy's asset; None for other assets and unreadable terms."""
    terms = payment.terms
    if terms is None or terms.network is None or terms.asset is None or terms.amount is None:
        return None
    if terms_key(terms.network, terms.asset) != policy.asset.key:
        return None
    return int(terms.amount) if _ATOMIC.fullmatch(terms.amount) else None


def _others(account: Account, since: int, policy: Policy) -> tuple[Operation, ...]:
    """Return operations that paid in other assets, as far as they are among the newest."""
    found: dict[tuple[str, str], Operation] = {}
    for operation, payment in account.payments_since(since, PAYMENTS_LIMIT):
        terms = payment.terms
        if terms is None or not terms.network or not terms.asset:
            continue
        if terms_key(terms.network, terms.asset) != policy.asset.key:
            found[operation.run_id, operation.operation_id] = operation
        if len(found) == _EVIDENCE_LIMIT:
            break
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Reserved:
    """What was allowed shortly before and is in no receipt yet: for one counterparty, and for all.

    ``everyone`` is left at what the one has where the policy has no limit for all.
    """

    own: int
    everyone: int


def reserved_now(
    reservations: Sequence[Reservation],
    counterparty: str,
    policy: Policy,
    now: int,
    account_of: Callable[[str], Account],
) -> Reserved:
    """Add up the reservations that count, without those whose payments are recorded.

    A payment takes up the oldest reservation of its counterparty and amount that was made before
    it, expired or not. So an amount may be counted twice for a while, and never not at all. After
    the clock went back, reservations count for longer.
    """
    groups: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for each in reservations:
        seconds = each.seconds or policy.reservation_seconds or 0
        end = each.at + seconds * 1000
        if each.asset != policy.asset.key or end <= now - _RESERVATION_LIMIT:
            continue
        if policy.window is None and each.counterparty != counterparty:
            continue
        try:
            atomic = parse_amount(each.amount, policy.asset.decimals)
        except AmountError:  # reserved under other decimals, or approved under an unreadable amount
            continue
        groups.setdefault((each.counterparty, atomic), []).append((each.at, end))
    own = everyone = 0
    for (key, atomic), spans in groups.items():
        if all(end <= now for _, end in spans):
            continue
        left = atomic * _unpaid(sorted(spans), atomic, account_of(key), policy, now)
        everyone += left
        own += left if key == counterparty else 0
    return Reserved(own, everyone)


def _unpaid(
    spans: Sequence[tuple[int, int]], atomic: int, account: Account, policy: Policy, now: int
) -> int:
    """Count the reservations that have not ended and that no payment takes up."""
    paid = _times(account.payments_since(spans[0][0], PAYMENTS_LIMIT), atomic, policy)
    count = place = 0
    for at, end in spans:
        while place < len(paid) and paid[place] < at:
            place += 1
        if place < len(paid):
            place += 1
        elif end > now:
            count += 1
    return count


def _times(payments: Iterable[tuple[Operation, Payment]], atomic: int, policy: Policy) -> list[int]:
    return sorted(
        payment.at
        for _, payment in payments
        if payment.at is not None and units(payment, policy) == atomic
    )
