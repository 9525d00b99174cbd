"""Findings for people at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.findings.finding import ERROR, NOTE, WARNING, Finding
from counterfoil.findings.formats.characters import one_line, own_lines


def as_text(findings: Sequence[Finding], command: str) -> str:
    """Return a few lines for each finding, and a count; nothing when there is none."""
    del command  # people know what they typed
    if not findings:
        return ""
    return "\n".join([*map(_lines, findings), _count(findings)]) + "\n"


def _lines(finding: Finding) -> str:
    kind = f"{finding.code} ({finding.severity})"
    lines = [one_line(f"{finding.place}: {kind} {finding.message}")]
    if finding.detail:
        lines += [f"    {line}" for line in own_lines(finding.detail)]
    if finding.hint:
        lines.append(f"  hint: {one_line(finding.hint)}")
    return "\n".join(lines)


def _count(findings: Sequence[Finding]) -> str:
    counts = {
        severity: sum(finding.severity == severity for finding in findings)
        for severity in (ERROR, WARNING, NOTE)
    }
    parts = [f"{count} {noun}{'s' * (count != 1)}" for noun, count in counts.items() if count]
    return ", ".join(parts)
