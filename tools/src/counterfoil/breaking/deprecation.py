"""Announced removals: what a contract has said would go, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfoil.contract.values import members, text

KEY = "x-deprecated"


@dataclass(frozen=True)
class Announcement:
    """A removal that was announced.

    Attributes:
        date: the day from which it is no surprise, ``YYYY-MM-DD``.
        replacement: what to use instead; may be empty.
    """

    date: str
    replacement: str = ""

    def due(self, today: str) -> bool:
        """Say whether the day has come; days are ``YYYY-MM-DD``."""
        return bool(self.date) and self.date <= today


def announced(data: Any) -> Announcement | None:
    """Return what an entry, or the schema of a member, announces of its end.

    An entry says it in ``deprecated``, with ``date`` and ``replacement``. A schema has
    ``"deprecated": true``, as JSON Schema knows it, and the same two in ``x-deprecated``.
    """
    said = members(data).get("deprecated")
    if said is True:
        said = members(data).get(KEY)
    found = members(said)
    if "date" not in found:
        return None
    return Announcement(text(found["date"]), text(found.get("replacement")))
