"""Text for people, on its way into generated code."""

from __future__ import annotations

import json
import re
from typing import Any

# Controls, blanks that are not a space, and what has no shape: soft hyphen, joiners, marks of
# direction, fillers, tags. Ranges and not ``str.isprintable``, which follows the Unicode tables
# of the interpreter: the same contract gives the same bytes on every version of Python.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u1680\u17b4\u17b5"
    "\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\uf8ff\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def shown(text: str) -> str:
    """Return text in which what cannot be seen is spelled out.

    A bidirectional control would make a docstring read otherwise than it is.
    """
    lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
    return "\n".join(_UNSEEN.sub(_spelled, line).rstrip() for line in lines).strip("\n")


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


def _spelled(found: re.Match[str]) -> str:
    point = ord(found[0])
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
