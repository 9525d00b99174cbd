"""Bounded texts: what a caller sends must not blow up what it is told."""

from __future__ import annotations

import json
from collections.abc import Iterable

_LIMIT = 200


def shortened(text: str, limit: int = _LIMIT) -> str:
    """Return at most ``limit`` characters; the last one says that there was more."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def shown(value: object, limit: int = _LIMIT) -> str:
    """Return a JSON value on one line, shortened."""
    return shortened(json.dumps(value, ensure_ascii=False), limit)


def listed(heading: str, lines: Iterable[str]) -> str:
    """Return a heading and one line for each fault."""
    return "\n".join([heading, *(f"- {line}" for line in lines)])
