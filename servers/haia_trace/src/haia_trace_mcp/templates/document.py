"""Read one YAML document as the library of the original does.

ruamel.yaml reads the syntax. What scalars are is decided by ``scalars``, because its own rules for
YAML 1.2 know dates, underscores in numbers and other things that the core schema does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

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
from haia_trace_mcp.templates.scalars import CORE, OLD, Node, Rules, read_scalar

# What ruamel.yaml lets slip out of its parser for some malformed texts.
_SLIPS: Final = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

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
    for event in _events(text):
        reader.take(event)
    return reader.value


def _events(text: str) -> Iterator[Any]:
    parser: Any = YAML(typ="safe", pure=True)
    try:
        # A last line without an end is one, for the original's library.
        yield from parser.parse(text if text.endswith("\n") else text + "\n")
    except MarkedYAMLError as error:
        raise TemplateError(_syntax(error)) from error
    except (YAMLError, *_SLIPS) as error:
        raise TemplateError(f"not YAML: {error}") from error


def _syntax(error: Any) -> str:
    mark = error.problem_mark or error.context_mark
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"{error.problem or error.context}{place}"


class _Anchor:
    """What an anchor names, how often it was used, and the weight of aliases inside of it."""

    def __init__(self, value: Node) -> None:
        self.value = value
        self.uses = 1
        self.weight = 1
        self.is_finished = True


class _Open:
    """A collection that is being read; ``weight`` is that of the heaviest alias inside."""

    def __init__(self, value: list[Node] | dict[str, Node], anchor: _Anchor | None) -> None:
        self.value = value
        self.anchor = anchor
        self.weight = 1
        self.key: Node = None
        self.has_key = False
        self.is_merge = False
        self.keys: set[tuple[type, object]] = set()


class _Reader:
    def __init__(self) -> None:
        self.value: Node = None
        self._documents = 0
        self._rules: Rules = CORE
        self._is_old = False
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchor] = {}

    def take(self, event: Any) -> None:
        kind = cast("type[object]", type(event))
        if kind is DocumentStartEvent:
            self._document(event)
        elif kind is ScalarEvent:
            is_plain = event.style is None
            scalar = read_scalar(event.value, event.tag, is_plain, self._rules)
            is_merge = scalar == "<<" and is_plain and self._is_old
            self._anchor(event, scalar)
            self._add(scalar, 1, event, is_merge=is_merge)
        elif kind is AliasEvent:
            self._alias(event)
        elif kind in (SequenceStartEvent, MappingStartEvent):
            if len(self._open) >= _DEPTH_LIMIT:
                raise _fault(f"nested deeper than {_DEPTH_LIMIT} levels", event)
            value: list[Node] | dict[str, Node] = [] if kind is SequenceStartEvent else {}
            anchor = self._anchor(event, value)
            if anchor is not None:
                anchor.is_finished = False
            self._open.append(_Open(value, anchor))
        elif kind in (SequenceEndEvent, MappingEndEvent):
            done = self._open.pop()
            if done.anchor is not None:
                done.anchor.weight, done.anchor.is_finished = done.weight, True
            self._add(done.value, done.weight, event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _fault("there are several documents; a template is one", event)
        if event.version and tuple(event.version) == (1, 1):
            self._rules = OLD
            self._is_old = True

    def _alias(self, event: Any) -> None:
        anchor = self._anchors.get(event.anchor)
        if anchor is None or not anchor.is_finished:
            raise _fault(f"alias {event.anchor!r} names nothing that is finished", event)
        anchor.uses += 1
        if anchor.uses * anchor.weight > _ALIAS_LIMIT:
            raise TemplateError("Excessive alias count indicates a resource exhaustion attack")
        self._add(anchor.value, anchor.uses * anchor.weight, event)

    def _anchor(self, event: Any, value: Node) -> _Anchor | None:
        if event.anchor is None:
            return None
        anchor = self._anchors[event.anchor] = _Anchor(value)
        return anchor

    def _add(
        self,
        value: Node,
        weight: int,
        event: Any,
        *,
        is_merge: bool = False,
    ) -> None:
        if not self._open:
            self.value = value
            return
        parent = self._open[-1]
        parent.weight = max(parent.weight, weight)
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif not parent.has_key:
            parent.key, parent.has_key, parent.is_merge = value, True, is_merge
            if not isinstance(value, (list, dict)) and not is_merge:
                known = (type(value), value)
                if known in parent.keys:
                    raise _fault("a key stands twice in one mapping", event)
                parent.keys.add(known)
        else:
            parent.has_key = False
            if parent.is_merge:
                _merge(value, parent.value)
            elif isinstance(parent.key, str):  # others name nothing that a template has
                parent.value[parent.key] = value


def _merge(value: Node, target: dict[str, Node]) -> None:
    for source in value if isinstance(value, list) else [value]:
        if not isinstance(source, dict):
            raise TemplateError("Merge sources must be maps or map aliases")
        for key, each in source.items():
            target.setdefault(key, each)


def _fault(reason: str, event: Any) -> TemplateError:
    mark = event.start_mark
    return TemplateError(f"{reason} at line {mark.line + 1}, column {mark.column + 1}")
