"""Characters that no target can be trusted with."""

from __future__ import annotations

import re
from typing import Any

from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object

# What is refused, as ranges of a regular expression; the first that fits names the character.
_REFUSED = {
    # Embeddings, overrides, isolates and marks: Unicode UAX #9, CVE-2021-42574.
    "a bidirectional control": r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    "a lone surrogate": r"\ud800-\udfff",
    "a control character": r"\x00-\x08\x0b-\x1f\x7f-\x9f",
    # A model reads them, a person does not: the usual carrier of hidden instructions.
    "a tag character": r"\U000e0000-\U000e007f",
    "an interlinear mark": r"\ufff9-\ufffb",
    "a character that cannot be seen": r"\xad\u034f\u200b\u2060-\u206f\u3164\ufeff\uffa0",
}
_NAMES = [(name, re.compile(f"[{ranges}]")) for name, ranges in _REFUSED.items()]
# Joiners belong to the spelling of these scripts, Arabic to Mongolian and their later blocks,
# and to emoji. They are refused between other characters, where they only hide.
_JOINED = (
    r"\u0600-\u109f\u1780-\u18af\u1b00-\u1cff\u2190-\u2bff\ua840-\uabff\ufb50-\ufdff"
    r"\ufe0f\ufe70-\ufefc\U00010a00-\U00011fff\U0001f000-\U0001faff"
)
# Out of place: a joiner elsewhere, and a second choice of glyph for one character.
_CHOICE = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MISPLACED = re.compile(
    f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])|(?<=[{_CHOICE}])[{_CHOICE}]"
)
REFUSED = re.compile(f"[{''.join(_REFUSED.values())}]|{_MISPLACED.pattern}")
"""Finds a character that hides text, moves it around, or is no text at all."""
# What a refused character looks like in JSON text: itself, or an escape that may stand for it. Two
# patterns, since each is searched for by its first character and an alternative of both is not.
_ITSELF = re.compile(f"[{''.join(_REFUSED.values())}\u200c\u200d{_CHOICE}]")
_ESCAPED = re.compile(r"\\[bfru]")


def is_suspect(text: str) -> bool:
    """Say whether JSON text may hold a character that is refused; a quick look at the whole.

    Args:
        text: what parses: JSON has no control character below the space in a string.
    """
    if text.isascii():
        return "\x7f" in text or _ESCAPED.search(text) is not None
    return bool(_ESCAPED.search(text) or _ITSELF.search(text))


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
    found = REFUSED.search(text)
    if found:
        report.add("CF106", pointer, f"text holds U+{ord(found[0]):04X}, {_named(found[0])}")


def _named(character: str) -> str:
    names = (name for name, pattern in _NAMES if pattern.match(character))
    return next(names, "a mark that is out of place")
