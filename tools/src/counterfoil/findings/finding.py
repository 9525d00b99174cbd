"""One thing that a check found, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]
ERROR: Severity = "error"
WARNING: Severity = "warning"
NOTE: Severity = "note"


@dataclass(frozen=True, order=True)
class Finding:
    """Say what is wrong, where, and how to mend it.

    Attributes:
        path: the file, relative to the project, with forward slashes; or a server's id.
        pointer: RFC 6901 pointer into the file without the leading ``#``; ``""`` is the whole.
        code: ``CFnnn``; every code is a rule of :data:`counterfoil.findings.RULES`.
        message: one clause, without code and place.
        hint: what to do; may be empty.
        line, column: 1-based, 0 when there is no such place.
        severity: a warning does not make a command fail unless it is asked to be strict; a
            note never does.
        detail: lines that help to see it (a diff); may be empty.
    """

    path: str
    line: int
    column: int
    pointer: str
    code: str
    message: str
    hint: str = ""
    severity: Severity = ERROR
    detail: str = ""

    @property
    def place(self) -> str:
        """Give the place as people click it: ``path:line:column #/pointer``."""
        spot = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        return f"{spot} #{self.pointer}" if self.pointer else spot
