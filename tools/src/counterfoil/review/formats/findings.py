"""A review in the forms of findings, which build servers and code scanning services read."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from counterfoil.findings import Finding
from counterfoil.findings.formats.characters import own_lines
from counterfoil.findings.formats.github import as_github as findings_as_github
from counterfoil.findings.formats.junit import as_junit as findings_as_junit
from counterfoil.findings.formats.sarif import log_of, result_of
from counterfoil.review.formats import sentences
from counterfoil.review.formats.machine import change_of
from counterfoil.review.weighing import Review, Verdict

_COMMAND = "breaking"


def finding_of(review: Review, verdict: Verdict) -> Finding:
    """Return a change as a finding about the target; its witness is the detail."""
    change = verdict.change
    line, column = verdict.target
    detail: list[str] = []
    if change.witness is not None:
        detail += [f"{lead}: {what}" for lead, what in sentences.witness_lines(change.witness)]
    if verdict.acceptance is not None:
        detail.append(f"accepted: {sentences.acceptance(verdict)}")
    return Finding(
        path=review.target.path,
        line=line,
        column=column,
        pointer=change.target or "",
        code=change.code,
        message=f"{change.klass}: {verdict.message}",
        hint=change.hint,
        severity=verdict.severity,
        detail="\n".join([*detail, f"fingerprint: {change.fingerprint}"]),
    )


def as_github(review: Review) -> str:
    """Return one workflow command a change, with its witness: GitHub shows the message alone."""
    found = [finding_of(review, verdict) for verdict in review.verdicts]
    told = [
        dataclasses.replace(each, message="\n".join(own_lines(f"{each.message}\n{each.detail}")))
        for each in found
    ]
    return findings_as_github([*told, *review.findings], _COMMAND)


def as_junit(review: Review) -> str:
    """Return one test suite: a case for each change."""
    found = [finding_of(review, verdict) for verdict in review.verdicts]
    return findings_as_junit([*found, *review.findings], _COMMAND)


def as_sarif(review: Review) -> str:
    """Return one SARIF log; an accepted change is a result that was suppressed."""
    found = [finding_of(review, verdict) for verdict in review.verdicts]
    codes = sorted({finding.code for finding in (*found, *review.findings)})
    results = [
        _result(verdict, result_of(finding, codes.index(finding.code)))
        for verdict, finding in zip(review.verdicts, found, strict=True)
    ]
    results += [result_of(finding, codes.index(finding.code)) for finding in review.findings]
    log = log_of(codes, results, _COMMAND)
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(verdict: Verdict, result: dict[str, Any]) -> dict[str, Any]:
    change = verdict.change
    parts = [result["message"]["text"]]
    if change.witness is not None:
        parts += [f"{lead}: {what}" for lead, what in sentences.witness_lines(change.witness)]
    made = {
        **result,
        "message": {"text": "\n".join(parts)},
        "partialFingerprints": {"change/v1": change.fingerprint},
        "properties": {key: value for key, value in change_of(verdict).items() if key in _KEPT},
    }
    if verdict.acceptance is not None:
        made["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": sentences.acceptance(verdict),
            }
        ]
    return made


_KEPT = frozenset({"at", "base", "class", "levels", "witness"})
