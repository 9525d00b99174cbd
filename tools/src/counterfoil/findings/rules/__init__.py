"""Every rule there is, by code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import accepted, breaking, contract, generated, locked, parity

_FAMILIES = (
    contract.RULES,
    generated.RULES,
    parity.RULES,
    breaking.RULES,
    accepted.RULES,
    locked.RULES,
)

RULES: Mapping[str, Rule] = MappingProxyType(
    {entry.code: entry for family in _FAMILIES for entry in family}
)
if len(RULES) != sum(map(len, _FAMILIES)):
    raise AssertionError("a finding code is used twice")


def rule(code: str) -> Rule:
    """Return the rule of a code; raise ``KeyError`` for a code that is none."""
    return RULES[code]
