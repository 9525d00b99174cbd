"""The page of all rules, ``docs/rules.md``."""

from __future__ import annotations

from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import RULES

_OPENING = """\
Every finding has a code; a code is never used again for something else.
`counterfoil rules CODE` prints the same text. `[tool.counterfoil.severity]` changes a severity
to `error`, `warning`, `note` or `off`.
"""
_FAMILIES = {
    "1": "The contract",
    "2": "Generated files",
    "3": "Parity",
    "4": "Breaking changes",
    "5": "Layout",
    "6": "Locked servers",
}


def page() -> str:
    """Return the page: every rule with what, why, an example and the mend."""
    parts = [
        "# Rules\n",
        _OPENING,
    ]
    family = ""
    for rule in RULES.values():
        if rule.code[2] != family:
            family = rule.code[2]
            parts.append(f"## {_FAMILIES[family]} (CF{family}xx)\n")
        parts.append(section(rule, heading="###"))
    return "\n".join(parts)


def section(rule: Rule, heading: str = "") -> str:
    """Return one rule as Markdown, or as plain text without a heading mark."""
    mark = f"{heading} " if heading else ""
    lines = [
        f"{mark}{rule.code}: {rule.title}",
        "",
        f"Severity: {rule.severity}.",
        "",
        rule.why,
        "",
        f"For example: {rule.example}",
        "",
        f"Mend: {rule.mend}",
        "",
    ]
    return "\n".join(lines)
