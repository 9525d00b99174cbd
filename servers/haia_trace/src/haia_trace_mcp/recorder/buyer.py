"""A buyer's hooks in the ``x402`` package, which is not imported: objects are only looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from haia_trace_mcp.recorder.fields import error_of, offer_of, settlement_of, terms_of
from haia_trace_mcp.recorder.operations import Operations

if TYPE_CHECKING:
    from haia_trace_mcp.recorder.recorder import Recorder

Hook = Callable[[Any], None]
Made = tuple[str, dict[str, Any], str | None]
Wanted = tuple[str, object, str, Hook]
_ROLE: Final = "client"


class PaymentHooks(Protocol):
    """What is asked of an ``x402Client`` or ``x402ClientSync``."""

    def on_before_payment_creation(self, hook: Hook, /) -> object:
        """Call a hook before a payment is signed."""
        ...

    def on_after_payment_creation(self, hook: Hook, /) -> object:
        """Call a hook after a payment is signed."""
        ...

    def on_payment_creation_failure(self, hook: Hook, /) -> object:
        """Call a hook after a payment could not be signed."""
        ...

    def on_payment_response(self, hook: Hook, /) -> object:
        """Call a hook after the seller said what became of a payment."""
        ...


class HttpHooks(Protocol):
    """What is asked of an ``x402HTTPClient`` or ``x402HTTPClientSync``."""

    def on_payment_required(self, hook: Hook, /) -> object:
        """Call a hook after a seller made an offer."""
        ...


class McpHooks(Protocol):
    """What is asked of an ``x402MCPClient`` or ``x402MCPClientSync``."""

    def on_payment_required(self, hook: Hook, /) -> object:
        """Call a hook after a tool made an offer."""
        ...

    def on_before_payment(self, hook: Hook, /) -> object:
        """Call a hook before a tool is paid."""
        ...

    def on_after_payment(self, hook: Hook, /) -> object:
        """Call a hook after a tool was paid."""
        ...


class Buyer:
    """The hooks of one client; their names in the run are those of the original's package."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def attach(self, client: PaymentHooks, http: HttpHooks | None, mcp: McpHooks | None) -> None:
        """Hook into a client and what is around it, and record which hooks there were."""
        wanted: list[Wanted] = [
            ("onBeforePaymentCreation", client, "on_before_payment_creation", self._creating),
            ("onAfterPaymentCreation", client, "on_after_payment_creation", self._created),
            ("onPaymentCreationFailure", client, "on_payment_creation_failure", self._failed),
            ("onPaymentResponse", client, "on_payment_response", self._responded),
        ]
        if http is not None:
            wanted.append(("onPaymentRequired", http, "on_payment_required", self._required))
        self._hook_into(wanted, "client" if http is None else "httpClient")
        if mcp is not None:
            calling: list[Wanted] = [
                ("onPaymentRequired", mcp, "on_payment_required", self._required),
                ("onBeforePayment", mcp, "on_before_payment", self._requested),
                ("onAfterPayment", mcp, "on_after_payment", self._called),
            ]
            self._hook_into(calling, "mcpClient")

    def _hook_into(self, wanted: list[Wanted], kind: str) -> None:
        attached: list[str] = []
        missing: list[str] = []
        for name, owner, method, hook in wanted:
            register: object = getattr(owner, method, None)
            if callable(register):
                register(hook)
                attached.append(name)
            else:
                missing.append(name)
        record = self._recorder.record
        if not attached:
            record("trace.attach_failed", "unknown", {"kind": "unknown", "attached": []})
        elif missing:
            told = {"kind": kind, "attached": attached, "missing": missing}
            record("trace.attach_partial", _ROLE, told)
        else:
            record("trace.attached", _ROLE, {"kind": kind, "attached": attached})

    def _required(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            offer = context.payment_required
            payload = {**offer_of(offer), **_tool(context)}
            return "x402.payment.required", payload, operations.begin(offer)

        self._recorder.take("onPaymentRequired", _ROLE, make)

    def _requested(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            offer = context.payment_required
            payload = {**offer_of(offer), **_tool(context)}
            return "x402.payment.requested", payload, operations.begin(offer)

        self._recorder.take("onBeforePayment", _ROLE, make)

    def _called(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            payment = context.payment_payload
            kind, told = _outcome(context)
            payload = {**terms_of(payment, payment.accepted), **told, **_tool(context)}
            return kind, payload, operations.of_payment(payment)

        self._recorder.take("onAfterPayment", _ROLE, make)

    def _creating(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            offer = context.payment_required
            payload = terms_of(offer, context.selected_requirements)
            return "x402.payment.creating", payload, operations.begin(offer)

        self._recorder.take("onBeforePaymentCreation", _ROLE, make)

    def _created(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            offer, payment = context.payment_required, context.payment_payload
            # The terms that were signed; payments of version 1 do not repeat them.
            signed = getattr(payment, "accepted", None) or context.selected_requirements
            return (
                "x402.payment.submitted",
                terms_of(offer, signed),
                operations.sign(offer, payment),
            )

        self._recorder.take("onAfterPaymentCreation", _ROLE, make)

    def _failed(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            offer = context.payment_required
            payload = terms_of(offer, context.selected_requirements)
            told = {**payload, "error": error_of(context.error)}
            return "x402.payment.creation_failed", told, operations.fail(offer)

        self._recorder.take("onPaymentCreationFailure", _ROLE, make)

    def _responded(self, context: Any) -> None:
        def make(operations: Operations) -> Made:
            payment = context.payment_payload
            kind, told = _outcome(context)
            payload = {**terms_of(payment, context.requirements), **told}
            return kind, payload, operations.of_payment(payment)

        self._recorder.take("onPaymentResponse", _ROLE, make)


def _outcome(context: Any) -> tuple[str, dict[str, Any]]:
    """Return what became of a payment, as far as its buyer was told."""
    settlement = context.settle_response
    if settlement is not None:
        kind = "x402.payment.responded" if settlement.success is True else "x402.settle.failed"
        return kind, {"settle": settlement_of(settlement)}
    offer: object = getattr(context, "payment_required", None)
    if offer is not None:
        return "x402.verify.failed", {"payment_required": offer_of(offer)}
    error: object = getattr(context, "error", None)
    return "x402.payment.failed", {} if error is None else {"error": error_of(error)}


def _tool(context: Any) -> dict[str, str]:
    """Return the name of the tool that costs money, if it is one."""
    name: object = getattr(context, "tool_name", None)
    return {"tool_name": name} if isinstance(name, str) else {}
