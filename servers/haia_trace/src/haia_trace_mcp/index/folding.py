"""What a template says of the kinds of events in one run."""

from __future__ import annotations

from dataclasses import dataclass

from haia_trace_mcp.index.columns import Kind
from haia_trace_mcp.receipts import Completeness
from haia_trace_mcp.templates import Loaded, StageRoles, roles_of


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which stages an event proves, as bits by the stage's place, and whether it is a fault."""

    stages: int
    is_fault: bool


class Reading:
    """A template, made ready for folding events by their kinds."""

    def __init__(self, loaded: Loaded) -> None:
        template = loaded.template
        names = [stage.id for stage in template.stages]
        self.template = template
        self.roles: StageRoles | None = roles_of(loaded.name, frozenset(names))
        self.required = self.mask({stage.id for stage in template.stages if stage.required})
        self.paid = self.mask({self.roles.paid}) if self.roles else 0
        self.settled = self.mask({self.roles.settled}) if self.roles else 0

    def mask(self, names: set[str]) -> int:
        """Return the bits of stages."""
        return sum(
            1 << place for place, stage in enumerate(self.template.stages) if stage.id in names
        )

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the stages of bits, in the template's order."""
        stages = enumerate(self.template.stages)
        return tuple(stage.id for place, stage in stages if mask >> place & 1)

    def meaning(self, kind: Kind) -> Meaning:
        """Return what events of a kind mean."""
        event, role = kind
        proved = {
            stage.id
            for stage in self.template.stages
            if any(
                witness.event == event and witness.role in (None, role)
                for witness in stage.witnesses
            )
        }
        return Meaning(self.mask(proved), event in self.template.exceptions)

    def completeness(self, mask: int, faults: int) -> Completeness:
        """Return the verdict over an operation."""
        is_full = mask and not faults and not self.required & ~mask
        return "full" if is_full else "partial"
