"""The forms in which findings are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from counterfoil.findings.finding import Finding
from counterfoil.findings.formats.github import as_github
from counterfoil.findings.formats.junit import as_junit
from counterfoil.findings.formats.machine import as_json
from counterfoil.findings.formats.sarif import as_sarif
from counterfoil.findings.formats.text import as_text

Format = Callable[[Sequence[Finding], str], str]

# Each takes the findings and the name of the command that found them.
FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": as_text,
        "json": as_json,
        "github": as_github,
        "sarif": as_sarif,
        "junit": as_junit,
    }
)
