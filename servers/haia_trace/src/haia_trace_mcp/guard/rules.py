"""The rules, in their order. Each looks at one thing, and says why a person should decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from haia_trace_mcp.guard.case import Case
from haia_trace_mcp.guard.spending import PAYMENTS_LIMIT, Spent, units
from haia_trace_mcp.index import Operation
from haia_trace_mcp.reviews import Evidence, Reason
from haia_trace_mcp.wording import counted, quoted

CheckRule: TypeAlias = Callable[[Case], Reason | None]
EVIDENCE_LIMIT: Final = 100
_ID_LIMIT: Final = 1024
"""No tool takes an operation's id that is longer."""


def denylist(case: Case) -> Reason | None:
    """Object to counterparties that the policy refuses; this alone blocks."""
    key = case.request.counterparty
    if key in case.policy.denylist:
        return Reason("denylist", f"The counterparty {key} is on the denylist.")
    return None


def allowlist(case: Case) -> Reason | None:
    """Object to counterparties that the policy does not name, if it names any."""
    key = case.request.counterparty
    if case.policy.allowlist and key not in case.policy.allowlist:
        return Reason("allowlist", f"The counterparty {key} is not on the allowlist.")
    return None


def open_partial(case: Case) -> Reason | None:
    """Object to earlier operations that were paid and not seen to complete."""
    count = case.account.open_count
    if count <= case.policy.max_open:
        return None
    earlier = counted(count, "earlier operation")
    was = "was" if count == 1 else "were"
    if case.has_roles:
        detail = f"{earlier} with this counterparty {was} paid and not seen to complete"
    else:
        detail = (
            f"{earlier} with this counterparty {was} not seen to complete, and nobody knows "
            "whether paid: the template does not say which stage is the payment"
        )
    detail += f"; the policy lets {case.policy.max_open} be so."
    operations = case.account.open_operations(EVIDENCE_LIMIT)
    if count > len(operations):
        detail += f" The newest {len(operations)} are listed."
    return Reason("open_partial", detail, evidence(operations))


def unreadable_request(case: Case) -> Reason | None:
    """Object to an asset or an amount that the policy cannot put a number on."""
    return case.request.problem


def per_counterparty_limit(case: Case) -> Reason | None:
    """Object to spending more with this counterparty than the policy has for its window."""
    limit, atomic = case.policy.per_counterparty, case.request.atomic
    if atomic is None or case.spent.atomic + atomic <= limit.atomic:
        return None
    whom = f"this counterparty within {limit.window_hours} h"
    return Reason("per_counterparty_limit", _over(case, case.spent, limit.atomic, whom))


def window_limit(case: Case) -> Reason | None:
    """Object to spending more with all counterparties than the policy has for their window."""
    limit, atomic, spent = case.policy.window, case.request.atomic, case.spent_by_all
    if limit is None or atomic is None or spent is None or spent.atomic + atomic <= limit.atomic:
        return None
    whom = f"all counterparties within {limit.window_hours} h"
    return Reason("window_limit", _over(case, spent, limit.atomic, whom))


def mixed_assets(case: Case) -> Reason | None:
    """Object to earlier payments in other assets: nobody can add them up."""
    found = [spent for spent in _sums(case) if spent.other_count]
    if not found:
        return None
    operations = [operation for spent in found for operation in spent.others]
    return Reason(
        "mixed_assets",
        f"Earlier payments in the window were in other assets than {case.policy.asset.symbol} "
        f"({case.policy.asset.key}), and cannot be added to it.",
        evidence(operations),
    )


def unparseable_history(case: Case) -> Reason | None:
    """Object to earlier payments whose amount, asset or time cannot be read."""
    found = [spent for spent in _sums(case) if spent.unreadable_count]
    if not found:
        return None
    count = max(spent.unreadable_count for spent in found)
    operations = [operation for spent in found for operation in spent.unreadable]
    return Reason(
        "unparseable_history",
        f"{counted(count, 'earlier payment')} in the window cannot be added up: no amount, asset, "
        "network or time that can be read.",
        evidence(operations),
    )


def reserved(case: Case) -> Reason | None:
    """Object where only what was allowed shortly before makes the sum too large."""
    atomic, limit, window = case.request.atomic, case.policy.per_counterparty, case.policy.window
    if atomic is None:
        return None
    asset = case.policy.asset
    found: list[str] = []
    total = case.spent.atomic + atomic
    if total <= limit.atomic < total + case.reserved.own:
        found.append(
            f"{asset.show(case.reserved.own)} for this counterparty, which makes it more than its "
            f"limit of {asset.show(limit.atomic)}"
        )
    if window is not None and case.spent_by_all is not None:
        total = case.spent_by_all.atomic + atomic
        if total <= window.atomic < total + case.reserved.everyone:
            found.append(
                f"{asset.show(case.reserved.everyone)} for all counterparties, which makes it more "
                f"than their limit of {asset.show(window.atomic)}"
            )
    if not found:
        return None
    return Reason(
        "reserved",
        f"Allowed a short time ago and in no receipt yet: {'; '.join(found)}.",
    )


def duplicate(case: Case) -> Reason | None:
    """Object to what looks like a payment that was made a short time ago."""
    minutes, atomic = case.policy.duplicate_minutes, case.request.atomic
    if minutes is None or atomic is None:
        return None
    payments = case.account.payments_since(case.now - minutes * 60_000, PAYMENTS_LIMIT)
    same = [
        operation
        for operation, payment in payments
        if _is_settled(operation) and units(payment, case.policy) == atomic
    ]
    amount = case.policy.asset.show(atomic)
    if same:
        return Reason(
            "duplicate",
            f"{amount} went to this counterparty within the last {minutes} min, and that settled.",
            evidence(same),
        )
    if len(payments) == PAYMENTS_LIMIT:
        return Reason(
            "duplicate",
            f"This counterparty was paid more than {PAYMENTS_LIMIT} times within the last "
            f"{minutes} min; not all of it was looked at for another {amount}.",
        )
    return None


def review_above(case: Case) -> Reason | None:
    """Object to an amount that is large by itself."""
    atomic, limit = case.request.atomic, case.policy.review_above
    if atomic is None or atomic <= limit:
        return None
    asset = case.policy.asset
    return Reason(
        "review_above",
        f"{asset.show(atomic)} is more than {asset.show(limit)}, above which a person decides.",
    )


OBJECTIONS: Final[tuple[CheckRule, ...]] = (
    allowlist,
    open_partial,
    unreadable_request,
    per_counterparty_limit,
    window_limit,
    mixed_assets,
    unparseable_history,
    reserved,
    duplicate,
    review_above,
)
"""The rules after the denylist, which lead to a review."""


def history(case: Case) -> Reason:
    """Say what the receipts hold about the counterparty. It is no verdict."""
    account, template = case.account, quoted(case.request.template)
    total, full = account.operation_count, account.full_count
    if total:
        detail = (
            f"{counted(total, 'operation')} with this counterparty: {full} full, "
            f"{total - full} partial, {account.open_count} open."
        )
    else:
        detail = "No operation with this counterparty is recorded."
        if not case.run_count:
            detail += " There are no runs at all, so nothing is known of anybody."
    detail += f" Read with the template {template}."
    if not case.has_roles:
        detail += (
            " Nobody knows which of its stages mean payment and outcome, so that any partial "
            "operation counts as open."
        )
    if case.request.template == "escrow-arc":
        detail += (
            " Operations of this template carry no x402 money fields and cannot be attributed to "
            "a counterparty."
        )
    return Reason("history", detail)


def evidence(operations: Iterable[Operation]) -> tuple[Evidence, ...]:
    """Name operations, each once."""
    found = dict.fromkeys(
        (each.run_id, each.operation_id)
        for each in operations
        if len(each.operation_id) <= _ID_LIMIT
    )
    return tuple(Evidence(*each) for each in list(found)[:EVIDENCE_LIMIT])


def _sums(case: Case) -> list[Spent]:
    """Return the sums that the policy's limits need; none where there is no amount to add."""
    if case.request.atomic is None:
        return []
    return [spent for spent in (case.spent, case.spent_by_all) if spent is not None]


def _over(case: Case, spent: Spent, limit: int, whom: str) -> str:
    asset, atomic = case.policy.asset, case.request.atomic or 0
    return (
        f"{asset.show(spent.atomic)} went, or may have gone, to {whom}; with {asset.show(atomic)} "
        f"that is {asset.show(spent.atomic + atomic)}, more than the limit of {asset.show(limit)}."
    )


def _is_settled(operation: Operation) -> bool:
    if operation.is_settled is None:
        return operation.completeness == "full"
    return operation.is_settled
