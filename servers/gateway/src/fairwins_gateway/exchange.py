"""The course of one answer: switches, who is calling, what it costs, the work, the receipt."""

from __future__ import annotations

from dataclasses import dataclass

from fairwins_gateway.admission import Caller, admit, count, count_public, screen
from fairwins_gateway.document import Operation
from fairwins_gateway.errors import PaymentRefusal, Refusal
from fairwins_gateway.faults import SWITCHES
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.messages import Inbound, Reply, envelope
from fairwins_gateway.payments.offers import asking_price, offer, requirement
from fairwins_gateway.payments.payloads import find_payments, read_payment
from fairwins_gateway.payments.settlements import require_unspent, settle
from fairwins_gateway.routes.binding import Call, Handlers

# A price takes the place of these refusals and of no other: whoever is refused for a reason that
# money does not remedy is not asked for any.
FOR_SALE_INSTEAD = frozenset(
    {
        "invalid_token",
        "invalid_signature",
        "token_expired",
        "token_ttl_exceeded",
        "token_revoked",
        "membership_required",
    }
)
NOTHING_PAID = "no payment came with the request; the operation has a price"


@dataclass(frozen=True)
class Exchange:
    """Answer requests to a gateway's operations."""

    gateway: Gateway
    handlers: Handlers

    def answer(self, operation: Operation, inbound: Inbound) -> Reply:
        """Return the answer to a request, whatever it is. Blocks: it reads the database."""
        try:
            self._pass_gates(operation)
            if operation.auth != "bearer":
                count_public(self.gateway, operation, inbound.address)
                return self._work(operation, inbound, Caller(""))
            return self._answer_member(operation, inbound)
        except Refusal as refusal:
            return envelope(refusal)

    def _pass_gates(self, operation: Operation) -> None:
        switch = SWITCHES.get(self.gateway.faults.value("kill-switch") or "", "")
        if operation.lists(503, switch):
            raise Refusal(503, switch, "the operator of this gateway has stopped it for now")
        self.gateway.fail_at("gate", operation)

    def _answer_member(self, operation: Operation, inbound: Inbound) -> Reply:
        price = asking_price(self.gateway, operation.kind)
        if price and self.gateway.faults.value("not-an-offer") is not None:
            raise Refusal(402, "payment_required", "the sandbox was told to ask without an offer")
        if price and self.gateway.faults.value("offer") is not None:
            return self._sell(operation, inbound, price, ("payment_required", NOTHING_PAID))
        try:
            caller = admit(self.gateway, operation, inbound.header("authorization"))
        except Refusal as refusal:
            if not price or refusal.code not in FOR_SALE_INSTEAD:
                raise
            why = (refusal.code, refusal.reason)
            if not inbound.header("authorization"):
                why = ("payment_required", NOTHING_PAID)
            return self._sell(operation, inbound, price, why)
        return self._work(operation, inbound, caller)

    def _sell(
        self, operation: Operation, inbound: Inbound, price: int, why: tuple[str, str]
    ) -> Reply:
        """Answer for a payment where a token does not do; ``why`` it does not is code and reason.

        The work comes before the settlement, so a request that fails costs nothing.
        """
        found = find_payments(inbound)
        if not found:
            return offer(self.gateway, operation, inbound, price, why)
        try:
            wanted = requirement(self.gateway, price)
            payment = read_payment(found, wanted, self.gateway.clock.seconds())
            require_unspent(self.gateway, payment)
            screen(self.gateway, operation, payment.payer)
            count(self.gateway, operation, payment.payer)
            reply = self._work(operation, inbound, Caller(payment.payer))
            receipt = settle(self.gateway, operation, payment)
        except PaymentRefusal as fault:
            return offer(self.gateway, operation, inbound, price, (fault.code, fault.reason))
        return Reply(reply.status, reply.body, {payment.receipt_header: receipt})

    def _work(self, operation: Operation, inbound: Inbound, caller: Caller) -> Reply:
        self.gateway.fail_at("work", operation)
        return self.handlers[operation.id](Call(self.gateway, operation, caller, inbound))
