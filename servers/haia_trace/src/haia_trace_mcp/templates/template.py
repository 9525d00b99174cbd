"""What a template says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """An event type that proves a stage, where ``role`` is None or is the event's."""

    event: str
    role: str | None


@dataclass(frozen=True, slots=True)
class Stage:
    """A milestone. ``explanation`` says what its absence means, where the template does."""

    id: str
    required: bool
    witnesses: tuple[Witness, ...]
    explanation: str | None


@dataclass(frozen=True, slots=True)
class Template:
    """The stages of an operation in their order, and the event types that are faults."""

    id: str
    version: float
    stages: tuple[Stage, ...]
    exceptions: frozenset[str]
