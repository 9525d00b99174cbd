"""Findings for programs; the form is published as ``findings.schema.json``."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence

from counterfoil.findings.finding import ERROR, NOTE, WARNING, Finding

VERSION = 1


def as_json(
    findings: Sequence[Finding],
    command: str,
    changes: Sequence[Mapping[str, str]] | None = None,
) -> str:
    """Return one JSON object with all findings, and what was done to files where that is known."""
    document: dict[str, object] = {
        "version": VERSION,
        "command": command,
        "summary": {
            "errors": sum(finding.severity == ERROR for finding in findings),
            "warnings": sum(finding.severity == WARNING for finding in findings),
            "notes": sum(finding.severity == NOTE for finding in findings),
        },
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }
    if changes is not None:
        document["changes"] = list(changes)
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
