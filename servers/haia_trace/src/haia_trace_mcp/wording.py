"""Parts of sentences: text that other parties wrote, and numbers of things."""

from __future__ import annotations


def quoted(text: str, limit: int = 80) -> str:
    """Return text in double quotes, cut to ``limit`` characters.

    What does not print is escaped, and so are quotes and backslashes: control characters and
    those that turn the direction of text never reach a terminal, and no text can end its quotes.
    """
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return '"' + "".join("\\" + each if each in '"\\' else visible(each) for each in cut) + '"'


def visible(character: str) -> str:
    """Return a character that prints as it is, and the escape of any other."""
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(count: int, noun: str) -> str:
    """Return a number of things."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
