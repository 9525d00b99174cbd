"""Say in plain sentences what a receipt proves and what it leaves open, by fixed rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from haia_trace_mcp.ecmascript import Json
from haia_trace_mcp.errors import TemplateError
from haia_trace_mcp.explain.payloads import (
    answer_of,
    cause_of,
    distinct,
    offers_of,
    service_of,
    terms_of,
)
from haia_trace_mcp.index import TraceIndex
from haia_trace_mcp.money import Assets
from haia_trace_mcp.receipts import Receipt, is_witness
from haia_trace_mcp.templates import Loaded, StageRoles, Templates, roles_of
from haia_trace_mcp.wording import counted, quoted

_LONG: Final = 400
_TRIES: Final = 3

_Event: TypeAlias = "dict[str, Json]"
_Proofs: TypeAlias = Mapping[str, Sequence[_Event]]

# What the stages of payment and outcome mean. The buyer's are told by their events; see _payment.
_MEANINGS: Final = {
    "x402-seller": (
        "A payment was verified, which is no proof that money moved.",
        "Its settlement was recorded.",
    ),
    "x402-facilitator": (
        "A payment was verified, which is no proof that money moved.",
        "Its settlement was recorded.",
    ),
    "escrow-arc": (
        "A deposit was recorded.",
        "What became of it, a withdrawal, a refund or a transfer, was recorded.",
    ),
}
BLIND_SPOT: Final = (
    "From this side, a payment that settled without its answer arriving and one that never settled "
    "leave the same receipt, and nothing in it tells which of them this is. Money may have moved."
)


def explain_operation(
    index: TraceIndex,
    templates: Templates,
    assets: Assets,
    *,
    run_id: str,
    operation_id: str,
    template: str,
) -> dict[str, object]:
    """Answer as the tool ``explain`` does.

    Raises:
        RunsError: the run cannot be used.
        UnknownRunError: there is no such run.
        UnknownOperationError: the run has no such operation.
        TemplateError: there is no such template, or it cannot be used.
        RootError: the folder of the runs cannot be read.
    """
    index.refresh()
    for _ in range(_TRIES):
        loaded = templates.load(template)
        receipt = index.receipt(run_id, operation_id, template)
        joined = index.operation(run_id, operation_id, template).joined
        if templates.load(template) == loaded:
            return {
                "run_id": run_id,
                "operation_id": operation_id,
                "template": receipt.template,
                "completeness": receipt.completeness,
                "explanation": explain(receipt, loaded, assets, joined),
            }
    raise TemplateError(f"the template {quoted(template)} changes each time it is read")


def explain(
    receipt: Receipt, template: Loaded, assets: Assets | None = None, joined: str | None = None
) -> str:
    """Return paragraphs about a receipt: the same ones for the same receipt, always.

    ``joined`` is the operation of the same run that holds the other half of the payment, where the
    index found one.
    """
    assets = assets or Assets()
    roles = roles_of(template.name, frozenset(stage.id for stage in receipt.stages))
    proofs = {
        stage.id: [
            event
            for event in receipt.events
            if any(is_witness(witness, event) for witness in stage.witnesses)
        ]
        for stage in template.template.stages
    }
    paragraphs = (
        _verdict(receipt),
        _observed(proofs),
        _not_observed(receipt),
        _money(receipt, _of_roles(receipt, proofs, roles), assets),
        _faults(receipt, template),
        _meaning(receipt, template.name, roles, proofs, joined),
        _source(receipt),
    )
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _verdict(receipt: Receipt) -> str:
    faults = counted(len(receipt.exceptions), "fault")
    required = [stage for stage in receipt.stages if stage.required]
    if receipt.completeness == "full":
        return (
            f"The receipt is full: the template {quoted(receipt.template)} requires "
            f"{counted(len(required), 'stage')}, each is proved by a recorded event, and no fault "
            "was recorded."
        )
    missing = len(receipt.missing)
    if missing:
        reason = f"{missing} of {counted(len(required), 'required stage')} not proved"
    elif any(stage.is_confirmed for stage in receipt.stages):
        reason = "every required stage is proved"
    else:
        reason = "no stage is proved"
    recorded = "was" if len(receipt.exceptions) == 1 else "were"
    if receipt.exceptions:
        reason += f", and {faults} {recorded} recorded"
    return f"The receipt is partial, read with {quoted(receipt.template)}: {reason}."


def _observed(proofs: _Proofs) -> str:
    stages = [
        f"{quoted(stage)} by {_listed(distinct(map(_seen, events), 3))}"
        for stage, events in proofs.items()
        if events
    ]
    return f"Observed: {'; '.join(stages)}." if stages else "Observed: none of the stages."


def _not_observed(receipt: Receipt) -> str:
    required = {missing.stage: missing for missing in receipt.missing}
    parts: list[str] = []
    for stage in receipt.stages:
        if stage.is_confirmed:
            continue
        missing = required.get(stage.id)
        if missing is None:
            parts.append(f"{quoted(stage.id)}, which is not required.")
            continue
        proofs = _listed(distinct(map(quoted, missing.expected_events)), "or")
        parts.append(f"{quoted(stage.id)}, which {proofs} would prove.")
        if missing.why:
            parts.append(f"The template says of that: {quoted(missing.why, _LONG)}")
    return f"Not observed: {' '.join(parts)}" if parts else ""


def _money(receipt: Receipt, proofs: Sequence[_Event], assets: Assets) -> str:
    events = receipt.events
    parts: list[str] = []
    services = distinct(map(service_of, events))
    if services:
        parts.append(f"Service, as recorded: {_listed(services)}.")
    named = distinct(terms_of(event, assets) for event in proofs)
    if named:
        parts.append(f"Terms of payment, as recorded: {'; '.join(named)}.")
    else:
        offered = distinct(offer for event in events for offer in offers_of(event, assets))
        if offered:
            parts.append(
                f"Which terms were agreed to was not recorded; offered: {'; '.join(offered)}."
            )
    answers = distinct(map(answer_of, proofs))
    if answers:
        parts.append(f"Settlement, as reported to this side: {'; '.join(answers)}.")
    return " ".join(parts)


def _faults(receipt: Receipt, template: Loaded) -> str:
    events = [
        event for event in receipt.events if event.get("event_type") in template.template.exceptions
    ]
    if not events:
        return ""
    told: list[str] = []
    for event in events:
        cause = cause_of(event)
        told.append(_seen(event) if cause is None else f"{_seen(event)}, saying {cause}")
    text = f"Faults, as recorded: {'; '.join(distinct(told))}."
    if len(events) > 1:
        text += " One failure is recorded once for each side that saw it."
    return text


def _meaning(
    receipt: Receipt,
    template: str,
    roles: StageRoles | None,
    proofs: _Proofs,
    joined: str | None,
) -> str:
    """Say what the stages of payment and outcome come to."""
    if roles is None:
        return (
            "Which stages of this template mean payment and outcome is not known here. As long as "
            "the receipt is partial, the guard counts it as open."
        )
    confirmed = {stage.id for stage in receipt.stages if stage.is_confirmed}
    is_paid, is_settled = roles.paid in confirmed, roles.settled in confirmed
    paid, settled = _MEANINGS.get(template, (_payment(proofs[roles.paid]), _OUTCOME))
    if is_paid and is_settled:
        return f"{paid} {settled}{_despite(receipt)}"
    if joined is not None:
        return _joined(joined, paid if is_paid else settled)
    if is_paid:
        doubt = BLIND_SPOT if template == "x402-buyer" else _UNRECORDED
        return f"{paid} {_NO_PROOF} {doubt}{_reported(receipt)} {_OPEN}"
    if is_settled:
        return f"{settled} The payment that it belongs to was not recorded in this operation."
    return (
        "No payment was recorded in this operation. That is no proof that none was made, but it "
        "does not count as open."
    )


_OUTCOME: Final = "An answer that reports the settlement was recorded."
_NO_PROOF: Final = "Nothing that was recorded proves its outcome."
_UNRECORDED: Final = "That may have come without being recorded here; the receipt cannot tell."
_OPEN: Final = "The guard counts the operation as open."


def _payment(proofs: Sequence[_Event]) -> str:
    """Tell a payment that was sent from one that was only asked for, as in the MCP of x402."""
    if all(event.get("event_type") == "x402.payment.requested" for event in proofs):
        return (
            "A payment was asked for. The template takes that for its being sent; no event shows "
            "that it was."
        )
    return "A payment was sent."


def _joined(joined: str, known: str) -> str:
    return (
        f"{known} The other half of this payment seems to be the operation {quoted(joined)} of the "
        "same run: a client that only speaks MCP records offer and payment under one id and the "
        "settlement under another. The two are taken for one because one holds no settlement and "
        "the other no payment, they are about the same terms, and the second came next. That is an "
        "inference, and no event says so. The guard does not count the two as open."
    )


def _despite(receipt: Receipt) -> str:
    return (
        " Faults were recorded beside it, so the receipt is partial." if receipt.exceptions else ""
    )


def _reported(receipt: Receipt) -> str:
    if not receipt.exceptions:
        return ""
    return " The recorded fault does not settle it: what was reported as failed may have settled."


def _source(receipt: Receipt) -> str:
    count = counted(len(receipt.events), "event")
    return (
        f"All of this comes from the {count} that this agent's own side recorded. What was not "
        "recorded is not proved to have not happened."
    )


def _of_roles(receipt: Receipt, proofs: _Proofs, roles: StageRoles | None) -> Sequence[_Event]:
    """Return the events that prove payment or outcome; all, where nobody knows which do."""
    if roles is None:
        return receipt.events
    return [*proofs[roles.paid], *proofs[roles.settled]]


def _seen(event: _Event) -> str:
    return f"{quoted(str(event.get('event_type')))} at {_time(event)}"


def _time(event: _Event) -> str:
    at = event.get("occurred_at")
    return quoted(at)[1:-1] if isinstance(at, str) else "a time that was not recorded"


def _listed(texts: Iterable[str], word: str = "and") -> str:
    *first, last = texts
    return f"{', '.join(first)} {word} {last}" if first else last
