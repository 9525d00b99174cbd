"""Regular expressions as JSON Schema means them: ECMAScript's dialect, run by Python's engine."""

from __future__ import annotations

import re

from fairwins_mcp.errors import SchemaError

_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_SPACE = (
    r"\x00-\x08\x0e-\x1f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
    r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACE, "S": _NOT_SPACE}
_CONTROLS = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_CODE_POINT = re.compile(
    r"x([0-9A-Fa-f]{2})|u\{0*([0-9A-Fa-f]{1,6})\}"
    r"|u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})"
)
_GROUP = re.compile(r"\((?:\?(?:<([A-Za-z_$][A-Za-z0-9_$]*)>|[:=!]|<[=!]))?")
_BRACES = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_NAME_REFERENCE = re.compile(r"k<([A-Za-z_$][A-Za-z0-9_$]*)>")


def compile_pattern(source: str) -> re.Pattern[str]:
    r"""Compile an ECMAScript pattern; use ``search`` or ``fullmatch`` on the result.

    The two dialects part where a validator would notice: ``$`` is the very end (Python's also
    stands before a final newline), ``\d`` and ``\w`` are ASCII, ``\s`` has its own list, ``.``
    stops at four line ends, and Python's own extensions are errors.

    Raises:
        SchemaError: the pattern is malformed, or uses ``\p{…}`` or a look-behind of variable
            length, for which Python's engine has nothing.
    """
    try:
        return re.compile(_Translation(source).run(), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise SchemaError("pattern is no regular expression of ECMAScript") from error


class _Translation:
    """Rewrite one pattern from left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0

    def run(self) -> str:
        """Return the pattern in Python's dialect."""
        parts: list[str] = []
        while self._position < len(self._source):
            parts.append(self._translate_next())
        return "".join(parts)

    def _translate_next(self) -> str:
        char = self._take()
        if char == "\\":
            return self._translate_escape()
        if char == "[":
            return self._translate_class()
        if char == "(":
            return self._translate_group()
        if char == "$":
            return r"\Z"
        if char == ".":
            return r"[^\n\r\u2028\u2029]"
        if char in "*+?":
            return self._finish_quantifier(char)
        if char == "{":
            braces = _BRACES.match(self._source, self._position - 1)
            if braces is None:
                return r"\{"
            self._position = braces.end()
            return self._finish_quantifier(braces[0])
        return char if char in "^)|" else re.escape(char)

    def _take(self) -> str:
        if self._position >= len(self._source):
            raise re.error("unexpected end of pattern")
        self._position += 1
        return self._source[self._position - 1]

    def _finish_quantifier(self, quantifier: str) -> str:
        """Let a quantifier be lazy, and keep Python from reading a second one as possessive."""
        rest = self._source[self._position :]
        if rest.startswith("?"):
            self._position += 1
            quantifier, rest = quantifier + "?", rest[1:]
        if rest[:1] in ("*", "+", "?") or _BRACES.match(rest):
            raise re.error("nothing to repeat")
        return quantifier

    def _translate_group(self) -> str:
        group = _GROUP.match(self._source, self._position - 1)
        if group is None or self._source.startswith("?", group.end()):
            raise re.error("unknown group")
        self._position = group.end()
        return f"(?P<{group[1]}>" if group[1] else group[0]

    def _translate_escape(self) -> str:
        char = self._take()
        if char in "dws":
            return f"[{_CLASSES[char]}]"
        if char in "DWS":
            return f"[^{_CLASSES[char.lower()]}]"
        if char in "bB":
            return "\\" + char
        if char in "123456789":
            return self._translate_back_reference(char)
        if char == "k":
            name = _NAME_REFERENCE.match(self._source, self._position - 1)
            if name is None:
                raise re.error("group name missing")
            self._position = name.end()
            return f"(?P={name[1]})"
        return re.escape(self._read_literal(char))

    def _translate_back_reference(self, digits: str) -> str:
        while self._source[self._position : self._position + 1] in tuple("0123456789"):
            digits += self._take()
        return rf"(?:\{digits})"

    def _read_literal(self, char: str) -> str:
        """Return the one character that an escape stands for; ``char`` follows the backslash."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "0" and not self._source[self._position : self._position + 1].isdigit():
            return "\0"
        if char == "c":
            letter = self._take()
            if letter.isascii() and letter.isalpha():
                return chr(ord(letter) % 32)
            raise re.error("control letter missing")
        code = _CODE_POINT.match(self._source, self._position - 1)
        if code is not None:
            self._position = code.end()
            return _decode_code_point(code)
        if char.isascii() and (char.isalnum() or char == "_"):
            raise re.error("unknown escape")
        return char

    def _translate_class(self) -> str:
        negated = self._source.startswith("^", self._position)
        self._position += negated
        parts: list[str] = []
        while (char := self._take()) != "]":
            if char == "\\":
                parts.append(self._translate_class_escape())
            else:
                # Python reserves doubled operators and an opening bracket for later set syntax.
                parts.append("\\" + char if char in "[&~|^" else char)
        if not parts:
            return r"[\s\S]" if negated else r"(?!)"
        return f"[{'^' if negated else ''}{''.join(parts)}]"

    def _translate_class_escape(self) -> str:
        char = self._take()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "DW":
            return "\\" + char
        if char == "b":
            return r"\x08"
        literal = self._read_literal(char)
        return re.escape(literal) if literal.isascii() else literal


def _decode_code_point(code: re.Match[str]) -> str:
    if code[3] is not None:
        high, low = int(code[3], 16) - 0xD800, int(code[4], 16) - 0xDC00
        return chr(0x10000 + high * 0x400 + low)
    number = int(code[1] or code[2] or code[5], 16)
    if number > 0x10FFFF:
        raise re.error("code point out of range")
    return chr(number)
