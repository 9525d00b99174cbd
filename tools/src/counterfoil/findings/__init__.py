"""Findings: what the checks exist to report."""

from counterfoil.findings.finding import ERROR, NOTE, WARNING, Finding, Severity
from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import RULES, rule

__all__ = ["ERROR", "NOTE", "RULES", "WARNING", "Finding", "Rule", "Severity", "rule"]
