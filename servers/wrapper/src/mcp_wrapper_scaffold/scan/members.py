"""The files of an archive, read within limits, with what is wrong with how they are packed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.rules import RULES

MAX_MEMBERS: Final = 5_000
MAX_MEMBER_BYTES: Final = 16 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 64 * 1024 * 1024
MAX_RATIO: Final = 200  # text and code reach 20 or so

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class ScanError(WrapperError):
    """Say why an archive cannot be scanned at all."""


@dataclass
class Contents:
    """What is in an archive.

    Attributes:
        archive: its path as findings show it.
        files: bytes by member, of those that could be read.
        findings: what is wrong with how they are packed.
    """

    archive: str
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    findings: list[Finding] = field(default_factory=list[Finding])

    def report(self, code: str, message: str, member: str = "", hint: str = "") -> None:
        """Add a finding about a member, or about the archive as a whole."""
        self.findings.append(finding(self.archive, code, message, member, hint))

    def below(self, folder: str) -> Mapping[str, bytes]:
        """Return the files of a folder by their paths within it."""
        return {
            name.removeprefix(f"{folder}/"): content
            for name, content in self.files.items()
            if name.startswith(f"{folder}/")
        }


def finding(archive: str, code: str, message: str, member: str = "", hint: str = "") -> Finding:
    """Return a finding about a member, or about the archive as a whole."""
    path = f"{archive}!{member}" if member else archive
    return Finding(path, 0, 0, code, message, hint or RULES[code].mend)


def judge_names(contents: Contents, names: Iterable[str]) -> None:
    """Report names that lead out of the archive, or that two members share."""
    listed = list(names)
    for name in listed:
        fault = _name_fault(name)
        if fault:
            contents.report("MW202", f"the name {fault}", name)
    folded = Counter(name.rstrip("/").casefold() for name in listed)
    for name in sorted(name for name, count in folded.items() if count > 1):
        contents.report("MW202", "the name is that of another member, too", name)


def _name_fault(name: str) -> str:
    if _CONTROLS.search(name):
        return "has a control character"
    if "\\" in name:
        return "has a backslash, which some take for a slash"
    if name.startswith("/") or ":" in name:
        return "is absolute"
    return next(_segment_faults(name), "")


def _segment_faults(name: str) -> Iterator[str]:
    for segment in name.removesuffix("/").split("/"):
        if segment in ("", ".", ".."):
            yield "has an empty segment" if not segment else f"has the segment {segment}"
        elif segment[-1] in ". ":
            yield "has a segment with a dot or blank at its end, which some systems drop"
