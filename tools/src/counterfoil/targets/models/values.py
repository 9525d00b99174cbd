"""Views of single values: constants, text and numbers."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any

from counterfoil.contract.values import is_object
from counterfoil.schema.patterns import PatternError, parse
from counterfoil.schema.translation import emit

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Python's escapes that Rust's engine reads otherwise.
_RUST = {"Z": "$", "<": "<", ">": ">"}

STRING = frozenset({"maxLength", "minLength", "pattern"})
NUMBER = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
# Type checkers read integers of 64 bits in a Literal, and not all read larger ones.
_WIDEST = 2**63


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a JSON value; ``1.0`` is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if is_object(value) else "array"


def is_a(value: Any, types: Iterable[str]) -> bool:
    """Say whether a JSON value is of one of some JSON Schema types."""
    found = type_of(value)
    return found in types or (found == "integer" and "number" in types)


def constants(values: list[Any]) -> tuple[dict[str, Any], bool]:
    """Return a view of an enumeration, and whether it says everything.

    ``Literal`` holds no fractions, arrays and objects, and takes ``True`` for ``1``.
    """
    if all(value is None for value in values):
        return {"type": "null"}, True
    plain = [int(value) if type_of(value) == "integer" else value for value in values]
    flags = [value for value in plain if isinstance(value, bool)]
    others = [value for value in plain if _is_literal(value) and not isinstance(value, bool)]
    kinds = sorted({type_of(value) for value in plain if not _is_literal(value)})
    # Beside an integer, a Literal of a flag would take it, and the other way round.
    mixed = any(isinstance(value, int) for value in others)
    views: list[dict[str, Any]] = []
    if flags:
        views.append({"type": "boolean"} if mixed else {"enum": flags})
    if others:
        views.append({"enum": others})
    views += [{"type": kind} for kind in kinds]
    exact = all(value is None or isinstance(value, str) for value in values)
    return views[0] if len(views) == 1 else {"anyOf": views}, exact


def _is_literal(value: Any) -> bool:
    if isinstance(value, int):
        return abs(value) < _WIDEST
    return value is None or isinstance(value, str)


def text(schema: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a view of a text, and the keywords that it leaves over."""
    view: dict[str, Any] = {"type": "string"}
    rest: dict[str, Any] = {}
    for keyword in sorted(STRING & schema.keys()):
        if keyword != "pattern":
            view[keyword] = int(schema[keyword])
        elif (portable := rust_pattern(schema[keyword])) is not None:
            view[keyword] = portable
        else:
            rest[keyword] = schema[keyword]
    return view, rest


def number(schema: dict[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a view of a number, and the keywords that it leaves over.

    Pydantic's model of a number compares as doubles, and so do its multiples.
    """
    view: dict[str, Any] = {"type": kind}
    rest: dict[str, Any] = {}
    for keyword in sorted(NUMBER & schema.keys()):
        bound = schema[keyword]
        whole = type_of(bound) == "integer"
        exact = whole if keyword == "multipleOf" or kind == "integer" else True
        if exact and (kind == "integer" or _is_double(bound)):
            view[keyword] = int(bound) if whole else bound
        else:
            rest[keyword] = bound
    return view, rest


def _is_double(value: float) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


@functools.lru_cache(maxsize=4096)
def rust_pattern(source: str) -> str | None:
    """Return a pattern that Pydantic reads as ECMAScript reads the source, or ``None``.

    A portable pattern stays as it is.
    """
    try:
        parsed = parse(source)
        if not parsed.problems:
            return source
        emitted = emit(parsed.root)
    except PatternError:
        return None
    spelled = _ESCAPE.sub(lambda found: _RUST.get(found[1], found[0]), emitted)
    return spelled if _compiles(spelled) else None


def _compiles(pattern: str) -> bool:
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True
