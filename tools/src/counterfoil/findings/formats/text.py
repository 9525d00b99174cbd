"""Findings for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.findings.finding import WARNING, Finding
from counterfoil.findings.formats.characters import one_line, own_lines


def as_text(findings: Sequence[Finding], command: str) -> str:
    """Return a few lines for each finding, and a count; nothing when there is none."""
    del command  # people know what they typed
    if not findings:
        return ""
    return "\n".join([*map(_lines, findings), _count(findings)]) + "\n"


def _lines(finding: Finding) -> str:
    kind = " (warning)" if finding.severity == WARNING else ""
    lines = [one_line(f"{finding.place}: {finding.code}{kind} {finding.message}")]
    if finding.detail:
        lines += [f"    {line}" for line in own_lines(finding.detail)]
    if finding.hint:
        lines.append(f"  hint: {one_line(finding.hint)}")
    return "\n".join(lines)


def _count(findings: Sequence[Finding]) -> str:
    warnings = sum(finding.severity == WARNING for finding in findings)
    errors = len(findings) - warnings
    parts = [
        f"{number} {noun}{'' if number == 1 else 's'}"
        for number, noun in ((errors, "error"), (warnings, "warning"))
        if number
    ]
    return ", ".join(parts)
