"""Texts of a bounded length, for messages."""

from __future__ import annotations


def bounded(text: str, limit: int = 200) -> str:
    """Return the text, cut with an ellipsis where it is longer than the limit."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
