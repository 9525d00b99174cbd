"""The judge of values: one reading of JSON Schema for cases, tests and generated stubs.

Python's ``jsonschema`` decides, with three departures: patterns have their ECMAScript meaning,
multiples are those of decimals as written, and no reference is ever fetched. Formats are
annotations, as in the specification. For many values there is a faster judge; the tests hold the
two together.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import jsonschema_rs

from counterfoil.contract.source import escape
from counterfoil.contract.values import is_array, is_object
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.patterns import translate
from counterfoil.schema.refs import unescape
from counterfoil.schema.sentences import sentence

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def judge(schema: Any) -> Validator:
    """Return the validator of a valid schema that stands on its own.

    Raises:
        PatternError: a pattern has no meaning that can be given to Python.
    """
    # Read as 2020-12, whatever the root says: `jsonschema` would change its class there.
    bare = {k: v for k, v in schema.items() if k != "$schema"} if is_object(schema) else schema
    return _judge()(translated(bare))


def fast_judge(schema: Any) -> jsonschema_rs.Validator:
    """Return a validator for bulk use; it says less.

    Raises:
        ValueError: the schema is not valid, or refers to what it does not hold.
    """
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False, offline=True)


def faults(schema_validator: Validator, value: Any) -> list[tuple[str, str]]:
    """Return ``(pointer into the value, sentence)`` for every way in which it is refused.

    Sorted, each once, and each sentence bounded in length. Empty means accepted.
    """
    errors = schema_validator.iter_errors(value)
    return sorted({(_pointer(error), sentence(error)) for error in errors})


def translated(schema: Any) -> Any:
    """Return a schema whose ``patternProperties`` are source for Python's ``re``.

    ``jsonschema`` reads these names in four keywords, so they are rewritten instead of each of
    the four; every ``pattern`` is tried too, so that none fails while a value is judged.

    Raises:
        PatternError: a pattern has no such form.
    """
    if not is_object(schema):
        return schema
    return {keyword: _translated(keyword, value) for keyword, value in schema.items()}


def _translated(keyword: str, value: Any) -> Any:
    if keyword == "pattern" and isinstance(value, str):
        translate(value)
    if keyword == "patternProperties" and is_object(value):
        return _translated_names(value)
    if keyword == "$ref" and isinstance(value, str):
        return _translated_reference(value)
    if keyword in ONE:
        return translated(value)
    if keyword in LIST and is_array(value):
        return [_member(each) for each in value]
    if keyword in MAP and is_object(value):
        return {name: _member(each) for name, each in value.items()}
    return value


def _member(schema: Any) -> Any:
    """Return a translated schema; ``false`` in the form whose errors say where the value is."""
    return {"not": {}} if schema is False else translated(schema)


def _translated_names(members: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, member in members.items():
        source, schema = translate(name), _member(member)
        # Two spellings of one pattern both hold.
        result[source] = {"allOf": [result[source], schema]} if source in result else schema
    return result


def _translated_reference(reference: str) -> str:
    head, found, tail = reference.partition("/patternProperties/")
    if not found:
        return reference
    name, slash, rest = tail.partition("/")
    name = unescape(name)
    return f"{head}{found}{escape(translate(name))}{slash}{rest}"


def _pattern(
    validator: Validator, pattern: str, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not re.search(translate(pattern), instance):
        yield _error(f"{instance!r} does not match {pattern!r}")


def _multiple_of(
    validator: Validator, factor: float, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "number"):
        return
    # By the decimals as written: in binary, 0.3 is no multiple of 0.1.
    if (Fraction(repr(instance)) / Fraction(repr(factor))).denominator != 1:
        yield _error(f"{instance!r} is not a multiple of {factor!r}")


def _error(message: str) -> ValidationError:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message)


@functools.cache
def _judge() -> Callable[[Any], Validator]:
    # Imported here: that takes longer than all other work on a contract without a fault.
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    # The stubs of jsonschema say nothing of what extend takes and returns.
    made: Callable[..., Validator] = cast("Any", validators).extend(
        Draft202012Validator, {"multipleOf": _multiple_of, "pattern": _pattern}
    )
    # A registry of its own holds no document and fetches none; the default one does both.
    return functools.partial(made, registry=Registry[Any]())


def _pointer(error: ValidationError) -> str:
    return "".join(f"/{escape(str(token))}" for token in error.absolute_path)
