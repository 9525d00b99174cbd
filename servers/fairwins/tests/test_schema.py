"""The validator: every keyword, equality as JSON has it, references, and clear sentences."""

from __future__ import annotations

import json
import unittest
from typing import Any

from fairwins_mcp.errors import SchemaError
from fairwins_mcp.schema import Schema

# (schema, values that fit, values that do not)
CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (True, [None, 1, {}], []),
    (False, [], [None, 1, {}]),
    ({}, [None, 1, {}], []),
    ({"type": "integer"}, [1, -1, 0, 1.0, 1e300, 2**70], [1.5, True, "1", None]),
    ({"type": "number"}, [1, 1.5], [True, "1"]),
    ({"type": "boolean"}, [True, False], [0, 1, "true"]),
    ({"type": "null"}, [None], [0, "", False]),
    ({"type": ["string", "null"]}, ["", None], [0, []]),
    ({"type": "array"}, [[]], [{}, "a"]),
    ({"type": "object"}, [{}], [[], "a"]),
    (
        {"enum": [1, "a", None, [1], {"a": 1}]},
        [1, 1.0, "a", None, [1.0], {"a": 1.0}],
        [True, [True], 2],
    ),
    ({"enum": [False]}, [False], [0, 0.0, None]),
    ({"const": 0}, [0, 0.0, -0.0], [False, None, ""]),
    ({"const": {"a": [1, {"b": None}]}}, [{"a": [1, {"b": None}]}], [{"a": [1, {}]}, {}]),
    ({"multipleOf": 2}, [4, 0, -2, 4.0, "x", True], [3, 4.5]),
    ({"multipleOf": 0.01}, [19.99, 4.35, 0.07, 1, 1e20], [19.999, 0.001]),
    ({"multipleOf": 1e-8}, [1e308, 12391239123], [1.5e-9]),
    ({"minimum": 1, "maximum": 3}, [1, 3, 2.5, "x", True], [0, 3.1]),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, [2, 1.1], [1, 3, 1.0]),
    ({"maximum": 2**60}, [2**60], [2**60 + 1]),
    ({"minLength": 2, "maxLength": 3}, ["ab", "😀😀😀", 5], ["😀", "abcd"]),
    ({"minLength": 2.0}, ["ab"], ["a"]),
    ({"pattern": "^a+$"}, ["aa", 5], ["aab", "aa\n", ""]),
    ({"pattern": "b"}, ["abc"], ["ac"]),
    ({"prefixItems": [{"type": "string"}, True]}, [[], ["a"], ["a", 1, 2], "x"], [[1]]),
    ({"prefixItems": [True], "items": False}, [[], [1]], [[1, 2]]),
    ({"items": {"type": "integer"}}, [[], [1, 2]], [[1, "a"]]),
    ({"contains": {"const": 1}}, [[1], [0, 1.0]], [[], [True]]),
    ({"contains": {"const": 1}, "minContains": 0}, [[], [2]], []),
    ({"contains": {"const": 1}, "minContains": 2, "maxContains": 3}, [[1, 1]], [[1], [1, 1, 1, 1]]),
    ({"minContains": 2, "maxContains": 0}, [[], [1]], []),
    ({"minItems": 1, "maxItems": 2}, [[1], [1, 2], {}], [[], [1, 2, 3]]),
    (
        {"uniqueItems": True},
        [[1, True, "1", None], [{"a": 1}, {"a": 2}]],
        [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]],
    ),
    ({"uniqueItems": True}, [[[1], [True]], [0, False]], [[[1], [1.0]]]),
    ({"uniqueItems": False}, [[1, 1]], []),
    ({"required": ["a"]}, [{"a": None}, []], [{}]),
    ({"minProperties": 1, "maxProperties": 2}, [{"a": 1}], [{}, {"a": 1, "b": 1, "c": 1}]),
    ({"properties": {"a": {"type": "integer"}}}, [{}, {"a": 1}, {"b": ""}], [{"a": ""}]),
    ({"properties": {"a": True}, "additionalProperties": False}, [{"a": 1}], [{"b": 1}]),
    (
        {
            "patternProperties": {"^x": {"type": "integer"}},
            "additionalProperties": {"type": "string"},
        },
        [{"x": 1, "y": ""}],
        [{"x": ""}, {"y": 1}],
    ),
    ({"propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
    ({"propertyNames": False}, [{}], [{"a": 1}]),
    (
        {"dependentRequired": {"a": ["b", "c"]}},
        [{}, {"a": 1, "b": 1, "c": 1}, {"b": 1}],
        [{"a": 1, "b": 1}],
    ),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, [1, 2], [0, 3]),
    ({"anyOf": [{"type": "string"}, {"minimum": 5}]}, ["a", 5, None], [4]),
    ({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, [2, 3, 4], [6, 5]),
    ({"not": {"type": "string"}}, [1], ["a"]),
    (
        {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 5}},
        ["ab", 5],
        ["a", 4],
    ),
    ({"if": False, "else": False}, [], [1]),
    ({"then": False, "else": False}, [1], []),
    ({"$ref": "#/$defs/a", "minimum": 2, "$defs": {"a": {"type": "integer"}}}, [2], [1, 2.5]),
    ({"$ref": "#x", "$defs": {"a": {"$anchor": "x", "type": "null"}}}, [None], [1]),
    ({"$dynamicRef": "#x", "$defs": {"a": {"$dynamicAnchor": "x", "type": "null"}}}, [None], [1]),
    ({"$ref": "#/$defs/a~1b~0c%25", "$defs": {"a/b~c%": {"type": "null"}}}, [None], [1]),
    (
        {"$id": "https://x.test/s", "$ref": "https://x.test/s#/$defs/a", "$defs": {"a": False}},
        [],
        [1],
    ),
    ({"allOf": [True, {"$ref": "#/allOf/0"}], "$ref": "#/$defs/a", "$defs": {"a": {}}}, [1], []),
    (
        {"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}, "required": ["n"]},
        [{"n": 1, "next": {"n": 2}}],
        [{"n": 1, "next": {"n": "x"}}, {"n": 1, "next": {}}],
    ),
    # annotations
    ({"properties": {"a": True}, "unevaluatedProperties": False}, [{"a": 1}], [{"b": 1}]),
    (
        {"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
        [{"a": 1}],
        [{"b": 1}],
    ),
    ({"allOf": [{"properties": {"a": True}}, {"unevaluatedProperties": False}]}, [{}], [{"a": 1}]),
    (
        {
            "anyOf": [
                {"properties": {"a": {"const": 1}}, "required": ["a"]},
                {"properties": {"b": True}},
            ],
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1}, {"b": 1}],
        [{"a": 2}, {"c": 1}],
    ),
    (
        {
            "if": {"required": ["a"], "properties": {"a": True}},
            "then": {"properties": {"b": True}},
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1}, {}],
        [{"b": 1}],
    ),
    (
        {"not": {"not": {"properties": {"a": True}}}, "unevaluatedProperties": False},
        [{}],
        [{"a": 1}],
    ),
    (
        {
            "$ref": "#/$defs/a",
            "unevaluatedProperties": {"type": "string"},
            "$defs": {"a": {"properties": {"a": True}}},
        },
        [{"a": 1, "b": ""}],
        [{"b": 1}],
    ),
    ({"additionalProperties": True, "unevaluatedProperties": False}, [{"a": 1}], []),
    ({"patternProperties": {"^a": True}, "unevaluatedProperties": False}, [{"ab": 1}], [{"b": 1}]),
    (
        {
            "dependentSchemas": {"a": {"properties": {"a": True, "b": True}}},
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1}],
        [{"b": 1}],
    ),
    (
        {
            "oneOf": [{"properties": {"a": True}, "required": ["a"]}, {"required": ["b"]}],
            "unevaluatedProperties": False,
        },
        [{"a": 1}],
        [{"b": 1}],
    ),
    (
        {
            "properties": {
                "in": {"unevaluatedProperties": False, "allOf": [{"properties": {"a": True}}]}
            },
            "unevaluatedProperties": False,
        },
        [{"in": {"a": 1}}],
        [{"in": {"b": 1}}, {"out": 1}],
    ),
    ({"prefixItems": [True], "unevaluatedItems": False}, [[1]], [[1, 2]]),
    ({"items": True, "unevaluatedItems": False}, [[1, 2]], []),
    ({"contains": {"const": 1}, "unevaluatedItems": {"type": "string"}}, [[1, "a", 1]], [[1, 2]]),
    (
        {
            "allOf": [{"prefixItems": [True, True]}, {"prefixItems": [True]}],
            "unevaluatedItems": False,
        },
        [[1, 2]],
        [[1, 2, 3]],
    ),
    ({"allOf": [{"unevaluatedItems": True}], "unevaluatedItems": False}, [[1, 2]], []),
    ({"unevaluatedItems": False}, [[], "x"], [[1]]),
    ({"format": "date", "unknown": [], "title": 5, "deprecated": True}, ["no date"], []),
    ({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "null"}, [None], [1]),
]

BROKEN: list[Any] = [
    5,
    {"type": "text"},
    {"type": []},
    {"type": [5]},
    {"enum": 5},
    {"minimum": "1"},
    {"minimum": True},
    {"multipleOf": 0},
    {"minLength": -1},
    {"maxItems": 1.5},
    {"maxItems": True},
    {"pattern": "("},
    {"pattern": 5},
    {"patternProperties": {"[": True}},
    {"required": "a"},
    {"required": [1]},
    {"uniqueItems": "yes"},
    {"dependentRequired": {"a": "b"}},
    {"dependentRequired": []},
    {"properties": []},
    {"properties": {"a": 5}},
    {"items": [True]},
    {"allOf": []},
    {"anyOf": {}},
    {"not": None},
    {"contains": True, "minContains": "1"},
    {"$ref": 5},
    {"$ref": "https://elsewhere.test/schema"},
    {"$ref": "other.json#/a"},
    {"$ref": "#/$defs/missing"},
    {"$ref": "#missing"},
    {"$ref": "#/allOf/x", "allOf": [True]},
    {"$ref": "#/allOf/5", "allOf": [True]},
    {"$schema": "http://json-schema.org/draft-07/schema#"},
    {"properties": {"a": {"$id": "https://x.test/inner"}}},
]


class Verdicts(unittest.TestCase):
    def test_values_fit_or_do_not(self) -> None:
        for schema, good, bad in CASES:
            compiled = Schema(schema)
            for value in good:
                with self.subTest(schema=schema, good=value):
                    self.assertEqual(compiled.find_faults(value), [])
            for value in bad:
                with self.subTest(schema=schema, bad=value):
                    faults = compiled.find_faults(value)
                    self.assertTrue(faults)
                    for pointer, sentence in faults:
                        self.assertRegex(pointer, r"\A(/.*)?\Z")
                        self.assertTrue(sentence.isprintable())

    def test_a_schema_that_cannot_be_meant_is_refused(self) -> None:
        for schema in BROKEN:
            with self.subTest(schema=schema), self.assertRaises(SchemaError):
                Schema(schema)

    def test_a_schema_can_be_parsed_text(self) -> None:
        text = '{"enum": [1.0, 1e2], "type": "integer"}'
        self.assertEqual(Schema(json.loads(text)).find_faults(100), [])

    def test_endless_recursion_is_a_fault_and_no_crash(self) -> None:
        nested: Any = {}
        for _ in range(100_000):
            nested = {"a": nested}
        tree = Schema({"properties": {"a": {"$ref": "#"}}})
        self.assertEqual(tree.find_faults(nested), [("", "is nested too deeply to be checked")])
        loop = Schema({"$ref": "#"})
        self.assertEqual(loop.find_faults(1), [("", "is nested too deeply to be checked")])
        deep: Any = {}
        for _ in range(100_000):
            deep = {"not": deep}
        with self.assertRaises(SchemaError):
            Schema(deep)


class Sentences(unittest.TestCase):
    def check(self, schema: Any, value: Any, *faults: tuple[str, str]) -> None:
        self.assertEqual(Schema(schema).find_faults(value), list(faults))

    def test_a_fault_has_its_place(self) -> None:
        schema = {"properties": {"a/b": {"items": {"properties": {"~": {"type": "integer"}}}}}}
        value = {"a/b": [{}, {"~": "x"}]}
        self.check(schema, value, ("/a~1b/1/~0", "must be an integer, not a string"))

    def test_every_fault_is_listed_once(self) -> None:
        schema = {
            "allOf": [{"required": ["a"]}, {"required": ["a"]}],
            "properties": {"n": {"minimum": 2, "multipleOf": 2}},
            "additionalProperties": False,
        }
        self.check(
            schema,
            {"n": 1, "x": 1},
            ("", 'must have "a"'),
            ("/n", "must be at least 2"),
            ("/n", "must be a multiple of 2"),
            ("/x", "is not a known property"),
        )

    def test_alternatives_name_the_nearest_one(self) -> None:
        schema = {
            "anyOf": [
                {"properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
                {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
            ]
        }
        self.check(
            schema,
            {"a": None},
            ("", "fits none of the 2 alternatives; of the nearest one:"),
            ("/a", "must be an integer, not null"),
        )
        self.check(
            {"oneOf": [True, {}]}, 1, ("", "fits 2 of the alternatives, and must fit exactly one")
        )

    def test_long_values_of_a_schema_are_cut(self) -> None:
        ((_, sentence),) = Schema({"enum": [f"{n}" * 100 for n in range(50)]}).find_faults(0)
        self.assertIn("and 38 more", sentence)
        self.assertLess(len(sentence), 900)

    def test_a_sentence_holds_no_value_of_the_caller(self) -> None:
        for keyword in ({"type": "integer"}, {"pattern": "^a$"}, {"enum": [1]}, {"maxLength": 1}):
            self.assertNotIn("secret", str(Schema(keyword).find_faults("secret")))


if __name__ == "__main__":
    unittest.main()
