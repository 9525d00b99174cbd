"""Read JSON text strictly, and say where in the text a pointer stands.

Parsing is the standard library's; places are found by a second, slower walk that
only runs when there is something to report.
"""

from __future__ import annotations

import bisect
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # untyped, but documented by use
from typing import Any, cast

Json = Any
Place = tuple[int, int]

_scan_string = cast("Callable[[str, int], tuple[str, int]]", scanstring)
_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^,\]}\s]+")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'

# Every reader of a contract may call itself once for each level of nesting, and Python stops at
# a thousand calls; schemas of more than 32 levels are refused anyway.
DEEPEST = 200
# No double is as large; most readers of JSON hold a number in one.
_LONGEST_INTEGER = 309


class SourceError(ValueError):
    """Report text that is not JSON.

    Attributes:
        line, column: 1-based place of the fault.
    """

    def __init__(self, what: str, place: Place) -> None:
        super().__init__(what)
        self.what = what
        self.line, self.column = place


@dataclass(frozen=True)
class Duplicate:
    """A key that stands twice in one object, and where it stands again."""

    key: str
    pointer: str
    line: int
    column: int


class _Constant(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _refuse_constant(name: str) -> Json:
    raise _Constant(name)


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise _Constant(digits)
    return int(digits)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Constant(text)
    return value


def _too_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def decode(raw: bytes) -> str:
    """Decode UTF-8 with or without a byte order mark and with any line ends.

    Raises:
        SourceError: the bytes are not UTF-8.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise SourceError("the file is not UTF-8", (line, column)) from error
    return text.replace("\r\n", "\n")


def parse(text: str) -> tuple[Json, tuple[Duplicate, ...]]:
    """Parse strict JSON; NaN, the infinities and what no double can hold are refused.

    Returns:
        The value, and every key that is given twice in one object (the last one counts).

    Raises:
        SourceError: with the place of the first fault.
    """
    repeated = False

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal repeated
        found = dict(items)
        repeated = repeated or len(found) != len(items)
        return found

    try:
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=_refuse_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        raise SourceError(error.msg, (error.lineno, error.colno)) from None
    except RecursionError:
        raise SourceError("the value is nested too deeply", (1, 1)) from None
    except _Constant as error:
        place = _Lines(text).place(_outside_strings(text, error.name))
        shown = error.name if len(error.name) <= 20 else f"{error.name[:19]}…"
        raise SourceError(f"{shown} is no number that JSON's readers share", place) from None
    if _too_deep(value):
        raise SourceError(f"the value is nested more than {DEEPEST} deep", (1, 1))
    return value, tuple(_duplicates(text)) if repeated else ()


def locate(text: str, pointers: Iterable[str]) -> Mapping[str, Place]:
    """Find where values stand in JSON text that is known to parse.

    Args:
        pointers: RFC 6901 pointers. One that leads nowhere is given the place of its
            nearest ancestor.

    Returns:
        1-based line and column of the value (of the key, for a member of an object).
    """
    wanted = set(pointers)
    walker = _Walker(text, wanted)
    walker.value(0, "")
    found = {pointer: walker.starts[pointer] for pointer in wanted if pointer in walker.starts}
    for pointer in wanted - found.keys():
        ancestor = pointer
        while ancestor not in walker.starts:
            ancestor = ancestor.rpartition("/")[0]
        found[pointer] = walker.starts[ancestor]
    lines = _Lines(text)
    return {pointer: lines.place(offset) for pointer, offset in found.items()}


def escape(token: str) -> str:
    """Escape one reference token for a JSON pointer."""
    return token.replace("~", "~0").replace("/", "~1")


class _Lines:
    """The offsets at which lines begin, made once for many places."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, offset: int) -> Place:
        """Return the 1-based line and column of an offset."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def _outside_strings(text: str, number: str) -> int:
    """Return where a number that the parser refused stands; what is before it does parse."""
    pattern = rf"{_STRING}|(?<![\w.+-])({re.escape(number)})"
    found = re.finditer(pattern, text, re.DOTALL)
    return next((match.start() for match in found if match[1]), 0)


def _duplicates(text: str) -> list[Duplicate]:
    walker = _Walker(text, None)
    walker.value(0, "")
    lines = _Lines(text)
    return [
        Duplicate(key, pointer, *lines.place(offset)) for key, pointer, offset in walker.repeated
    ]


class _Walker:
    """Walk JSON text that is known to parse, and note where values start.

    Args:
        wanted: pointers to note, with their ancestors; ``None`` follows every branch,
            to find repeated keys.
    """

    def __init__(self, text: str, wanted: set[str] | None) -> None:
        self.text = text
        self.prefixes: set[str] | None = None if wanted is None else {""}
        for pointer in wanted or ():
            while pointer:
                assert self.prefixes is not None
                self.prefixes.add(pointer)
                pointer = pointer.rpartition("/")[0]
        self.starts: dict[str, int] = {}
        self.repeated: list[tuple[str, str, int]] = []

    def value(self, at: int, pointer: str | None) -> int:
        """Walk one value; return the offset behind it."""
        at = self._skip(at)
        if pointer is not None:
            self.starts.setdefault(pointer, at)
        lead = self.text[at]
        if lead == "{":
            return self._object(at + 1, pointer)
        if lead == "[":
            return self._array(at + 1, pointer)
        if lead == '"':
            return _scan_string(self.text, at + 1)[1]
        match = _SCALAR.match(self.text, at)
        return match.end() if match else at + 1

    def _object(self, at: int, pointer: str | None) -> int:
        at = self._skip(at)
        seen: set[str] = set()
        while self.text[at] != "}":
            start = at
            key, at = _scan_string(self.text, at + 1)
            child = self._child(pointer, escape(key))
            if child is not None:
                self.starts[child] = start
                if key in seen:
                    self.repeated.append((key, child, start))
            seen.add(key)
            at = self._skip(self.value(self._skip(at) + 1, child))
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1

    def _array(self, at: int, pointer: str | None) -> int:
        at = self._skip(at)
        index = 0
        while self.text[at] != "]":
            at = self._skip(self.value(at, self._child(pointer, str(index))))
            index += 1
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1

    def _child(self, pointer: str | None, token: str) -> str | None:
        if pointer is None:
            return None
        child = f"{pointer}/{token}"
        return child if self.prefixes is None or child in self.prefixes else None

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at
