"""Names of classes, from the titles above a schema and its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.names import class_name

_KEPT = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True)
class Place:
    """Where a schema stands, for the case that it needs a name.

    Attributes:
        scope: the class around it.
        path: what leads to it inside that class; empty for the class itself.
    """

    scope: str
    path: str = ""

    @property
    def name(self) -> str:
        """Return the name of what stands here."""
        return f"{self.scope}{self.path}"

    def inner(self, schema: Any, key: str) -> Place:
        """Return the place of a schema inside this one: by its title, or else by its key."""
        title = schema.get("title") if is_object(schema) else None
        if isinstance(title, str) and word(title):
            return Place(self.scope, word(title))
        return Place(self.scope, f"{self.path}{word(key) or _spelled(key)}")


def word(text: str) -> str:
    """Return text as a part of a class name; empty where it has no ASCII letter or digit."""
    return class_name(text) if _KEPT.search(text) else ""


def _spelled(text: str) -> str:
    return "".join(f"U{ord(character):X}" for character in text) or "Empty"
