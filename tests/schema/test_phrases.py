"""Types, limits and members of schemas in words."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.schema.fields import Field, fields
from counterfoil.schema.limits import default, limits
from counterfoil.schema.phrases import Piece, joined, plain, type_phrase
from counterfoil.schema.relocation import relocated


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, "anything"),
        ({}, "anything"),
        (False, "nothing"),
        ({"enum": []}, "nothing"),
        ({"type": "integer"}, "whole number"),
        ({"type": ["string", "null"]}, "text or null"),
        ({"const": {"a": None}}, 'always `{"a": null}`'),
        ({"enum": ["a"]}, 'always `"a"`'),
        ({"enum": ["é", 1, None]}, 'one of `"é"`, `1`, `null`'),
        ({"type": "array"}, "list of anything"),
        ({"items": {"type": "boolean"}}, "list of true/false"),
        ({"type": "array", "items": {"type": ["string", "number"]}}, "list of (text or number)"),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]},
            "list of text, then text, then any number of anything",
        ),
        (
            {"type": "array", "prefixItems": [{"type": "null"}], "items": False},
            "list of null",
        ),
        ({"properties": {"a": {}}}, "object"),
        (
            {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
            "map from text to list of anything",
        ),
        ({"$ref": "#/$defs/Berth"}, "Berth"),
        ({"$ref": "#/$defs/Berth/properties/id"}, "`#/$defs/Berth/properties/id`"),
        ({"$ref": "#"}, "the whole again"),
        ({"anyOf": [{"$ref": "#/$defs/Berth"}, {"type": "null"}]}, "Berth or null"),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "object"),
        ({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}, "A and B"),
        (
            {"allOf": [{"$ref": "#/$defs/A"}], "oneOf": [{"type": "null"}, {"type": "string"}]},
            "A and (null or text)",
        ),
    ],
)
def test_a_type_is_said_in_words(schema: Any, words: str) -> None:
    assert plain(type_phrase(schema)) == words


def test_a_shared_schema_is_a_name_that_a_page_can_link() -> None:
    assert type_phrase({"$ref": "#/$defs/Berth"}) == (Piece("Berth", "type"),)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, ""),
        ({"minimum": 1, "maximum": 9}, "from `1` to `9`"),
        ({"minimum": 0}, "at least `0`"),
        ({"maximum": 1.5}, "at most `1.5`"),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, "more than `0`; less than `1`"),
        ({"multipleOf": 5}, "a multiple of `5`"),
        ({"minLength": 1, "maxLength": 64}, "1 to 64 characters"),
        ({"minLength": 0, "maxLength": 1}, "at most 1 character"),
        ({"minLength": 3, "maxLength": 3}, "exactly 3 characters"),
        ({"minItems": 1}, "at least 1 item"),
        ({"maxProperties": 2}, "at most 2 members"),
        ({"pattern": "^a|b$", "format": "uri"}, "matches `^a|b$`; in the format `uri`"),
        ({"contentEncoding": "base64"}, "encoded as `base64`"),
        ({"uniqueItems": True}, "no item twice"),
        ({"contains": {"type": "null"}}, "at least 1 of the items: null"),
        (
            {"contains": {"type": "integer", "minimum": 1}, "minContains": 2, "maxContains": 3},
            "2 to 3 of the items: whole number, at least `1`",
        ),
        ({"properties": {"a": {}}, "additionalProperties": False}, "no other members"),
        ({"additionalProperties": False}, "no members"),
        ({"patternProperties": {"^x": {"type": "null"}}}, "members named like `^x`: null"),
        ({"propertyNames": {"maxLength": 2}}, "names of members: at most 2 characters"),
        ({"propertyNames": {"enum": ["a", "b"]}}, 'names of members: one of `"a"`, `"b"`'),
        ({"dependentRequired": {"a": ["b", "c"]}}, "`a` needs `b`, `c`"),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
            "at least one of: `a`; `b` with `c`",
        ),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, "exactly one of: `a`; `b`"),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, "exactly one of the choices fits"),
        ({"not": {"const": 1}}, "further conditions are in the schema"),
        ({"allOf": [{"minLength": 1}, {"pattern": "a"}]}, "at least 1 character; matches `a`"),
    ],
)
def test_limits_are_said_in_words(schema: Any, words: str) -> None:
    assert plain(joined(limits(schema), "; ")) == words


def test_a_default_may_be_null_and_may_be_absent() -> None:
    assert plain(default({"default": None})) == "`null`"
    assert default({}) == ()
    assert default(True) == ()


def test_fields_go_through_objects_lists_maps_and_choices() -> None:
    named = {"type": "string", "description": "A name."}
    schema = {
        "type": "object",
        "required": ["list"],
        "properties": {
            "list": {"type": "array", "items": {"type": "object", "properties": {"a b": named}}},
            "map": {"type": "object", "additionalProperties": named},
            "bare": {"type": "array", "items": {"type": "string"}},
            "pair": {"type": "array", "prefixItems": [named, True]},
            "some": {"type": "object", "patternProperties": {"^x": True}},
        },
        "allOf": [{"properties": {"more": True}}],
        "oneOf": [
            {"title": "First", "properties": {"one": {"anyOf": [{"properties": {"in": True}}]}}},
            {"properties": {"two": True}},
        ],
    }
    assert [(each.path, each.required, each.within) for each in fields(schema)] == [
        ("list", True, ""),
        ('list[]["a b"]', False, ""),
        ("map", False, ""),
        ("map.*", None, ""),
        ("bare", False, ""),
        ("pair", False, ""),
        ("pair[0]", None, ""),
        ("pair[1]", None, ""),
        ("some", False, ""),
        ('some["^x"]', None, ""),
        ("more", False, ""),
        ("one", False, "First"),
        ("one.in", False, "First, choice 1 of 1"),
        ("two", False, "choice 2 of 2"),
    ]


def test_a_schema_without_members_has_no_fields() -> None:
    assert list(fields(True)) == []
    assert list(fields({"type": "string"})) == []
    assert list(fields({"properties": {"a": {"$ref": "#"}}})) == [Field("a", {"$ref": "#"}, False)]


def test_references_move_and_data_stays() -> None:
    reference = {"$ref": "#/$defs/A"}
    schema = {
        "properties": {"$ref": reference, "a": {"items": reference}},
        "anyOf": [reference, True],
        "not": reference,
        "default": reference,
        "enum": [reference],
    }
    moved = {"$ref": "#/x/A"}
    assert relocated(schema, lambda given: given.replace("$defs", "x")) == {
        "properties": {"$ref": moved, "a": {"items": moved}},
        "anyOf": [moved, True],
        "not": moved,
        "default": reference,
        "enum": [reference],
    }
    assert schema["not"] == reference
