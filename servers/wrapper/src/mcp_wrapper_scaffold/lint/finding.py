"""One thing that a check of a wrapper found, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """Say what is wrong, where, and what to do.

    Attributes:
        path: the file; a member of an archive goes by ``ARCHIVE!MEMBER``.
        line, column: 1-based; 0 where there is no such place.
        code: ``MWnnn``, one of :data:`mcp_wrapper_scaffold.lint.rules.RULES`.
        message: one sentence.
        hint: what to do; may be empty.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""

    @property
    def place(self) -> str:
        """Return the place as people click it."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path
