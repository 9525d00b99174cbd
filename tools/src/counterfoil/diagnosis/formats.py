"""Diagnoses for people, and for programs; `doctor.schema.json` is the form of the latter."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from counterfoil.diagnosis.diagnosis import FAILURE, WARNING, Diagnosis
from counterfoil.findings.formats.characters import one_line, own_lines

VERSION = 1
SCHEMA_FILE = "doctor.schema.json"
_WIDTH = 7  # of the longest state


def as_text(diagnosis: Diagnosis) -> str:
    """Return a line, and below it what shows it and what to do."""
    head = f"{diagnosis.state:{_WIDTH}}  {diagnosis.subject}: {diagnosis.message}"
    lines = [one_line(head)]
    if diagnosis.detail:
        lines += [f"    {line}" for line in own_lines(diagnosis.detail)]
    if diagnosis.hint:
        lines.append(f"  hint: {one_line(diagnosis.hint)}")
    return "\n".join(lines) + "\n"


def as_json(diagnoses: Sequence[Diagnosis]) -> str:
    """Return one JSON object with all diagnoses."""
    document = {
        "version": VERSION,
        "command": "doctor",
        "summary": {
            "failures": count(diagnoses, FAILURE),
            "warnings": count(diagnoses, WARNING),
        },
        "diagnoses": [dataclasses.asdict(diagnosis) for diagnosis in diagnoses],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def count(diagnoses: Sequence[Diagnosis], state: str) -> int:
    """Return how many are in a state."""
    return sum(diagnosis.state == state for diagnosis in diagnoses)
