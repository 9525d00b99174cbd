"""Names in braces: in paths of routes, templates of URIs and texts of prompts."""

from __future__ import annotations

import re

# The grammar's `identifier`; other text in braces is text in a prompt.
_NAMED = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
_BRACED = re.compile(r"\{([^{}]*)\}")


def named(text: str) -> list[str]:
    """Return the identifiers that stand in braces, in the order of the text."""
    return _NAMED.findall(text)


def braced(text: str) -> list[str]:
    """Return whatever stands in braces, in the order of the text."""
    return _BRACED.findall(text)


def emptied(text: str, mark: str = "{}") -> str:
    """Return a text with ``mark`` where something stands in braces."""
    return _BRACED.sub(mark, text)
