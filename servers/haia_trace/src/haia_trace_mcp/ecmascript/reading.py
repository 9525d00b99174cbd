"""Read JSON as ``JSON.parse`` does.

Numbers become doubles (``float``), so ``1e400`` is infinity and no integer is exact beyond 2**53.
A repeated key keeps the place of its first occurrence and the value of its last. Lone surrogate
escapes stay in the text. The order of integer-like keys is a matter of printing.
"""

from __future__ import annotations

import json
import re
from typing import Final, TypeAlias

from haia_trace_mcp.errors import HaiaTraceError

Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"

# V8 prints about 4,000 nested arrays and overflows its stack at 5,000.
DEPTH_LIMIT: Final = 5000

# What `String.prototype.trim` takes away; unlike str.strip, neither U+001C to U+001F nor U+0085.
WHITE_SPACE: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: Final[dict[str, tuple[str, Json]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
}


class MalformedJsonError(HaiaTraceError):
    """Say why and at which character a text is not JSON."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at position {position}")
        self.reason = reason
        self.position = position


def _refuse_word(word: str) -> Json:
    raise MalformedJsonError(f"unexpected {word}", 0)


_DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=_refuse_word)


def parse_json(text: str) -> Json:
    """Return the value of a JSON text; strict, and no deeper than ``DEPTH_LIMIT``.

    Raises:
        MalformedJsonError: the text is not one JSON value.
    """
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _malformed(error) from error
    except RecursionError:  # the standard library gives up at the interpreter's own limit
        return parse_deep(text)
    return value


def parse_deep(text: str) -> Json:
    """Return the same as ``parse_json``, without recursion and more slowly."""
    reader = _Reader(text)
    value = reader.read()
    reader.skip_space()
    if reader.position != len(text):
        raise reader.refuse("extra data")
    return value


def _malformed(error: json.JSONDecodeError) -> MalformedJsonError:
    return MalformedJsonError(error.msg[:1].lower() + error.msg[1:], error.pos)


class _Reader:
    """Reads one value with a stack of its own: the open arrays and objects, and their last keys."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._open: list[list[Json] | dict[str, Json]] = []
        self._keys: list[str] = []

    def refuse(self, reason: str) -> MalformedJsonError:
        return MalformedJsonError(reason, self.position)

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.position)
        assert match is not None  # the pattern matches nothing, too
        self.position = match.end()

    def read(self) -> Json:
        while True:
            value = self._begin()
            if isinstance(value, (list, dict)) and self._enter(value):
                continue
            while self._open:
                if self._place(value):
                    break
                value = self._leave()
            else:
                return value

    def _begin(self) -> Json:
        """Read a scalar, or the opening bracket of a container."""
        self.skip_space()
        first = self._peek()
        if first in ("{", "["):
            self.position += 1
            return {} if first == "{" else []
        if first == '"':
            return self._string()
        if first in _WORDS:
            word, value = _WORDS[first]
            if not self.text.startswith(word, self.position):
                raise self.refuse("expecting value")
            self.position += len(word)
            return value
        match = _NUMBER.match(self.text, self.position)
        if match is None:
            raise self.refuse("expecting value")
        self.position = match.end()
        return float(match.group())

    def _enter(self, container: list[Json] | dict[str, Json]) -> bool:
        """Go into a container that was just opened; tell whether it has something in it."""
        self.skip_space()
        if self._peek() == ("}" if isinstance(container, dict) else "]"):
            self.position += 1
            return False
        if len(self._open) >= DEPTH_LIMIT:
            raise self.refuse(f"nested deeper than {DEPTH_LIMIT} levels")
        self._open.append(container)
        self._keys.append("")
        if isinstance(container, dict):
            self._key()
        return True

    def _place(self, value: Json) -> bool:
        """Put a value into the innermost container; tell whether another one follows."""
        container = self._open[-1]
        if isinstance(container, dict):
            container[self._keys[-1]] = value
        else:
            container.append(value)
        self.skip_space()
        mark = self._peek()
        self.position += 1
        if mark == ",":
            if isinstance(container, dict):
                self.skip_space()
                self._key()
            return True
        if mark != ("}" if isinstance(container, dict) else "]"):
            self.position -= 1
            raise self.refuse("expecting ',' delimiter")
        return False

    def _leave(self) -> Json:
        self._keys.pop()
        return self._open.pop()

    def _key(self) -> None:
        if self._peek() != '"':
            raise self.refuse("expecting property name enclosed in double quotes")
        self._keys[-1] = self._string()
        self.skip_space()
        if self._peek() != ":":
            raise self.refuse("expecting ':' delimiter")
        self.position += 1

    def _string(self) -> str:
        try:
            text, self.position = _DECODER.raw_decode(self.text, self.position)
        except json.JSONDecodeError as error:
            raise _malformed(error) from error
        return str(text)

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]
