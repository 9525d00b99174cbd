"""Whether two schemas say the same."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.schema.semantics import differences, equal

OBJECT: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}

SAME = {
    "key order": ({"type": "string", "minLength": 1}, {"minLength": 1, "type": "string"}),
    "order of required": ({"required": ["a", "b"]}, {"required": ["b", "a"]}),
    "order of enum": ({"enum": ["a", 1]}, {"enum": [1, "a"]}),
    "one type in a list": ({"type": "string"}, {"type": ["string"]}),
    "spelled-out defaults": (OBJECT, {**OBJECT, "additionalProperties": True, "required": []}),
    "the usual dialect": (
        OBJECT,
        {**OBJECT, "$schema": "https://json-schema.org/draft/2020-12/schema"},
    ),
    "a reference in place": (
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "null"}},
        },
        {"type": "object", "properties": {"a": {"type": "null"}}},
    ),
    "a reference with a description": (
        {
            "properties": {"a": {"$ref": "#/$defs/A", "description": "d"}},
            "$defs": {"A": {"type": "null"}},
        },
        {"properties": {"a": {"type": "null", "description": "d"}}},
    ),
    "recursion, unrolled once": (
        {"properties": {"next": {"$ref": "#"}}, "type": "object"},
        {
            "properties": {"next": {"properties": {"next": {"$ref": "#"}}, "type": "object"}},
            "type": "object",
        },
    ),
    "nullable spelled otherwise": (
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    "numbers": ({"minimum": 1}, {"minimum": 1.0}),
    "true and nothing": (True, {}),
}

DIFFERENT = {
    "a bound": (
        OBJECT,
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        "/properties/a/minimum",
    ),
    "a property": (OBJECT, {"type": "object"}, "/properties"),
    "a description": ({"description": "a"}, {"description": "b"}, "/description"),
    "a default": ({"default": 1}, {"default": True}, "/default"),
    "a const": ({"const": 1}, {"const": True}, "/const"),
    "a closed object": (OBJECT, {**OBJECT, "additionalProperties": False}, "/additionalProperties"),
    "false": ({"properties": {"a": False}}, {"properties": {"a": True}}, "/properties/a"),
    "another target": (
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}},
        "/type",
    ),
    "recursion with another bound": (
        {"properties": {"next": {"$ref": "#"}}, "maxProperties": 2},
        {"properties": {"next": {"$ref": "#"}}, "maxProperties": 3},
        "/maxProperties",
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_the_same_meaning_is_the_same(case: str) -> None:
    left, right = SAME[case]
    assert differences(left, right) == []
    assert differences(right, left) == []


@pytest.mark.parametrize("case", DIFFERENT)
def test_another_meaning_is_named_at_its_place(case: str) -> None:
    left, right, pointer = DIFFERENT[case]
    assert pointer in [each.pointer for each in differences(left, right)]
    assert differences(right, left) != []


ODD = [
    {"dependentRequired": {"a": 3}},
    {"dependentRequired": []},
    {"allOf": 3},
    {"properties": []},
    {"required": [{}, 1, "a"]},
    {"type": [1, "a"]},
    {"$ref": 3},
    {"$ref": "#/nowhere"},
]


@pytest.mark.parametrize("schema", ODD, ids=str)
def test_what_a_server_sends_is_compared_even_when_it_is_no_schema(schema: dict[str, Any]) -> None:
    assert differences(schema, schema) == []
    assert differences({"type": "string"}, schema) != []


def test_true_is_not_one() -> None:
    assert not equal(True, 1)
    assert not equal([True], [1])
    assert equal({"a": 1}, {"a": 1.0})
