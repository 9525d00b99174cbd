"""A value made a little wrong: what borders on each keyword, and each other type."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from typing import Any

from counterfoil.contract.values import is_array, is_object
from counterfoil.targets.fidelity.builder import Builder
from counterfoil.targets.fidelity.strings import described

Schema = dict[str, Any]

MISSING: Any = object()
"""What is put where something is to be taken out."""

# One value of each type, and those that Python takes for one another.
_TYPES: tuple[Any, ...] = (None, True, 0, 1.0, 1.5, "", "1", "true", [], {})
_LONGEST = 10_000
_WIDE = "\N{GRINNING FACE}"
_OTHER_DIGIT = "\N{ARABIC-INDIC DIGIT THREE}"


def mutations(value: Any, schemas: tuple[Schema, ...], builder: Builder) -> Iterator[Any]:
    """Yield values to put in the place of a value.

    Args:
        value: what stands there.
        schemas: what is said about it.
        builder: makes other values of the schemas.
    """
    yield value
    yield MISSING
    yield from _TYPES
    for schema in schemas:
        for keywords, around in _AROUND:
            if not keywords.isdisjoint(schema):
                yield from around(schema, value)
        yield from builder.values(schema, 6)
    if is_object(value):
        yield from _members(value, schemas, builder)
    if is_array(value):
        yield from _items(value)


def _around_constants(schema: Schema, value: Any) -> Iterator[Any]:
    del value
    named = [schema["const"]] if "const" in schema else schema["enum"]
    for each in named[:8]:
        yield each
        if isinstance(each, bool):
            yield from (int(each), float(each), str(each).lower())
        elif isinstance(each, int | float):
            yield from (bool(each), float(each), each + 1, str(each))
        elif isinstance(each, str):
            yield from (f"{each} ", each.swapcase(), each[:-1])
        elif is_object(each):
            yield from ({**each, "extra": 1}, {key: each[key] for key in list(each)[1:]})
        elif is_array(each):
            yield from ([*each, 1], each[1:])


def _around_bounds(schema: Schema, value: Any) -> Iterator[Any]:
    del value
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if keyword in schema:
            bound = schema[keyword]
            yield from (bound - 1, bound, bound + 1, bound - 0.5, bound + 0.5)
            if abs(bound) < 2**53:
                yield float(bound)


def _around_multiples(schema: Schema, value: Any) -> Iterator[Any]:
    del value
    step = schema["multipleOf"]
    yield from (step, step * 3, step * 7, step / 2, step + 1, -step, 0)


def _around_lengths(schema: Schema, value: Any) -> Iterator[Any]:
    text = value if isinstance(value, str) and value else "x"
    for keyword in ("minLength", "maxLength"):
        bound = int(schema.get(keyword, 0))
        for length in (bound - 1, bound, bound + 1):
            if keyword in schema and 0 <= length <= _LONGEST:
                yield (text * (length // len(text) + 1))[:length]
        if keyword in schema and bound <= _LONGEST:
            yield _WIDE * bound


def _around_patterns(schema: Schema, value: Any) -> Iterator[Any]:
    texts = list(described(schema["pattern"])[:2])
    texts += [value] if isinstance(value, str) else []
    for text in texts:
        yield from (text, f"{text}\n", f"{text}!", f"!{text}", text[:-1], text[1:], text + text)
        yield "".join(_OTHER_DIGIT if each in string.digits else each for each in text)


def _around_counts(schema: Schema, value: Any) -> Iterator[Any]:
    if not is_array(value):
        return
    item = value[0] if value else 1
    for keyword in ("minItems", "maxItems", "minContains", "maxContains"):
        bound = int(schema.get(keyword, 0))
        for length in (bound - 1, bound, bound + 1):
            if keyword in schema and 0 <= length <= _LONGEST:
                yield [*value, *[item] * length][:length]


def _around_sizes(schema: Schema, value: Any) -> Iterator[Any]:
    if not is_object(value):
        return
    sample = next(iter(value.values()), 1)
    for keyword in ("minProperties", "maxProperties"):
        bound = int(schema.get(keyword, 0))
        for size in (bound - 1, bound, bound + 1):
            if keyword in schema and 0 <= size <= 200:
                filled = {**value, **{f"key{number}": sample for number in range(size)}}
                yield dict(list(filled.items())[:size])


def _around_unique(schema: Schema, value: Any) -> Iterator[Any]:
    del schema
    yield from ([1, 1], [1, 1.0], [1, True], [0, False], [{"a": 1}, {"a": 1.0}], ["a", "A"])
    if is_array(value) and value:
        yield [*value, value[0]]


def _around_positions(schema: Schema, value: Any) -> Iterator[Any]:
    del schema
    if is_array(value):
        yield from (value[::-1], value[:-1], [*value, None], [*value, *value])


def _around_needs(schema: Schema, value: Any) -> Iterator[Any]:
    if not is_object(value):
        return
    for name, needed in schema["dependentRequired"].items():
        given = {name: value.get(name, 1)}
        yield {**{key: value[key] for key in value if key not in needed}, **given}
        yield {**value, **given, **{key: value.get(key, 1) for key in needed}}


def _around_names(schema: Schema, value: Any) -> Iterator[Any]:
    if not is_object(value):
        return
    sample = next(iter(value.values()), 1)
    patterns = [*schema.get("patternProperties", {})]
    names = schema.get("propertyNames")
    if is_object(names) and "pattern" in names:
        patterns.append(names["pattern"])
    for pattern in patterns:
        for name in described(pattern)[:1]:
            for each in (name, f"{name}\n", f"!{name}"):
                yield {**value, each: sample}
                yield {**value, each: None}
    yield from ({**value, "": sample}, {**value, "Other Name": sample})


def _around_formats(schema: Schema, value: Any) -> Iterator[Any]:
    del schema, value
    yield from ("Foo@EXAMPLE.com", "https://A.example", "2024-01-02T03:04:05Z", "2024-01-02", "!!!")
    yield from ("6FA459EA-EE8A-3CA4-894E-DB77E160355E", "aGk=", "03:04:05Z", "::1", 1704164645)


_AROUND: tuple[tuple[frozenset[str], Callable[[Schema, Any], Iterator[Any]]], ...] = (
    (frozenset({"const", "enum"}), _around_constants),
    (frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"}), _around_bounds),
    (frozenset({"multipleOf"}), _around_multiples),
    (frozenset({"maxLength", "minLength"}), _around_lengths),
    (frozenset({"pattern"}), _around_patterns),
    (frozenset({"format"}), _around_formats),
    (frozenset({"maxContains", "maxItems", "minContains", "minItems"}), _around_counts),
    (frozenset({"uniqueItems"}), _around_unique),
    (frozenset({"contains", "prefixItems"}), _around_positions),
    (frozenset({"maxProperties", "minProperties"}), _around_sizes),
    (frozenset({"dependentRequired"}), _around_needs),
    (frozenset({"patternProperties", "propertyNames"}), _around_names),
)


def _members(value: Schema, schemas: tuple[Schema, ...], builder: Builder) -> Iterator[Any]:
    """Yield an object with members more."""
    yield from ({**value, "extra_member": None}, {**value, "extra_member": "text"})
    for schema in schemas:
        made = builder.first(schema)
        if is_object(made):
            yield {**value, **made}
        for extra in builder.values(schema.get("additionalProperties"), 6)[:1]:
            yield {**value, "extra_member": extra}


def _items(value: list[Any]) -> Iterator[Any]:
    """Yield an array with an item more, or less."""
    yield [*value, None]
    if value:
        yield from ([*value, value[0]], value[1:])
