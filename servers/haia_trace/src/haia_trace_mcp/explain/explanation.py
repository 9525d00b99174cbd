"""Say in plain sentences what a receipt proves and what it leaves open, by fixed rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from haia_trace_mcp.ecmascript import Json
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
from haia_trace_mcp.quoting import quoted
from haia_trace_mcp.receipts import Receipt, StageResult
from haia_trace_mcp.templates import Loaded, StageRoles, Templates, roles_of

_LONG: Final = 400

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
    receipt = index.receipt(run_id, operation_id, template)
    joined = index.operation(run_id, operation_id, template).joined
    return {
        "run_id": run_id,
        "operation_id": operation_id,
        "template": receipt.template,
        "completeness": receipt.completeness,
        "explanation": explain(receipt, templates.load(template), assets, joined),
    }


def explain(
    receipt: Receipt, template: Loaded, assets: Assets | None = None, joined: str | None = None
) -> str:
    """Return paragraphs about a receipt: the same ones for the same receipt, always.

    ``joined`` is the operation of the same run that holds the other half of the payment, where the
    index found one.
    """
    assets = assets or Assets()
    roles = roles_of(template.name, frozenset(stage.id for stage in receipt.stages))
    paragraphs = (
        _verdict(receipt),
        _observed(receipt),
        _not_observed(receipt),
        _money(receipt, roles, assets),
        _faults(receipt),
        _meaning(receipt, template.name, roles, joined),
        _source(receipt),
    )
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _verdict(receipt: Receipt) -> str:
    faults = _counted(len(receipt.exceptions), "fault")
    required = [stage for stage in receipt.stages if stage.required]
    if receipt.completeness == "full":
        return (
            f"The receipt is full: the template {quoted(receipt.template)} requires "
            f"{_counted(len(required), 'stage')}, each is proved by a recorded event, and no fault "
            "was recorded."
        )
    missing = len(receipt.missing)
    if missing:
        reason = f"{missing} of {_counted(len(required), 'required stage')} not proved"
    elif any(stage.is_confirmed for stage in receipt.stages):
        reason = "every required stage is proved"
    else:
        reason = "no stage is proved"
    recorded = "was" if len(receipt.exceptions) == 1 else "were"
    if receipt.exceptions:
        reason += f", and {faults} {recorded} recorded"
    return f"The receipt is partial, read with {quoted(receipt.template)}: {reason}."


def _observed(receipt: Receipt) -> str:
    stages = [
        f"{quoted(stage.id)} by {_listed(_times(receipt, stage))}"
        for stage in receipt.stages
        if stage.is_confirmed
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


def _money(receipt: Receipt, roles: StageRoles | None, assets: Assets) -> str:
    events = receipt.events
    proofs = list(_proofs(receipt, roles))
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


def _faults(receipt: Receipt) -> str:
    if not receipt.exceptions:
        return ""
    by_id = _by_id(receipt)
    told: list[str] = []
    for fault in receipt.exceptions:
        event = by_id.get(fault.event_id) if isinstance(fault.event_id, str) else None
        cause = None if event is None else cause_of(event)
        at = "" if event is None else f" at {_time(event)}"
        told.append(f"{quoted(fault.event_type)}{at}{'' if cause is None else f', saying {cause}'}")
    text = f"Faults, as recorded: {'; '.join(distinct(told))}."
    if len(receipt.exceptions) > 1:
        text += " One failure is recorded once for each side that saw it."
    return text


def _meaning(receipt: Receipt, template: str, roles: StageRoles | None, joined: str | None) -> str:
    """Say what the stages of payment and outcome come to."""
    if roles is None:
        return (
            "Which stages of this template mean payment and outcome is not known here. As long as "
            "the receipt is partial, the guard counts it as open."
        )
    confirmed = {stage.id for stage in receipt.stages if stage.is_confirmed}
    is_paid, is_settled = roles.paid in confirmed, roles.settled in confirmed
    paid, settled = _MEANINGS.get(template, (_payment(receipt, roles), _OUTCOME))
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


def _payment(receipt: Receipt, roles: StageRoles) -> str:
    """Tell a payment that was sent from one that was only asked for, as in the MCP of x402."""
    proofs = _proofs(receipt, StageRoles(roles.paid, roles.paid))
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
    count = _counted(len(receipt.events), "event")
    return (
        f"All of this comes from the {count} that this agent's own side recorded. What was not "
        "recorded is not proved to have not happened."
    )


def _proofs(receipt: Receipt, roles: StageRoles | None) -> Iterator[dict[str, Json]]:
    """Yield the events that prove payment or outcome; all, where nobody knows which do."""
    if roles is None:
        yield from receipt.events
        return
    by_id = _by_id(receipt)
    for stage in receipt.stages:
        if stage.id in (roles.paid, roles.settled):
            for event_id in stage.events:
                if isinstance(event_id, str):
                    yield by_id[event_id]


def _times(receipt: Receipt, stage: StageResult) -> list[str]:
    by_id = _by_id(receipt)
    told = (
        f"{quoted(str(event.get('event_type')))} at {_time(event)}"
        for event_id in stage.events
        if isinstance(event_id, str)
        for event in [by_id[event_id]]
    )
    return distinct(told, 3)


def _by_id(receipt: Receipt) -> dict[str, dict[str, Json]]:
    """Return events by id; of several with one id, the first."""
    found: dict[str, dict[str, Json]] = {}
    for event in receipt.events:
        event_id = event.get("event_id")
        if isinstance(event_id, str):
            found.setdefault(event_id, event)
    return found


def _time(event: dict[str, Json]) -> str:
    at = event.get("occurred_at")
    return quoted(at)[1:-1] if isinstance(at, str) else "a time that was not recorded"


def _listed(texts: Iterable[str], word: str = "and") -> str:
    *first, last = texts
    return f"{', '.join(first)} {word} {last}" if first else last


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
