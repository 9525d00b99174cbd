"""Say why a value is refused, in one bounded sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.values import members, texts

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_LONGEST_VALUE = 60
_TYPES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def sentence(error: ValidationError) -> str:
    """Return one clause about a value, at most 200 characters long."""
    say = _SENTENCES.get(str(error.validator))
    return bounded(say(error) if say else error.message)


def shown(value: Any) -> str:
    """Return a value as JSON on one line, cut where it is long."""
    if isinstance(value, str):
        # A long text is cut before it is escaped, so that its length does not matter.
        return bounded(json.dumps(value[:_LONGEST_VALUE]), _LONGEST_VALUE)
    return bounded(json.dumps(value), _LONGEST_VALUE)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(shown, values))


def _wanted(error: ValidationError) -> Any:
    """Return what the keyword asks for; its annotation also allows for errors without one."""
    return cast("Any", error.validator_value)


def _given(error: ValidationError) -> Any:
    return cast("Any", error.instance)


def _type(error: ValidationError) -> str:
    wanted = _wanted(error)
    names = [wanted] if isinstance(wanted, str) else texts(wanted)
    return f"{shown(error.instance)} is not {' or '.join(_TYPES.get(n, n) for n in names)}"


def _required(error: ValidationError) -> str:
    return f"lacks {_listed(name for name in texts(_wanted(error)) if name not in _given(error))}"


def _additional(error: ValidationError) -> str:
    schema = members(error.schema)
    patterns = members(schema.get("patternProperties"))
    extra = [
        name
        for name in members(error.instance)
        if name not in members(schema.get("properties"))
        and not any(re.search(pattern, name) for pattern in patterns)
    ]
    return f"has members that are not known: {_listed(extra)}"


def _not(error: ValidationError) -> str:
    if _wanted(error) == {}:
        return "is not allowed here"
    return f"{shown(error.instance)} is what the schema excludes"


def _nearest(error: ValidationError) -> str:
    if not error.context:
        return f"{shown(error.instance)} matches more than one of the alternatives"
    depth = max(len(each.path) for each in error.context)
    near = min(
        (sentence(each) for each in error.context if len(each.path) == depth), key=len, default=""
    )
    return f"matches none of {len(_wanted(error))} alternatives ({near})"


def _compared(relation: str) -> Callable[[ValidationError], str]:
    return lambda error: f"{shown(error.instance)} is {relation} {shown(_wanted(error))}"


def _sized(relation: str, unit: str) -> Callable[[ValidationError], str]:
    return lambda error: f"has {len(_given(error))} {unit}, {relation} {shown(_wanted(error))}"


_SENTENCES: Mapping[str, Callable[[ValidationError], str]] = {
    "None": lambda error: "is not allowed here",
    "additionalProperties": _additional,
    "anyOf": _nearest,
    "const": _compared("not"),
    "enum": lambda error: f"{shown(error.instance)} is none of {_listed(_wanted(error))}",
    "exclusiveMaximum": _compared("not less than"),
    "exclusiveMinimum": _compared("not more than"),
    "maxItems": _sized("more than", "items"),
    "maxLength": _sized("more than", "characters"),
    "maxProperties": _sized("more than", "members"),
    "maximum": _compared("more than"),
    "minItems": _sized("fewer than", "items"),
    "minLength": _sized("fewer than", "characters"),
    "minProperties": _sized("fewer than", "members"),
    "minimum": _compared("less than"),
    "multipleOf": _compared("no multiple of"),
    "not": _not,
    "oneOf": _nearest,
    "pattern": _compared("not matched by"),
    "required": _required,
    "type": _type,
    "uniqueItems": lambda error: "holds an item twice",
}
