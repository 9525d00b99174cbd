"""ECMAScript's regular expressions, which JSON Schema means, in Python's dialect."""

from __future__ import annotations

import functools
import re

from .wording import shown

_LAST = 0x10FFFF
_DEEPEST = 40
_LARGEST_COUNT = 1_000_000

# One character as it is written, inside brackets or outside.
_UNIT = (
    r"\\u\{[0-9A-Fa-f]{1,8}\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\0[0-9]|\\.|[^\\]"
)
_UNITS = re.compile(_UNIT, re.DOTALL)
_TOKEN = re.compile(
    r"(?P<group>\((?:(?!\?)|\?(?::|<?[=!]|P?<[A-Za-z_$][A-Za-z0-9_$]*>)))"
    r"|(?P<set>\[\^?(?:\\.|[^\]\\])*\])"
    r"|(?P<count>\{[0-9]+(?:,[0-9]*)?\}|[*+?])\??"
    r"|(?P<edge>\\[bB]|[\^$])"
    r"|(?P<mark>[|)])"
    rf"|(?P<unit>{_UNIT})",
    re.DOTALL,
)
# What only looks like a character: it opens something that no token reads.
_OPENING = re.compile(r"[(\[]|\{,[0-9]*\}")
_EDGES = {"^": "^", "$": r"\Z", r"\b": r"(?a:\b)", r"\B": r"(?a:\B)"}
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "0": 0x00}

Spans = tuple[tuple[int, int], ...]
_SETS: dict[str, Spans] = {
    "d": ((0x30, 0x39),),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    # ECMA-262, WhiteSpace and LineTerminator.
    "s": (
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ),
}
_LINE_ENDS: Spans = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


class PatternError(ValueError):
    """Report a pattern that is none, or that has no form in Python; one clause."""


class PythonPattern(str):
    """A pattern for ``re.search`` that keeps its author's spelling for messages."""

    spelled: str


@functools.cache
def python_pattern(pattern: str) -> PythonPattern:
    """Return a pattern that matches what ECMAScript's engine matches with the u flag.

    ``$`` is the very end, the shorthands are ASCII but for ``\\s``, and groups capture nothing.

    Raises:
        PatternError: it is no pattern, or refers back, asks for a Unicode property or for more
            that Python does not have.
    """
    made: list[str] = []
    at = depth = 0
    repeatable = False
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise PatternError("a backslash ends it")
        kind, text = token.lastgroup, token[0]
        if kind == "count" and not repeatable:
            raise PatternError(f"{shown(text)} repeats nothing, or what is repeated already")
        depth += (kind == "group") - (text == ")")
        if not 0 <= depth <= _DEEPEST:
            raise PatternError("its groups are nested too deeply or closed too often")
        if kind == "unit" and _OPENING.match(pattern, at):
            raise PatternError(f"{shown(pattern[at : at + 9])} is no ECMAScript")
        made.append(_piece(kind, text))
        repeatable = kind in ("set", "unit") or text == ")"
        at = token.end()
    if depth:
        raise PatternError("a group is never closed")
    result = PythonPattern("".join(made))
    result.spelled = pattern
    _check_looks_behind(result)
    return result


def _check_looks_behind(made: str) -> None:
    """Refuse what Python's ``re`` alone refuses; other patterns are compiled when they are used."""
    if "(?<" in made:
        try:
            re.compile(made)
        except re.error as error:
            raise PatternError(f"Python cannot use it: {error}") from error


def _piece(kind: str | None, text: str) -> str:
    if kind == "group":
        return text if text in ("(?=", "(?!", "(?<=", "(?<!") else "(?:"
    if kind == "set":
        return _set(text)
    if kind == "count":
        return _count(text)
    if kind == "edge":
        return _EDGES[text]
    if kind == "mark":
        return text
    return _brackets(_inverted(_LINE_ENDS) if text == "." else _spans(text, inside=False))


def _count(text: str) -> str:
    bounds = [int(each) for each in text.strip("{}?").split(",") if each.isdecimal()]
    if sorted(bounds) != bounds or max(bounds, default=0) > _LARGEST_COUNT:
        raise PatternError(f"the counts {text} are out of order or too large")
    return text


def _set(text: str) -> str:
    """Return a class in brackets; those that are empty match nothing, or anything."""
    negated = text.startswith("[^")
    units = _UNITS.findall(text, 1 + negated, len(text) - 1)
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(units):
        first = _spans(units[at], inside=True)
        if units[at + 1 : at + 2] == ["-"] and at + 2 < len(units):
            spans.append(_range(first, _spans(units[at + 2], inside=True), text))
            at += 3
        else:
            spans += first
            at += 1
    return _brackets(tuple(spans), negated)


def _range(first: Spans, last: Spans, text: str) -> tuple[int, int]:
    (low, low_end), (high, high_end) = first[0], last[-1]
    if low != low_end or high != high_end or low > high:
        raise PatternError(f"{shown(text)} has a range that is none")
    return low, high


def _spans(unit: str, *, inside: bool) -> Spans:
    """Return the characters that one unit stands for, as first and last ones of runs."""
    if len(unit) == 1:
        return ((ord(unit), ord(unit)),)
    letter, digits = unit[1], unit[2:].strip("{}")
    point = -1
    if letter.lower() in _SETS and not digits:
        spans = _SETS[letter.lower()]
        return spans if letter in _SETS else _inverted(spans)
    if letter in "ux" and digits:
        point = int(digits, 16)
        if "{" not in unit and 0xD800 <= point <= 0xDFFF:
            point = -1
    elif letter == "c" and digits:
        point = ord(digits) % 32
    elif letter in _CONTROLS and not digits:
        point = _CONTROLS[letter]
    elif letter == "b" and inside:
        point = 0x08
    elif not (letter.isascii() and letter.isalnum()):
        point = ord(letter)
    if not 0 <= point <= _LAST:
        raise PatternError(f"{shown(unit)} has no form in Python")
    return ((point, point),)


def _inverted(spans: Spans) -> Spans:
    starts = (0, *(last + 1 for _, last in spans))
    ends = (*(first - 1 for first, _ in spans), _LAST)
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)


def _brackets(spans: Spans, negated: bool = False) -> str:
    if not spans:
        return f"[{_spelled(0)}-{_spelled(_LAST)}]" if negated else "(?!)"
    runs = (
        _spelled(first) if first == last else f"{_spelled(first)}-{_spelled(last)}"
        for first, last in spans
    )
    return f"[{'^' if negated else ''}{''.join(runs)}]"


def _spelled(point: int) -> str:
    text = chr(point)
    return text if text.isascii() and text.isalnum() else f"\\U{point:08x}"
