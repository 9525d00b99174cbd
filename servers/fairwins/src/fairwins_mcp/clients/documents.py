"""JSON texts that get a member more and keep every other byte."""

from __future__ import annotations

import json
import re

from fairwins_mcp.errors import FairwinsMcpError
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")


class DocumentError(FairwinsMcpError):
    """Say why a text is left alone, and where: ``line`` and ``column``, from 1; 0 for the whole."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def read_document(text: str) -> dict[str, Any]:
    """Parse a text that is plain JSON with an object at its root; white space alone is empty.

    Raises:
        DocumentError: it is something else, has comments, or gives a key twice.
    """
    if not text.strip(" \t\r\n"):
        return {}
    try:
        document: object = json.loads(
            text, object_pairs_hook=_take_pairs, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        near = text[error.pos : error.pos + 2]
        reason = "has a comment" if near in ("//", "/*") else f"is no JSON: {error.msg}"
        raise DocumentError(reason, error.lineno, error.colno) from error
    except RecursionError as error:
        raise DocumentError("is nested too deeply") from error
    except ValueError as error:  # more digits than Python turns into a number
        raise DocumentError("holds a number that cannot be read") from error
    if not is_object(document):
        raise DocumentError("is no object")
    return document


def _refuse_constant(name: str) -> None:
    raise DocumentError(f"is no JSON: it holds {name}")


def _take_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DocumentError("gives a key twice in one object")
    return made


def add_member(text: str, keys: tuple[str, ...], name: str, value: object) -> str:
    """Put a member into the object that keys lead to, which is made where it is missing.

    Raises:
        DocumentError: what is at one of the keys is no object.
    """
    if not text.strip(" \t\r\n"):
        text = "{}\n"
    start, depth = _skip(text, 0), 1
    for number, key in enumerate(keys):
        spans = {found: at for found, at, _ in _list_spans(text, start)}
        if key not in spans:
            nested: object = {name: value}
            for outer in reversed(keys[number + 1 :]):
                nested = {outer: nested}
            return _insert(text, start, depth, (key, nested))
        if text[spans[key]] != "{":
            raise DocumentError(f'"{key}" is no object')
        start, depth = spans[key], depth + 1
    return _insert(text, start, depth, (name, value))


def add_item(text: str, key: str, value: object) -> str:
    """Put an item at the end of a list at the root, which is made where it is missing.

    Raises:
        DocumentError: what is at the key is no list.
    """
    if not text.strip(" \t\r\n"):
        text = "{}\n"
    start = _skip(text, 0)
    spans = {found: at for found, at, _ in _list_spans(text, start)}
    if key not in spans:
        return _insert(text, start, 1, (key, [value]))
    if text[spans[key]] != "[":
        raise DocumentError(f'"{key}" is no list')
    return _insert(text, spans[key], 2, (None, value))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _list_spans(text: str, start: int) -> Iterator[tuple[str | None, int, int]]:
    """Yield key, start and end of what an object or list holds; the text is known to be JSON."""
    is_object = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key: str | None = None
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # past the colon
        _, end = _DECODER.raw_decode(text, at)
        yield key, at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _insert(text: str, start: int, depth: int, member: tuple[str | None, object]) -> str:
    """Put a member at the end of the object or list that starts at a place."""
    spans = list(_list_spans(text, start))
    last = spans[-1][2] if spans else start + 1
    close = _skip(text, last)
    line = "\r\n" if "\r\n" in text else "\n"
    unit = _find_indent(text)
    is_flat = bool(spans) and "\n" not in text[start:close]
    key, value = member
    if is_flat:
        made = json.dumps(value, ensure_ascii=False)
        lead, tail = ", ", text[last:]
    else:
        pad = f"{line}{unit * depth}"
        made = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", pad)
        lead = f",{pad}" if spans else pad
        tail = text[last:] if spans else f"{line}{unit * (depth - 1)}{text[close:]}"
    named = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    return f"{text[:last]}{lead}{named}{made}{tail}"


def _find_indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "
