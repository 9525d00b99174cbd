"""A rule: what a finding code means."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.findings.finding import ERROR, Severity


@dataclass(frozen=True)
class Rule:
    """Explain one finding code.

    Attributes:
        code: ``CFnnn``, never reused.
        title: what is wrong, as a noun phrase or clause.
        why: what happens to users when nobody mends it, with the source of the rule.
        example: what provokes it.
        mend: what to do.
        severity: the default; ``[tool.counterfoil.severity]`` may change it.
    """

    code: str
    title: str
    why: str
    example: str
    mend: str
    severity: Severity = ERROR
