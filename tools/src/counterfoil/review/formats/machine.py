"""A review for programs; the form is published as ``breaking.schema.json``."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from counterfoil.contract.source import Place
from counterfoil.editions.edition import Edition
from counterfoil.findings import ERROR, NOTE, WARNING
from counterfoil.review.weighing import Review, Verdict

VERSION = 1


def as_json(review: Review) -> str:
    """Return one JSON object with all changes."""
    severities = [verdict.severity for verdict in review.verdicts]
    severities += [finding.severity for finding in review.findings]
    counted = review.open
    document = {
        "version": VERSION,
        "command": "breaking",
        "base": _edition(review.base),
        "target": _edition(review.target),
        "summary": {
            "errors": severities.count(ERROR),
            "warnings": severities.count(WARNING),
            "notes": severities.count(NOTE),
            **{klass: counted[klass] for klass in _CLASSES},
            "accepted": len(review.accepted),
            "hidden": review.hidden,
        },
        "versions": [
            {
                "server": server,
                "needs": verdict.needs,
                "has": verdict.has,
                "base": verdict.base,
                "target": verdict.target,
                "enough": verdict.enough if verdict.has is not None else None,
            }
            for server, verdict in sorted(review.versions.items())
        ],
        "uncompared": list(review.uncompared),
        "changes": [change_of(verdict) for verdict in review.verdicts],
        "findings": [dataclasses.asdict(finding) for finding in review.findings],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_CLASSES = ("breaking", "security", "undecided", "behaviour", "additive")


def change_of(verdict: Verdict) -> dict[str, Any]:
    """Return one change as the published form has it."""
    change, spot = verdict.change, verdict.change.spot
    accepted = verdict.acceptance
    return {
        "fingerprint": change.fingerprint,
        "code": change.code,
        "class": change.klass,
        "levels": sorted(change.levels),
        "severity": verdict.severity,
        "at": verdict.at,
        "server": spot.server,
        "kind": spot.kind,
        "name": spot.name,
        "path": spot.path,
        "message": verdict.message,
        "hint": change.hint,
        "base": _place(change.base, verdict.base),
        "target": _place(change.target, verdict.target),
        "witness": None if change.witness is None else _witness(verdict),
        "accepted": None
        if accepted is None
        else {"reason": accepted.reason, "until": accepted.until or None},
    }


def _witness(verdict: Verdict) -> dict[str, Any]:
    witness = verdict.change.witness
    assert witness is not None  # the caller has looked
    return {
        "tool": witness.tool,
        "direction": witness.direction,
        "value": witness.value,
        "reason": witness.reason,
        "refused": witness.refused,
    }


def _place(pointer: str | None, place: Place) -> dict[str, Any] | None:
    if pointer is None:
        return None
    return {"pointer": pointer, "line": place[0], "column": place[1]}


def _edition(edition: Edition) -> dict[str, str]:
    return {"path": edition.path, "about": edition.about}
