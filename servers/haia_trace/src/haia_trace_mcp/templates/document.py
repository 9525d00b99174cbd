"""Read one YAML 1.2 document with the core schema, as the library of the original does.

ruamel.yaml reads the syntax. What plain scalars mean is decided here, because its own rules know
dates, underscores in numbers and other things that the core schema does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf, nan
from typing import Any, Final, TypeAlias, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from haia_trace_mcp.errors import TemplateError

Node: TypeAlias = "bool | float | str | list[Node] | dict[str, Node] | None"

_TAG: Final = "tag:yaml.org,2002:"
_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NAN = re.compile(r"\.(?:nan|NaN|NAN)")

# How often aliases may stand for what they name, nested ones multiplied.
_ALIAS_LIMIT: Final = 100
_DEPTH_LIMIT: Final = 200


def read_document(text: str) -> Node:
    """Return the value of a text that holds at most one document; None for an empty one.

    Raises:
        TemplateError: the text is no YAML, repeats a key, holds several documents, or its aliases
            would grow without measure. The message does not name the source.
    """
    reader = _Reader()
    parser: Any = YAML(typ="safe", pure=True)
    try:
        for event in parser.parse(text):
            reader.take(event)
    except MarkedYAMLError as error:
        raise TemplateError(_syntax(error)) from error
    except (YAMLError, RecursionError) as error:
        raise TemplateError(f"not YAML: {error}") from error
    return reader.value


def _syntax(error: Any) -> str:
    mark = error.problem_mark or error.context_mark
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"{error.problem or error.context}{place}"


class _Anchor:
    """What an anchor names, and how often aliases made use of it."""

    def __init__(self, value: Node, weight: int) -> None:
        self.value = value
        self.weight = weight
        self.uses = 1


class _Open:
    """A collection that is being read; ``weight`` is that of the heaviest alias inside."""

    def __init__(self, value: list[Node] | dict[str, Node], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.weight = 1
        self.key: Node = None
        self.has_key = False
        self.keys: set[tuple[type, object]] = set()


class _Reader:
    def __init__(self) -> None:
        self.value: Node = None
        self._documents = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchor] = {}

    def take(self, event: Any) -> None:
        kind = cast("type[object]", type(event))
        if kind is DocumentStartEvent:
            self._document(event)
        elif kind is ScalarEvent:
            self._add(_scalar(event), event.anchor, 1, event)
        elif kind is AliasEvent:
            self._alias(event)
        elif kind in (SequenceStartEvent, MappingStartEvent):
            if len(self._open) >= _DEPTH_LIMIT:
                raise _fault(f"nested deeper than {_DEPTH_LIMIT} levels", event)
            value: list[Node] | dict[str, Node] = [] if kind is SequenceStartEvent else {}
            self._open.append(_Open(value, event.anchor))
        elif kind in (SequenceEndEvent, MappingEndEvent):
            done = self._open.pop()
            self._add(done.value, done.anchor, done.weight, event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _fault("there are several documents; a template is one", event)
        if event.version and tuple(event.version) < (1, 2):
            raise _fault("a template is YAML 1.2; this one asks for an older version", event)

    def _alias(self, event: Any) -> None:
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise _fault(f"alias {event.anchor!r} names nothing that is finished", event)
        anchor.uses += 1
        if anchor.uses * anchor.weight > _ALIAS_LIMIT:
            raise TemplateError("Excessive alias count indicates a resource exhaustion attack")
        self._add(anchor.value, None, anchor.uses * anchor.weight, event)

    def _add(self, value: Node, anchor: str | None, weight: int, event: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = _Anchor(value, weight)
        if not self._open:
            self.value = value
            return
        parent = self._open[-1]
        parent.weight = max(parent.weight, weight)
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif not parent.has_key:
            parent.key, parent.has_key = value, True
            if not isinstance(value, (list, dict)):
                known = (type(value), value)
                if known in parent.keys:
                    raise _fault("a key stands twice in one mapping", event)
                parent.keys.add(known)
        else:
            parent.has_key = False
            # Keys that are no text name nothing that a template has.
            if isinstance(parent.key, str):
                parent.value[parent.key] = value


def _scalar(event: Any) -> Node:
    text: str = event.value
    tag: str | None = event.tag
    if tag is None:
        return text if event.style else _plain(text)
    if tag == _TAG + "str" or tag == "!":
        return text
    if tag.startswith(_TAG):
        for kind, value in _readings(text):
            if tag == _TAG + kind:
                return value
    return text


def _plain(text: str) -> Node:
    return next((value for _, value in _readings(text)), text)


def _readings(text: str) -> Iterator[tuple[str, Node]]:
    """Yield what a scalar can be read as, by the core schema's names of types."""
    if _NULL.fullmatch(text):
        yield "null", None
    elif _TRUE.fullmatch(text):
        yield "bool", True
    elif _FALSE.fullmatch(text):
        yield "bool", False
    elif _INTEGER.fullmatch(text):
        yield "int", float(text)
        yield "float", float(text)
    elif _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        yield "int", _double(int(text, 0))
    elif _FLOAT.fullmatch(text):
        yield "float", float(text)
    elif _INFINITY.fullmatch(text):
        yield "float", -inf if text.startswith("-") else inf
    elif _NAN.fullmatch(text):
        yield "float", nan


def _double(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf


def _fault(reason: str, event: Any) -> TemplateError:
    mark = event.start_mark
    return TemplateError(f"{reason} at line {mark.line + 1}, column {mark.column + 1}")
