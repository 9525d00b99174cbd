"""Text that is what it seems to be."""

from __future__ import annotations


def plain(value: object) -> str | None:
    """Return text as ``str`` itself, also from members of enumerations; None for what is no text.

    A subclass could compare, fold or split itself otherwise than it is sent.
    """
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else None
