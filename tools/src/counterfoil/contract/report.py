"""Collect findings about one JSON file, and place them in one pass."""

from __future__ import annotations

from counterfoil.contract.source import locate
from counterfoil.findings import Finding, rule


class Report:
    """Gather findings by pointer; lines and columns are found at the end, together.

    Args:
        path: the file as findings show it.
        text: its text, which is known to parse as JSON.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._text = text
        self._drafts: list[tuple[str, str, str, str, str]] = []

    def __len__(self) -> int:
        return len(self._drafts)

    def pointers(self) -> set[str]:
        """Return where something was noted."""
        return {draft[0] for draft in self._drafts}

    def add(self, code: str, pointer: str, message: str, hint: str = "", detail: str = "") -> None:
        """Note one finding. Without a hint it carries its rule's mend."""
        self._drafts.append((pointer, code, message, hint or rule(code).mend, detail))

    def findings(self) -> tuple[Finding, ...]:
        """Return what was noted, placed and sorted."""
        if not self._drafts:
            return ()
        places = locate(self._text, {draft[0] for draft in self._drafts})
        found = {
            Finding(
                path=self.path,
                line=places[pointer][0],
                column=places[pointer][1],
                pointer=pointer,
                code=code,
                message=message,
                hint=hint,
                severity=rule(code).severity,
                detail=detail,
            )
            for pointer, code, message, hint, detail in self._drafts
        }
        return tuple(sorted(found))
