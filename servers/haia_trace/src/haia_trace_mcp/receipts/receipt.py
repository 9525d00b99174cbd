"""One operation's receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from haia_trace_mcp.ecmascript import UNDEFINED, Json, Undefined, print_json
from haia_trace_mcp.templates import Stage, Template, Witness

Completeness = Literal["full", "partial"]


@dataclass(frozen=True, slots=True)
class StageResult:
    """A stage and the ids of the events that prove it, in order; none: not confirmed."""

    id: str
    required: bool
    events: tuple[Json, ...]

    @property
    def is_confirmed(self) -> bool:
        """Tell whether at least one event proves the stage."""
        return bool(self.events)


@dataclass(frozen=True, slots=True)
class MissingStage:
    """A required stage that nothing proves; ``why`` is what the template says about that."""

    stage: str
    expected_events: tuple[str, ...]
    why: str | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A recorded fault."""

    event_type: str
    event_id: Json | Undefined


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the events of one operation prove; ``events`` are they, as recorded and in order."""

    template: str
    version: float
    operation_id: Json
    completeness: Completeness
    stages: tuple[StageResult, ...]
    missing: tuple[MissingStage, ...]
    exceptions: tuple[Fault, ...]
    events: tuple[dict[str, Json], ...]

    def to_json(self) -> dict[str, Json]:
        """Return the receipt as the original prints it, in its order of keys."""
        return {
            "operation": {
                "template": self.template,
                "version": self.version,
                "operation_id": self.operation_id,
            },
            "completeness": self.completeness,
            "stages": [
                {
                    "id": stage.id,
                    "required": stage.required,
                    "state": "confirmed" if stage.is_confirmed else "not_confirmed",
                    "events": list(stage.events),
                }
                for stage in self.stages
            ],
            "missing": [_missing(each) for each in self.missing],
            "exceptions": [_fault(each) for each in self.exceptions],
            "events": list(self.events),
        }

    def text(self) -> str:
        """Return the receipt as the original stores it: two spaces a level, a final line feed."""
        return print_json(self.to_json()) + "\n"


def make_receipt(
    operation_id: Json, events: Sequence[dict[str, Json]], template: Template
) -> Receipt:
    """Fold an operation's events, which are in order already, through a template.

    No event is taken for a repetition of another one; stages need not be closed in their order;
    roles do not matter for faults.
    """
    stages = tuple(_prove(stage, events) for stage in template.stages)
    missing = tuple(
        MissingStage(stage.id, tuple(each.event for each in stage.witnesses), stage.explanation)
        for stage, result in zip(template.stages, stages, strict=True)
        if stage.required and not result.is_confirmed
    )
    faults = tuple(
        Fault(kind, event.get("event_id", UNDEFINED))
        for event in events
        if isinstance(kind := event.get("event_type"), str) and kind in template.exceptions
    )
    is_full = not missing and not faults and any(stage.is_confirmed for stage in stages)
    return Receipt(
        template=template.id,
        version=template.version,
        operation_id=operation_id,
        completeness="full" if is_full else "partial",
        stages=stages,
        missing=missing,
        exceptions=faults,
        events=tuple(events),
    )


def _prove(stage: Stage, events: Sequence[dict[str, Json]]) -> StageResult:
    proof = tuple(
        event.get("event_id")
        for event in events
        if any(is_witness(each, event) for each in stage.witnesses)
    )
    return StageResult(stage.id, stage.required, proof)


def is_witness(witness: Witness, event: dict[str, Json]) -> bool:
    """Tell whether an event proves the stage of a witness."""
    return witness.event == event.get("event_type") and (
        witness.role is None or witness.role == event.get("role")
    )


def _missing(missing: MissingStage) -> dict[str, Json]:
    found: dict[str, Json] = {
        "stage": missing.stage,
        "expected_events": list(missing.expected_events),
    }
    return found if missing.why is None else {**found, "why": missing.why}


def _fault(fault: Fault) -> dict[str, Json]:
    if isinstance(fault.event_id, Undefined):
        return {"event_type": fault.event_type}
    return {"event_type": fault.event_type, "event_id": fault.event_id}
