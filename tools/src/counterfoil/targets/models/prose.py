"""Text for people, on its way into generated code."""

from __future__ import annotations

import json
from typing import Any


def shown(text: str) -> str:
    """Return text in which what cannot be seen is spelled out.

    A bidirectional control would make a docstring read otherwise than it is.
    """
    lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
    return "\n".join("".join(map(_visible, line)).rstrip() for line in lines).strip("\n")


def documented(schema: dict[str, Any], note: str = "") -> dict[str, Any]:
    """Return the ``description`` of a schema as a member, or nothing if it says nothing."""
    described = schema.get("description")
    parts = [described] if isinstance(described, str) else []
    if schema.get("deprecated") is True:
        parts.append("Deprecated.")
    text = shown("\n\n".join([*parts, note] if note else parts))
    return {"description": text} if text.strip() else {}


def defaulted(value: Any) -> str:
    """Return the sentence about a default that stands in the contract only."""
    return f"Where it is left out, the contract says {json.dumps(value, sort_keys=True)}."


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    point = ord(character)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
