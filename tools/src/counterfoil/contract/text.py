"""Characters that no target can be trusted with."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object

# Embeddings, overrides, isolates and marks: Unicode UAX #9, CVE-2021-42574.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ALLOWED_CONTROLS = frozenset("\n\t")
# What a refused character looks like in JSON text: itself, or an escape that may stand for it.
_SUSPECT = re.compile(rf"\\[bfru]|[\x7f-\x9f{''.join(sorted(_BIDI))}]")


def is_suspect(text: str) -> bool:
    """Say whether JSON text may hold a character that is refused; a quick look at the whole."""
    return _SUSPECT.search(text) is not None


def judge_text(value: Any, report: Report, pointer: str = "") -> None:
    """Report every string, key or value, with a character that is refused (CF106)."""
    if isinstance(value, str):
        _judge(value, report, pointer)
    elif is_object(value):
        for key, member in value.items():
            child = f"{pointer}/{escape(key)}"
            _judge(key, report, child)
            judge_text(member, report, child)
    elif is_array(value):
        for index, member in enumerate(value):
            judge_text(member, report, f"{pointer}/{index}")


def _judge(text: str, report: Report, pointer: str) -> None:
    if text.isascii() and text.isprintable():
        return
    for character in text:
        name = _refused(character)
        if name:
            report.add("CF106", pointer, f"text holds U+{ord(character):04X}, {name}")
            return


def _refused(character: str) -> str:
    if character in _BIDI:
        return "a bidirectional control"
    category = unicodedata.category(character)
    if category == "Cs":
        return "a lone surrogate"
    if category == "Cc" and character not in _ALLOWED_CONTROLS:
        return "a control character"
    return ""
