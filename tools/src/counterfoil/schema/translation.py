"""Write a regular expression's tree as source for Python's ``re``."""

from __future__ import annotations

import re

from counterfoil.schema.expressions import (
    WORD,
    Characters,
    Choice,
    Edge,
    Foreign,
    Item,
    Look,
    Repeat,
    Spans,
)

# (?a:…) keeps \b to ASCII words, as ECMAScript has it.
_EDGES = {"start": "^", "end": r"\Z", "boundary": r"(?a:\b)", "inside": r"(?a:\B)"}
_PLAIN = frozenset(chr(point) for first, last in WORD for point in range(first, last + 1))


class PatternError(ValueError):
    """Report a pattern that cannot be read or has no form in Python.

    Attributes:
        what: one clause.
        at: offset in the pattern, or -1 for the whole.
    """

    def __init__(self, what: str, at: int = -1) -> None:
        super().__init__(f"{what} (at offset {at})" if at >= 0 else what)
        self.what = what
        self.at = at


def emit(root: Choice) -> str:
    """Return source for ``re.search`` with no flags.

    Raises:
        PatternError: a part has no form in Python.
    """
    source = _choice(root)
    try:
        re.compile(source)
    except (re.error, OverflowError) as error:
        raise PatternError(f"Python cannot use it: {error}") from error
    return source


def _choice(choice: Choice) -> str:
    return "|".join("".join(map(_item, branch)) for branch in choice.branches)


def _item(item: Item) -> str:
    if isinstance(item, Characters):
        return _characters(item)
    if isinstance(item, Edge):
        return _EDGES[item.kind]
    if isinstance(item, Choice):
        return f"(?:{_choice(item)})"
    if isinstance(item, Repeat):
        return _item(item.item) + _counts(item)
    if isinstance(item, Look):
        return f"(?{'' if item.ahead else '<'}{'!' if item.negative else '='}{_choice(item.body)})"
    return _foreign(item)


def _foreign(item: Foreign) -> str:
    raise PatternError(f"{item.source!r} has no meaning that all engines share")


def _counts(item: Repeat) -> str:
    # A group stands between the counts and what precedes them wherever one is needed.
    if item.high is None and item.low < 2:
        return "+" if item.low else "*"
    if (item.low, item.high) == (0, 1):
        return "?"
    return f"{{{item.low}}}" if item.low == item.high else f"{{{item.low},{item.high or ''}}}"


def _characters(item: Characters) -> str:
    if not item.known:
        raise PatternError("a Unicode property has no form in Python")
    if not item.spans:
        return "(?!)"
    if len(item.spans) == 1 and item.spans[0][0] == item.spans[0][1]:
        return _character(item.spans[0][0])
    return f"[{_members(item.spans)}]"


def _members(spans: Spans) -> str:
    return "".join(
        _character(first) if first == last else f"{_character(first)}-{_character(last)}"
        for first, last in spans
    )


def _character(point: int) -> str:
    text = chr(point)
    if text in _PLAIN or text == " ":
        return text
    if text.isascii() and text.isprintable():
        return f"\\{text}"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
