"""What the guard and the review log have to do, in the plainest words that Python has.

Nothing here is fast, follows files, or shares code with what it judges. Amounts are fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

MINUTE = 60_000
HOUR = 60 * MINUTE
UNIT = Fraction(1, 10**6)
DOLLARS = {("base", "usdc"), ("eip155:8453", "usdc")}


@dataclass
class ModelOperation:
    """An operation with the one set of terms that its events name."""

    run: str
    name: str
    seller: str
    host: str
    terms: tuple[str, str, str | None]
    """Network, asset and atomic units as text."""
    paid_at: list[int] = field(default_factory=list)
    settled_at: list[int] = field(default_factory=list)
    offered: bool = False
    faults: int = 0

    @property
    def is_full(self) -> bool:
        """Tell whether all three stages were seen, and no fault."""
        return self.offered and bool(self.paid_at and self.settled_at) and not self.faults

    @property
    def is_open(self) -> bool:
        """Tell whether it was paid and not seen to settle."""
        return bool(self.paid_at) and not self.settled_at

    @property
    def at(self) -> int | None:
        """Return when it was paid, or if only that was seen, settled."""
        return min(self.paid_at or self.settled_at, default=None)

    @property
    def amount(self) -> Fraction | None:
        """Return what was paid; None for what cannot be read or is in another asset."""
        network, asset, units = self.terms
        if units is None or not units.isdigit() or (network, asset) not in DOLLARS:
            return None
        return int(units) * UNIT


@dataclass
class ModelReview:
    """A review."""

    key: tuple[str, Fraction]
    at: int
    status: str = "pending"
    decided_at: int | None = None


@dataclass
class GuardModel:
    """A policy, a history, and the reviews and reservations so far."""

    policy: dict[str, Any]
    now: int
    operations: list[ModelOperation] = field(default_factory=list)
    reviews: list[ModelReview] = field(default_factory=list)
    reservations: list[tuple[str, Fraction, int]] = field(default_factory=list)

    def rules(self, party: str, amount: Fraction) -> list[str]:
        """Return the rules that have to speak, in order."""
        if party in self.policy["denylist"]:
            return ["denylist"]
        with_party = [each for each in self.operations if party in (each.seller, each.host)]
        found: list[str] = []
        if self.policy["allowlist"] and party not in self.policy["allowlist"]:
            found.append("allowlist")
        if len(self.open(party)) > self.policy["maxOpenPartialPerCounterparty"]:
            found.append("open_partial")
        sums = [self._sum(with_party, self.policy["perCounterpartyLimit"])]
        limits = [("per_counterparty_limit", self.policy["perCounterpartyLimit"])]
        held = self._held()
        kept = [sum((value for key, value in held if key == party), Fraction(0))]
        if "windowLimit" in self.policy:
            sums.append(self._sum(self.operations, self.policy["windowLimit"]))
            limits.append(("window_limit", self.policy["windowLimit"]))
            kept.append(sum((value for _, value in held), Fraction(0)))
        is_reserved = False
        for (rule, limit), (total, _, _), reserved in zip(limits, sums, kept, strict=True):
            if total + amount > Fraction(limit["amount"]):
                found.append(rule)
            elif total + amount + reserved > Fraction(limit["amount"]):
                is_reserved = True
        found += ["mixed_assets"] * any(mixed for _, mixed, _ in sums)
        found += ["unparseable_history"] * any(unreadable for _, _, unreadable in sums)
        found += ["reserved"] * is_reserved
        found += ["duplicate"] * self._is_duplicate(with_party, amount)
        found += ["review_above"] * (amount > Fraction(self.policy["reviewAbove"]))
        return found

    def open(self, party: str) -> set[tuple[str, str]]:
        """Return the open operations of a counterparty."""
        return {
            (each.run, each.name)
            for each in self.operations
            if each.is_open and party in (each.seller, each.host)
        }

    def history(self, party: str) -> tuple[int, int, int]:
        """Return how many operations there are, how many full ones, and how many open ones."""
        mine = [each for each in self.operations if party in (each.seller, each.host)]
        return len(mine), sum(each.is_full for each in mine), len(self.open(party))

    def answer(self, party: str, amount: Fraction) -> tuple[str, int | None, bool]:
        """Return the decision, which review it is about, and whether that is a new one."""
        found = self.rules(party, amount)
        if found == ["denylist"]:
            return "block", None, False
        if not found:
            if "reservationSeconds" in self.policy:
                self.reservations.append((party, amount, self.now))
            return "allow", None, False
        same = [place for place, each in enumerate(self.reviews) if each.key == (party, amount)]
        if same:
            last = self.reviews[same[-1]]
            if last.status == "pending" and self.now - last.at <= 10 * MINUTE:
                return "review", same[-1], False
        self.reviews.append(ModelReview((party, amount), self.now))
        return "review", len(self.reviews) - 1, True

    def decide(self, place: int, status: str) -> bool:
        """Decide a review; return whether it was still to be decided."""
        review = self.reviews[place]
        if review.status != "pending":
            return False
        review.status, review.decided_at = status, self.now
        if status == "approved":
            self.reservations.append((*review.key, self.now))
        return True

    def _sum(
        self, operations: list[ModelOperation], limit: dict[str, Any]
    ) -> tuple[Fraction, bool, bool]:
        """Return what was spent, and whether there were other assets and what cannot be read."""
        since = self.now - limit["windowHours"] * HOUR
        recent = [each for each in operations if each.at is not None and each.at >= since]
        readable = [each for each in recent if each.terms[2] and each.terms[2].isdigit()]
        dollars = [each for each in readable if each.terms[:2] in DOLLARS]
        total = sum((each.amount for each in dollars if each.amount is not None), Fraction(0))
        return total, len(dollars) < len(readable), len(readable) < len(recent)

    def _is_duplicate(self, operations: list[ModelOperation], amount: Fraction) -> bool:
        minutes = self.policy.get("duplicateWindowMinutes")
        return minutes is not None and any(
            each.settled_at
            and each.at is not None
            and each.at >= self.now - minutes * MINUTE
            and each.amount == amount
            for each in operations
        )

    def _held(self) -> list[tuple[str, Fraction]]:
        """Return the reservations that count.

        Each payment crosses off the oldest reservation of its counterparty and amount that was made
        no later. The model goes from payment to payment, and not from reservation to reservation.
        """
        seconds = self.policy.get("reservationSeconds")
        if seconds is None:
            return []
        left: list[tuple[str, Fraction]] = []
        # What ended more than an hour ago crosses nothing off.
        recent = [each for each in self.reservations if each[2] + seconds * 1000 > self.now - HOUR]
        for party, amount in {(party, amount) for party, amount, _ in recent}:
            waiting = sorted(at for key, value, at in recent if (key, value) == (party, amount))
            payments = sorted(
                each.at
                for each in self.operations
                if party in (each.seller, each.host)
                and each.amount == amount
                and each.at is not None
            )
            for paid in payments:
                if waiting and waiting[0] <= paid:
                    del waiting[0]
            left += [(party, amount) for at in waiting if at + seconds * 1000 > self.now]
        return left
