"""Check an intended payment. Advice only: nothing here moves money or keeps anybody from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from haia_trace_mcp.clock import Clock, system_clock
from haia_trace_mcp.guard.case import Case
from haia_trace_mcp.guard.request import Request, read_request
from haia_trace_mcp.guard.rules import OBJECTIONS, denylist, history
from haia_trace_mcp.guard.spending import Reserved, reserved_now
from haia_trace_mcp.index import TraceIndex
from haia_trace_mcp.policy import Policy
from haia_trace_mcp.reviews import Reason, Reservation, Reviews, Session
from haia_trace_mcp.templates import Templates, roles_of

DEFAULT_TEMPLATE = "x402-buyer"


@dataclass(frozen=True, slots=True)
class Decision:
    """The guard's answer; the last reason is the history. A review has an id, others have none."""

    decision: Literal["allow", "review", "block"]
    reasons: tuple[Reason, ...]
    review_id: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the answer as ``check_before_pay`` gives it."""
        found: dict[str, object] = {
            "decision": self.decision,
            "reasons": [reason.to_json() for reason in self.reasons],
        }
        return found if self.review_id is None else {**found, "review_id": self.review_id}


class Guard:
    """Judges payments by one policy, which stays as it is. Any thread may ask."""

    def __init__(
        self,
        index: TraceIndex,
        templates: Templates,
        policy: Policy,
        reviews: Reviews,
        *,
        clock: Clock = system_clock,
    ) -> None:
        self._index = index
        self._templates = templates
        self._policy = policy
        self._reviews = reviews
        self._clock = clock

    def check(
        self,
        counterparty: str,
        amount: str,
        asset: str | None = None,
        template: str = DEFAULT_TEMPLATE,
    ) -> Decision:
        """Judge a payment by the policy, and by how earlier ones to the same counterparty ended.

        ``amount`` is decimal text in display units. Only a review, and with reservations what is
        allowed, writes a line to the review log; it is on the disk before the answer.

        Raises:
            CounterpartyError: the text names nobody.
            AmountError: the amount is no decimal number at all.
            TemplateError: there is no such template, or it cannot be used.
            RunsError: a run cannot be used, so that nobody knows the history.
            RootError: the folder of the runs cannot be read.
            ReviewLogError: the review log cannot be read or written.
        """
        request = read_request(self._policy, counterparty, amount, asset, template)
        if self._policy.reservation_seconds is not None:
            # From the look at what was reserved to the next reservation, nobody comes between.
            with self._reviews.session() as session:
                decision = self._judge(request, session.fold.reservations)
                return self._settle(request, decision, session)
        decision = self._judge(request, ())
        if decision.decision != "review":
            return decision
        with self._reviews.session() as session:
            return self._settle(request, decision, session)

    def _judge(self, request: Request, reservations: Sequence[Reservation]) -> Decision:
        case = self._case(request, reservations)
        last = history(case)
        refusal = denylist(case)
        if refusal is not None:
            return Decision("block", (refusal, last))
        reasons = tuple(reason for rule in OBJECTIONS if (reason := rule(case)) is not None)
        return Decision("review" if reasons else "allow", (*reasons, last))

    def _case(self, request: Request, reservations: Sequence[Reservation]) -> Case:
        index, policy, template = self._index, self._policy, request.template
        index.refresh()
        loaded = self._templates.load(template)
        stages = frozenset(stage.id for stage in loaded.template.stages)
        now = self._clock()
        reserved = Reserved(0, 0)
        if reservations:
            reserved = reserved_now(
                reservations,
                request.counterparty,
                policy,
                now,
                lambda key: index.of_counterparty(template, key),
            )
        return Case(
            policy=policy,
            request=request,
            now=now,
            account=index.of_counterparty(template, request.counterparty),
            everyone=index.of_counterparty(template, None) if policy.window else None,
            has_roles=roles_of(loaded.name, stages) is not None,
            run_count=index.run_count(),
            reserved=reserved,
        )

    def _settle(self, request: Request, decision: Decision, session: Session) -> Decision:
        """Write down what the decision needs."""
        seconds = self._policy.reservation_seconds
        if decision.decision == "allow" and seconds is not None:
            session.reserve(request.counterparty, request.amount, request.asset, seconds)
        if decision.decision != "review":
            return decision
        review = session.open(
            request.counterparty,
            request.amount,
            request.asset,
            request.template,
            decision.reasons,
        )
        return Decision("review", decision.reasons, review.review_id)


def check_before_pay(
    guard: Guard,
    *,
    counterparty: str,
    amount: str,
    asset: str | None = None,
    template: str = DEFAULT_TEMPLATE,
) -> dict[str, object]:
    """Answer as the tool of this name does; raises like ``Guard.check``."""
    return guard.check(counterparty, amount, asset, template).to_json()
