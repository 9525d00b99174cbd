"""Print JSON as ``JSON.stringify(value, null, 2)`` does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from math import isfinite
from typing import Final

from haia_trace_mcp.ecmascript.reading import Json

_INDENT: Final = "  "
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_KEY = re.compile("0|[1-9][0-9]{0,9}")
_INTEGER_KEY_LIMIT: Final = 4294967294


def print_json(value: Json, level: int = 0) -> str:
    """Return a value as text with two spaces a level; ``level`` is that of the value itself."""
    parts: list[str] = []
    # What is open: the entries still to come, the closing bracket, and the line break inside.
    stack: list[tuple[Iterator[tuple[str, Json]], str]] = []
    prefix, current = "", value
    while True:
        parts.append(prefix)
        if isinstance(current, (dict, list)) and current:
            parts.append("{" if isinstance(current, dict) else "[")
            stack.append((_entries(current), "}" if isinstance(current, dict) else "]"))
            separator = "\n"
        else:
            parts.append(_scalar(current))
            separator = ",\n"
        while stack:
            entries, bracket = stack[-1]
            entry = next(entries, None)
            if entry is not None:
                prefix = separator + _INDENT * (level + len(stack)) + entry[0]
                current = entry[1]
                break
            stack.pop()
            parts.append("\n" + _INDENT * (level + len(stack)) + bracket)
            separator = ",\n"
        else:
            return "".join(parts)


def ordered_keys(members: Mapping[str, object]) -> Sequence[str]:
    """Return the keys in the order in which ECMAScript lists them: integer-like ones first."""
    keys = list(members)
    numbers = [key for key in keys if key[:1].isdigit() and _is_integer_key(key)]
    if not numbers:
        return keys
    first = set(numbers)
    return [*sorted(numbers, key=int), *(key for key in keys if key not in first)]


def number_text(number: float) -> str:
    """Return a finite double in ECMAScript's shortest form."""
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, power = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + ("" if fraction == "0" else fraction)).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = int(power or 0) + (len(whole) if whole != "0" else len(digits) - len(fraction))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def string_text(text: str) -> str:
    """Return a string as JSON; lone surrogates are escaped, other text beyond ASCII is not."""
    quoted = encode_basestring(text)
    return quoted if quoted.isascii() else _SURROGATE.sub(_escape, quoted)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _entries(container: dict[str, Json] | list[Json]) -> Iterator[tuple[str, Json]]:
    if isinstance(container, list):
        return (("", each) for each in container)
    return ((string_text(key) + ": ", container[key]) for key in ordered_keys(container))


def _scalar(value: Json) -> str:
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value) if isfinite(value) else "null"
    if value is None:
        return "null"
    return "{}" if isinstance(value, dict) else "[]"


def _is_integer_key(key: str) -> bool:
    return _INTEGER_KEY.fullmatch(key) is not None and int(key) <= _INTEGER_KEY_LIMIT
