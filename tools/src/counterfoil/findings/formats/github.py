"""Findings as workflow commands, which GitHub shows beside the line.

Source of the form: GitHub Actions, "Workflow commands", setting an error message.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.findings.finding import NOTE, Finding

# What GitHub calls a note.
_NAMES = {NOTE: "notice"}


def as_github(findings: Sequence[Finding], command: str) -> str:
    """Return one workflow command a line."""
    del command  # the title is the finding's code
    return "".join(f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    properties = {"file": finding.path, "title": finding.code}
    if finding.line:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = finding.message
    if finding.pointer:
        text = f"#{finding.pointer}: {text}"
    if finding.hint:
        text += f"\nhint: {finding.hint}"
    name = _NAMES.get(finding.severity, finding.severity)
    return f"::{name} {shown}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
