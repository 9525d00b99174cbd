"""Characters that a terminal or a build server would obey instead of showing."""

from __future__ import annotations

import re

# Marks that change the direction of the text around them: Unicode, UAX #9.
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_OBEYED = re.compile(f"[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029{_DIRECTIONS}]")
_OBEYED_BUT_TAB = re.compile(f"[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\u2028\u2029{_DIRECTIONS}]")


def one_line(text: str) -> str:
    """Return text with line ends, control characters and direction marks as escapes.

    A workflow command of GitHub begins with two colons, with or without blanks in front of
    them; the first colon of such a line is an escape as well.
    """
    return _no_command(_OBEYED.sub(_escape, text))


def own_lines(text: str) -> list[str]:
    """Return the lines of a text, which are kept apart, each as :func:`one_line` and with tabs."""
    return [_no_command(_OBEYED_BUT_TAB.sub(_escape, line)) for line in text.split("\n")]


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _no_command(line: str) -> str:
    bare = line.lstrip()
    return f"{line[: -len(bare)]}\\x3a{bare[1:]}" if bare.startswith("::") else line
