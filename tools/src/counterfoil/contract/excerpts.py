"""Texts of a bounded length, for messages."""

from __future__ import annotations

_BEFORE = 20  # characters to show before the place where two texts part


def bounded(text: str, limit: int = 200) -> str:
    """Return the text, cut with an ellipsis where it is longer than the limit."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def contrasted(one: str, other: str, limit: int = 200) -> tuple[str, str]:
    """Return two pieces of JSON, cut around the place where they part if either is too long."""
    if max(len(one), len(other)) <= limit:
        return one, other
    quote = '"' if one[:1] == other[:1] == '"' else ""
    inner = [text[len(quote) : len(text) - len(quote)] for text in (one, other)]
    pairs = enumerate(zip(*inner, strict=False))
    apart = next((at for at, (ours, theirs) in pairs if ours != theirs), min(map(len, inner)))
    start = max(apart - _BEFORE, 0)
    start = inner[0].rfind(" ", max(start - _BEFORE, 0), start) + 1 or start  # where a word begins
    first, second = (f"{quote}{_from(text, start, limit)}{quote}" for text in inner)
    return first, second


def _from(text: str, start: int, limit: int) -> str:
    """Return a text from a place on, with an ellipsis where something is left out."""
    return f"{'…' if start else ''}{bounded(text[start:], limit)}"
