"""Read what stands for one character in a regular expression: escapes and classes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from counterfoil.schema.expressions import (
    DIGITS,
    SPACE,
    WORD,
    Characters,
    Foreign,
    Span,
    Spans,
    inverted,
    merged,
)
from counterfoil.schema.remarks import REMARKS
from counterfoil.schema.translation import PatternError

_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SETS: dict[str, Spans] = {"d": DIGITS, "w": WORD, "s": SPACE}
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BRACED = re.compile(r"\{([0-9A-Fa-f]{1,8})\}")
_PROPERTY = re.compile(r"\{[^{}]*\}|[A-Za-z]")
_OPERATORS = ("&&", "--", "~~", "||")


@dataclass(frozen=True)
class Problem:
    """One thing about a pattern that is not the same everywhere.

    Attributes:
        at: offset in the pattern.
        code: a short name of the kind, for tests and tools.
        message: one clause.
        hint: what to write instead.
    """

    at: int
    code: str
    message: str
    hint: str


class CharacterReader:
    """Read characters at a place of a pattern, and note what is not portable."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.problems: list[Problem] = []

    def note(self, code: str, at: int, shown: str) -> None:
        """Note a form that engines read differently; ``shown`` is the form as written."""
        message, hint = REMARKS[code]
        self.problems.append(Problem(at, code, f"{shown!r} {message}", hint))

    def rest(self, text: str) -> bool:
        """Say whether the rest of the pattern begins with a text."""
        return self.source.startswith(text, self.at)

    def literal(self, character: str, start: int) -> Characters:
        """Return the set of one character; the character is behind us."""
        point = ord(character)
        if 0xD800 <= point <= 0xDFFF:
            self.note("surrogate", start, f"\\u{point:04x}")
        return Characters(((point, point),))

    def escaped_characters(self, start: int, *, in_class: bool) -> Characters | Foreign:
        """Read an escape that stands for characters; the backslash is behind us."""
        if self.at >= len(self.source):
            raise PatternError("a backslash ends the pattern", start)
        letter = self.source[self.at]
        self.at += 1
        if letter in _SYNTAX or (letter == "-" and in_class):
            return Characters(((ord(letter), ord(letter)),))
        if letter in _CONTROLS:
            return Characters(((_CONTROLS[letter], _CONTROLS[letter]),))
        if letter.lower() in _SETS:
            self.note("shorthand", start, f"\\{letter}")
            spans = _SETS[letter.lower()]
            return Characters(spans if letter.islower() else inverted(spans))
        if letter in "xuU":
            return self._code(letter, start)
        if letter in "pP":
            return self._property(start)
        if letter == "c":
            return self._control(start)
        if letter.isdigit() and letter.isascii():
            return self._octal(start, letter)
        if letter.isalpha() and letter.isascii():
            self.note("unknown-escape", start, f"\\{letter}")
            return Foreign(f"\\{letter}")
        self.note("identity-escape", start, f"\\{letter}")
        return Characters(((ord(letter), ord(letter)),))

    def _code(self, letter: str, start: int) -> Characters | Foreign:
        """Read ``\\xHH``, ``\\uHHHH`` (portable), or another form of a code point."""
        width = {"x": 2, "u": 4, "U": 8}[letter]
        match = _HEX.match(self.source, self.at, self.at + width)
        if match and len(match.group()) == width and letter != "U":
            self.at = match.end()
            point = int(match.group(), 16)
            if 0xD800 <= point <= 0xDFFF:
                self.note("surrogate", start, self.source[start : self.at])
                return Foreign(self.source[start : self.at])
            return Characters(((point, point),))
        braced = _BRACED.match(self.source, self.at)
        if not braced and not (match and len(match.group()) == width):
            raise PatternError(f"\\{letter} needs {width} hexadecimal digits", start)
        found = braced or match
        assert found is not None
        self.at = found.end()
        point = int(found.group(1) if braced else found.group(), 16)
        if point > 0x10FFFF:
            raise PatternError("there is no such code point", start)
        self.note("code-point", start, self.source[start : self.at])
        if letter == "u":
            return Characters(((point, point),))
        return Foreign(self.source[start : self.at])

    def _property(self, start: int) -> Characters:
        match = _PROPERTY.match(self.source, self.at)
        if not match:
            raise PatternError("\\p needs a property in braces", start)
        self.at = match.end()
        self.note("property", start, self.source[start : self.at])
        return Characters((), known=False)

    def _control(self, start: int) -> Characters | Foreign:
        letter = self.source[self.at : self.at + 1]
        self.note("control-escape", start, f"\\c{letter}")
        if not (letter.isalpha() and letter.isascii()):
            return Foreign("\\c")
        self.at += 1
        point = ord(letter) % 32
        return Characters(((point, point),))

    def _octal(self, start: int, digit: str) -> Characters | Foreign:
        following = self.source[self.at : self.at + 1]
        self.note("octal", start, f"\\{digit}")
        if digit == "0" and not (following.isdigit() and following.isascii()):
            return Characters(((0, 0),))
        return Foreign(f"\\{digit}")

    def charset(self) -> Characters | Foreign:
        """Read a class in square brackets."""
        start = self.at
        self.at += 1
        negated = self.rest("^")
        self.at += negated
        if self.rest("]"):
            self.note("empty-class", start, self.source[start : self.at + 1])
        spans: list[Span] = []
        foreign = unknown = False
        while not self.rest("]"):
            if self.at >= len(self.source):
                raise PatternError('"[" is never closed', start)
            member = self._class_range(start)
            if isinstance(member, Foreign):
                foreign = True
            else:
                spans.extend(member.spans)
                unknown = unknown or not member.known
        self.at += 1
        if foreign:
            return Foreign(self.source[start : self.at])
        if unknown:
            return Characters((), known=False)
        return Characters(inverted(merged(spans)) if negated else merged(spans))

    def _class_range(self, opened: int) -> Characters | Foreign:
        """Read one character, shorthand or range of a class."""
        start = self.at
        first = self._class_atom()
        # A hyphen right before the closing bracket is only a hyphen.
        if not self.rest("-") or self.source.startswith("-]", self.at):
            return first
        if self.rest("--"):
            self.note("set-operator", self.at, "--")
        self.at += 1
        if self.at >= len(self.source):
            raise PatternError('"[" is never closed', opened)
        last = self._class_atom()
        if isinstance(first, Foreign) or isinstance(last, Foreign):
            return Foreign(self.source[start : self.at])
        if not (_single(first) and _single(last)):
            raise PatternError("a range needs single characters at both ends", start)
        low, high = first.spans[0][0], last.spans[0][0]
        if low > high:
            raise PatternError("a range of a class is out of order", start)
        return Characters(((low, high),))

    def _class_atom(self) -> Characters | Foreign:
        start = self.at
        for operator in _OPERATORS:
            if self.rest(operator):
                self.note("set-operator", start, operator)
        character = self.source[start]
        self.at += 1
        if character == "\\":
            if self.rest("b"):
                self.at += 1
                self.note("boundary", start, "[\\b]")
                return Characters(((0x08, 0x08),))
            member = self.escaped_characters(start, in_class=True)
        else:
            if character == "[":
                self.note("set-operator", start, "[")
            member = self.literal(character, start)
        if isinstance(member, Characters):
            self.astral(member, start)
        return member

    def astral(self, item: Characters, start: int) -> None:
        """Note a single character beyond U+FFFF."""
        if _single(item) and item.spans[0][0] > 0xFFFF:
            self.note("astral", start, chr(item.spans[0][0]))


def _single(item: Characters) -> bool:
    return item.known and len(item.spans) == 1 and item.spans[0][0] == item.spans[0][1]
