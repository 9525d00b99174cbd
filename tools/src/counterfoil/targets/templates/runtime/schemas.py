"""Judge JSON values by a schema of the contract."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, cast

from ..json_schema import exact_validator
from .patterns import PatternError, PythonPattern, python_pattern
from .wording import shortened, shown

_LOOKED_AT = 64  # faults that are read before the first ones are named
_NAMED = 8
_FORMS = 3
_MAPS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_DATA = frozenset({"const", "default", "enum", "examples"})
_CLOSING = frozenset({"additionalProperties", "unevaluatedProperties"})

_SENTENCES: Mapping[str, str] = {
    "anyOf": "fits none of the allowed forms",
    "const": "must be {}",
    "contains": "has no item, or too few or many, of the form that is asked for",
    "dependentRequired": "lacks members that others need: {}",
    "enum": "must be one of {}",
    "exclusiveMaximum": "must be less than {}",
    "exclusiveMinimum": "must be more than {}",
    "maxItems": "must have a length of at most {}",
    "maxLength": "must have a length of at most {}",
    "maxProperties": "must have a number of members of at most {}",
    "maximum": "must be at most {}",
    "minItems": "must have a length of at least {}",
    "minLength": "must have a length of at least {}",
    "minProperties": "must have a number of members of at least {}",
    "minimum": "must be at least {}",
    "multipleOf": "must be a multiple of {}",
    "not": "is not allowed here",
    "oneOf": "must fit exactly one of the allowed forms",
    "unevaluatedItems": "has items that are not allowed here",
    "unevaluatedProperties": "has members that are not allowed here",
    "uniqueItems": "must not have an item twice",
}


class _Error(Protocol):
    """The part of ``jsonschema.ValidationError`` that is read; the library ships no types."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Any
    json_path: str
    schema_path: Sequence[str | int]
    context: Sequence[_Error]


class Judge:
    """Find what a value breaks of a JSON Schema 2020-12.

    The validator is made when the first value comes: listing tools needs none, and importing
    ``jsonschema`` takes a tenth of a cold start.

    Args:
        schema: a schema that stands on its own.

    Attributes:
        unreadable: what is wrong with patterns of the schema, one sentence each; with any, no
            value can be judged.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        found: list[str] = []
        # Read as 2020-12, whatever the root says: where it says another dialect, both agree.
        bare = {key: value for key, value in schema.items() if key != "$schema"}
        self._schema = _prepared(bare, found)
        self.unreadable = tuple(found)

    def faults(self, value: object) -> list[str]:
        """Return ``place: sentence`` of the first faults, sorted; none if the value fits.

        Sentences say what the schema asks for and repeat no value.
        """
        try:
            errors = self._errors(value)
        except RecursionError:
            return ["$: is nested too deeply"]
        found = sorted({(error.json_path, self._line(error)) for error in errors})
        lines = [line for _, line in found]
        return lines if len(lines) <= _NAMED else [*lines[:_NAMED], "and more"]

    def _errors(self, value: object) -> list[_Error]:
        found: Iterator[_Error] = self._validator.iter_errors(value)
        return list(itertools.islice(found, _LOOKED_AT))

    @cached_property
    def _validator(self) -> Any:
        return exact_validator(self._schema)

    def _line(self, error: _Error) -> str:
        return f"{shortened(error.json_path)}: {self._sentence(error)}"

    def _sentence(self, error: _Error) -> str:
        keyword, asked = error.validator, error.validator_value
        if keyword == "required":
            missing = [name for name in asked if name not in error.instance]
            return f"lacks {_quoted(missing)}"
        if keyword == "additionalProperties":
            return f"has members that are not known: {_quoted(_surplus(error))}"
        if keyword in ("anyOf", "oneOf") and error.context:
            return f"{_SENTENCES['anyOf']}: {'; '.join(self._forms(error))}"
        if keyword == "pattern":
            spelled = asked.spelled if isinstance(asked, PythonPattern) else asked
            return f"must match the pattern {shortened(spelled)}"
        if keyword == "type":
            return f"must be of type {asked if isinstance(asked, str) else ' or '.join(asked)}"
        template = _SENTENCES.get(keyword, f"breaks {keyword}")
        return template.replace("{}", shown(asked))

    def _forms(self, error: _Error) -> Iterator[str]:
        """Yield the first fault of the first few forms that the value could have had."""
        firsts: dict[str | int, _Error] = {}
        for each in error.context:
            firsts.setdefault(each.schema_path[0], each)
        for form, first in itertools.islice(firsts.items(), _FORMS):
            yield shortened(f"form {int(form) + 1}: {self._line(first)}")


def _surplus(error: _Error) -> list[str]:
    known: Mapping[str, Any] = error.schema.get("properties", {})
    patterns: Mapping[str, Any] = error.schema.get("patternProperties", {})
    return [
        name
        for name in error.instance
        if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    ]


def _quoted(names: Sequence[str]) -> str:
    return shortened(", ".join(shown(name, 80) for name in names))


def _prepared(schema: object, unreadable: list[str]) -> object:
    """Return a schema for ``jsonschema`` that judges alike.

    Patterns are in Python's dialect, and ``false`` is written as ``{"not": {}}``, because errors
    of a bare ``false`` come without their place; where it closes an object, there is one error
    for all members, and it stays.

    Args:
        schema: a schema, or a list of schemas.
        unreadable: is filled with a sentence for each pattern that Python cannot use.
    """
    if schema is False:
        return {"not": {}}
    if isinstance(schema, list):
        members = cast("Sequence[object]", schema)
        return [_prepared(each, unreadable) for each in members]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for keyword, value in cast("Mapping[str, object]", schema).items():
        if keyword == "pattern" and isinstance(value, str):
            made[keyword] = _read(value, unreadable)
        elif keyword in _MAPS and isinstance(value, dict):
            spell = keyword == "patternProperties"
            made[keyword] = {
                _read(name, unreadable) if spell else name: _prepared(member, unreadable)
                for name, member in cast("Mapping[str, object]", value).items()
            }
        elif keyword in _DATA or (keyword in _CLOSING and value is False):
            made[keyword] = value
        else:
            made[keyword] = _prepared(value, unreadable)
    return made


def _read(pattern: str, unreadable: list[str]) -> str:
    try:
        return python_pattern(pattern)
    except PatternError as error:
        unreadable.append(f"the pattern {shown(pattern)} cannot be used: {error}")
        return pattern
