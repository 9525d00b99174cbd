"""CF3xx: where two descriptions of the same surface disagree."""

from counterfoil.findings.rule import Rule

RULES: tuple[Rule, ...] = ()
