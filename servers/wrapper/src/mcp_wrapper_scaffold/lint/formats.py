"""Findings as text for people, as JSON for programs, as annotations for GitHub."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from mcp_wrapper_scaffold.console import visible
from mcp_wrapper_scaffold.lint.finding import Finding


def as_text(findings: Sequence[Finding]) -> str:
    """Return one line for each finding, its hint below, and a count; nothing for none."""
    if not findings:
        return ""
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}"
    return "\n".join([*map(_lines, findings), count]) + "\n"


def as_json(findings: Sequence[Finding]) -> str:
    """Return an object with the list of findings."""
    return (
        json.dumps({"findings": [dataclasses.asdict(each) for each in findings]}, indent=2) + "\n"
    )


def as_github(findings: Sequence[Finding]) -> str:
    """Return one workflow command a line, as GitHub Actions documents them."""
    return "".join(f"{_command(finding)}\n" for finding in findings)


FORMATS: Mapping[str, Callable[[Sequence[Finding]], str]] = MappingProxyType(
    {"text": as_text, "json": as_json, "github": as_github}
)
"""Every form by its name."""


def _lines(finding: Finding) -> str:
    line = visible(f"{finding.place}: {finding.code} {finding.message}")
    return f"{line}\n  hint: {visible(finding.hint)}" if finding.hint else line


def _command(finding: Finding) -> str:
    properties = {"file": finding.path, "title": finding.code}
    if finding.line:
        properties |= {"line": str(finding.line), "col": str(finding.column)}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message
    return f"::error {listed}::{_data(text)}"


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(escaped)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
