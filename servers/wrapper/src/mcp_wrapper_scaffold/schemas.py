"""JSON Schemas of hand-written tools: refused if they cannot be used, then the judges of calls."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator, SchemaError, ValidationError, validators
from mcp.shared.inbound import find_invalid_x_mcp_header

Schema = Mapping[str, Any]
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NAMED = 8  # faults that a caller is told at once
_LIMIT = 200  # characters of one fault: what a caller sent must not blow up what it is told


class Judge:
    """Find what a value breaks of a schema, in the order of places.

    Patterns mean what they mean in ECMA 262 as far as anchors and ``\\d``, ``\\w`` go: ``$`` is the
    end of the text, not a place before its last line end, and digits are ASCII.
    """

    def __init__(self, schema: Schema) -> None:
        self._validator: Any = _VALIDATOR(schema)

    def faults(self, value: object) -> list[str]:
        """Return ``place: sentence`` of the first faults; none if the value fits."""
        if self._validator.is_valid(value):
            return []
        found: Iterable[ValidationError] = self._validator.iter_errors(value)
        errors = itertools.islice(found, 4 * _NAMED)
        lines = sorted({_shortened(f"{each.json_path}: {each.message}") for each in errors})
        return lines if len(lines) <= _NAMED else [*lines[:_NAMED], "and more"]


def find_fault(schema: object) -> str | None:
    """Return what is wrong with a tool's schema, in one sentence, or None.

    A schema is an object of JSON Schema 2020-12 with ``"type": "object"`` that refers to nothing
    outside of itself.
    """
    if not isinstance(schema, Mapping):
        return "is no JSON object"
    members = cast("Schema", schema)
    if members.get("type") != "object":
        return 'has no "type": "object" at its root'
    if members.get("$schema", _DIALECT) not in (_DIALECT, f"{_DIALECT}#"):
        return f"is of another dialect than {_DIALECT}"
    try:
        Draft202012Validator.check_schema(members)
    except SchemaError as error:
        return _shortened(f"is no JSON Schema 2020-12: {error.json_path}: {error.message}")
    for node in _nodes(members):
        reference = node.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            return f"refers to something outside of itself: {_shortened(reference)}"
        for pattern in (node.get("pattern"), *_mapping(node.get("patternProperties"))):
            if isinstance(pattern, str) and (fault := _pattern_fault(pattern)):
                return fault
    return find_invalid_x_mcp_header(members)


def _nodes(schema: object) -> Iterator[Schema]:
    """Yield every object in a schema. Data such as ``enum`` is looked at too, which is harmless."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            members = cast("Schema", node)
            yield members
            waiting.extend(members.values())
        elif isinstance(node, list):
            waiting.extend(cast("list[object]", node))


def _mapping(value: object) -> Iterable[object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else ()


def _pattern_fault(pattern: str) -> str | None:
    try:
        re.compile(_anchored(pattern), re.ASCII)
    except (re.error, ValueError) as error:  # the latter for flags such as (?u)
        return f"has a pattern that cannot be used: {_shortened(pattern)}: {error}"
    return None


def _anchored(pattern: str) -> str:
    """Write ``$`` outside of character classes as the end of the text."""
    made: list[str] = []
    in_class = False
    for sign in re.findall(r"\\.|.", pattern, re.DOTALL):
        if sign == "[":
            in_class = True
        elif sign == "]":
            in_class = False
        made.append(r"\Z" if sign == "$" and not in_class else sign)
    return "".join(made)


def _match_pattern(
    validator: Any, pattern: str, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not re.search(_anchored(pattern), instance, re.ASCII):
        yield ValidationError(f"does not match the pattern {pattern}")


def _shortened(text: str) -> str:
    return text if len(text) <= _LIMIT else f"{text[: _LIMIT - 1]}…"


# The library ships no types.
_VALIDATOR: Any = cast("Any", validators).extend(Draft202012Validator, {"pattern": _match_pattern})
