"""Compare as ECMAScript does: text by UTF-16 code unit, and values of any type with ``<``."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Final

from haia_trace_mcp.ecmascript.printing import number_text
from haia_trace_mcp.ecmascript.reading import WHITE_SPACE, Json

_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_UNITS = re.compile("[\U00010000-\U0010ffff]")
_OBJECT: Final = "[object Object]"


class Undefined:
    """The type of a member that is not there."""


UNDEFINED: Final = Undefined()


def text_key(text: str) -> str:
    """Return a key whose order is that of the text's UTF-16 code units.

    It differs from the order of code points where characters beyond U+FFFF meet U+E000 to U+FFFF.
    """
    if text.isascii() or max(text) < "\ud800":
        return text
    return _UNITS.sub(_split, text)


def key_text(key: str) -> str:
    """Return the text that a key of ``text_key`` was made from."""
    if key.isascii():
        return key
    return key.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def _split(match: re.Match[str]) -> str:
    """Write a character beyond U+FFFF as the two code units that it is in UTF-16."""
    offset = ord(match.group()) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def compare(left: Json | Undefined, right: Json | Undefined) -> int:
    """Return -1, 0 or 1 as ``<`` and ``>`` decide; 0 where neither of them holds."""
    if isinstance(left, str) and isinstance(right, str):
        first, second = text_key(left), text_key(right)
        return (first > second) - (first < second)
    one, other = _primitive(left), _primitive(right)
    if isinstance(one, str) and isinstance(other, str):
        return compare(one, other)
    a, b = to_number(one), to_number(other)
    return (a > b) - (a < b)


def to_number(value: Json | Undefined) -> float:
    """Return what the original's ``Number(value)`` is."""
    primitive = _primitive(value)
    if isinstance(primitive, (bool, int, float)):
        return float(primitive)
    if primitive is None:
        return 0.0
    if isinstance(primitive, Undefined):
        return nan
    return _text_to_number(primitive.strip(WHITE_SPACE))


def _text_to_number(text: str) -> float:
    if not text:
        return 0.0
    if _RADIX.fullmatch(text):
        return float(int(text, 0))
    if not _DECIMAL.fullmatch(text):
        return nan
    if text.endswith("Infinity"):
        return -inf if text.startswith("-") else inf
    return float(text)


def _primitive(value: Json | Undefined) -> bool | float | str | Undefined | None:
    if isinstance(value, dict):
        return _OBJECT
    if isinstance(value, list):
        return ",".join("" if each is None else _to_text(each) for each in value)
    return value


def _to_text(value: Json) -> str:
    primitive = _primitive(value)
    if isinstance(primitive, str):
        return primitive
    if isinstance(primitive, bool):
        return "true" if primitive else "false"
    return number_text(primitive) if isinstance(primitive, float) else "null"
