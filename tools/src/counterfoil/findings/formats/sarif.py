"""Findings as SARIF 2.1.0 (OASIS), which code scanning services read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from counterfoil import __version__
from counterfoil.findings.finding import Finding
from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Sequence[Finding], command: str) -> str:
    """Return one SARIF log with one run."""
    codes = sorted({finding.code for finding in findings})
    results = [result_of(finding, codes.index(finding.code)) for finding in findings]
    return json.dumps(log_of(codes, results, command), ensure_ascii=False, indent=2) + "\n"


def log_of(codes: Sequence[str], results: Sequence[Any], command: str) -> dict[str, Any]:
    """Return a log of results, which name their rules by their place in the codes."""
    run = {
        "tool": {
            "driver": {
                "name": "counterfoil",
                "semanticVersion": __version__,
                "rules": [_rule(RULES[code]) for code in codes],
            }
        },
        "automationDetails": {"id": f"counterfoil/{command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"PROJECT": {"description": {"text": "The project's folder."}}},
        "results": list(results),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why}\n\nFor example: {rule.example}\n\n{rule.mend}"},
        "defaultConfiguration": {"level": rule.severity},
    }


def result_of(finding: Finding, rule_index: int) -> dict[str, Any]:
    """Return one finding as a result."""
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(_raw(finding.path)), "uriBaseId": "PROJECT"}
    }
    if finding.line:
        physical["region"] = {"startLine": finding.line, "startColumn": finding.column}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": f"#{finding.pointer}"}]
    text = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    return {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": finding.severity,
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {
            "place/v1": f"{finding.code} {finding.path} {finding.pointer}",
        },
    }


def _raw(path: str) -> bytes:
    """Return a path's bytes as they are on the disk, where a name need not be UTF-8."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair, which Windows allows
        return path.encode("utf-8", "surrogatepass")
