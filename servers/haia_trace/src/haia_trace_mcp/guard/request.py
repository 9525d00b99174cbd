"""A question to the guard, as far as it can be understood."""

from __future__ import annotations

from dataclasses import dataclass

from haia_trace_mcp.money import AmountError, Asset, asset_key, parse_amount, shortest
from haia_trace_mcp.policy import Policy, read_counterparty
from haia_trace_mcp.reviews import Reason
from haia_trace_mcp.wording import quoted


@dataclass(frozen=True, slots=True)
class Request:
    """An intended payment.

    ``counterparty`` is a key. ``amount`` is the shortest decimal text in display units, ``asset`` a
    key, or what was asked where nobody knows it. ``atomic`` counts units of the policy's asset; it
    is None where ``problem`` says why there is no such number.
    """

    counterparty: str
    amount: str
    asset: str
    template: str
    atomic: int | None
    problem: Reason | None


def read_request(
    policy: Policy, counterparty: str, amount: str, asset: str | None, template: str
) -> Request:
    """Understand a question.

    Raises:
        CounterpartyError: it names nobody; there is no history to look at, and no key to compare.
        AmountError: the amount is no decimal number, so that not even a person could decide on it.
    """
    key = read_counterparty(counterparty).key
    amount = shortest(amount)
    found = policy.asset if asset is None else _find(policy, asset)
    if isinstance(found, Reason):
        name = asset_key(asset or "") or asset or ""
        return Request(key, amount, name, template, None, found)
    problem: Reason | None = None
    atomic: int | None = None
    try:
        atomic = parse_amount(amount, found.decimals)
    except AmountError as error:
        problem = Reason(
            "unparseable_amount", f"The amount cannot be read in {found.symbol}: {error}."
        )
    if problem is None and found.key != policy.asset.key:
        atomic, problem = None, _mismatch(policy, found)
    return Request(key, amount, found.key, template, atomic, problem)


def _find(policy: Policy, text: str) -> Asset | Reason:
    """Return the asset that is meant: the policy's own, if it is among those of the name."""
    found = policy.assets.named(text)
    if policy.asset in found:
        return policy.asset
    if len(found) == 1:
        return found[0]
    if not found:
        name = quoted(text)
        detail = f"The asset {name} is not one that the policy knows; the amount has no scale."
    else:
        keys = ", ".join(sorted(asset.key for asset in found))
        detail = f"{quoted(text)} names several known assets; one of them has to be named: {keys}."
    return Reason("unknown_asset", detail)


def _mismatch(policy: Policy, asset: Asset) -> Reason:
    return Reason(
        "asset_mismatch",
        f"The amount is in {asset.symbol} ({asset.key}), and the policy's amounts are in "
        f"{policy.asset.symbol} ({policy.asset.key}), so they were not compared.",
    )
