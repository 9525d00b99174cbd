"""Show text that other parties wrote inside a sentence of ours."""

from __future__ import annotations


def quoted(text: str, limit: int = 80) -> str:
    """Return text in double quotes, cut to ``limit`` characters.

    What does not print is escaped, and so are quotes and backslashes: control characters and
    those that turn the direction of text never reach a terminal, and no text can end its quotes.
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return '"' + "".join(map(_shown, cut)) + '"'


def _shown(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
