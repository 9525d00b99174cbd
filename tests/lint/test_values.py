"""Schemas that nothing satisfies, and samples that their schema refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

INPUT = "/servers/wrap/tools/0/inputSchema"
PROPERTIES = f"{INPUT}/properties"


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in findings]


@pytest.mark.parametrize(
    ("schema", "tail"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 3}, ""),
        ({"type": "string", "minLength": 3, "maxLength": 1}, ""),
        ({"type": "string", "enum": [1, 2]}, ""),
        ({"enum": []}, ""),
        ({"const": "b", "pattern": "^a$"}, ""),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, ""),
        ({"oneOf": [{"type": "null"}, {"type": "null"}]}, ""),
        (
            {
                "type": "object",
                "title": "A",
                "properties": {"x": True},
                "additionalProperties": False,
                "required": ["y"],
            },
            "",
        ),
        ({"type": "object", "title": "A", "properties": {"x": False}, "required": ["x"]}, ""),
        ({"type": "array", "items": False, "minItems": 1}, ""),
        ({"type": "array", "items": {"type": "integer", "minimum": 5, "maximum": 3}}, "/items"),
        ({"anyOf": [{"type": "string"}, {"type": "integer", "enum": ["a"]}]}, "/anyOf/1"),
        ({"if": {"type": "string", "enum": [1]}, "then": {"minLength": 1}}, "/if"),
        ({"$ref": "#/$defs/Item", "type": "string"}, ""),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, ""),
        ({"type": "number", "minimum": 0.01, "maximum": 0.05, "multipleOf": 0.1}, ""),
    ],
)
def test_a_schema_that_nothing_satisfies_is_reported_at_its_root(
    schema: dict[str, Any], tail: str, lint: Lint
) -> None:
    assert codes(lint((f"{PROPERTIES}/a", schema))) == [("CF137", f"{PROPERTIES}/a{tail}")]


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"not": {}},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "title": "A", "properties": {"x": False, "y": True}},
        {"type": "object", "patternProperties": {"^x": False}},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        {"type": "array", "maxItems": 0, "items": {"type": "string"}},
        {"unevaluatedProperties": False, "type": "object"},
        {"if": {"required": ["a"]}, "then": False},
        {"oneOf": [{"type": "string"}, False]},
        {"not": {"required": ["a"]}},
        {"type": ["string", "null"], "enum": ["a", None, 3]},
        {"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]},
        {"type": "string", "pattern": "^a$", "minLength": 3},
        {"type": "string", "format": "date", "const": "not a date"},
        {"type": "integer", "minimum": 3, "maximum": 3},
    ],
)
def test_what_is_written_on_purpose_or_is_not_decided_is_no_finding(
    schema: Any, lint: Lint
) -> None:
    assert lint((f"{PROPERTIES}/a", schema)) == ()


def test_an_impossible_part_does_not_make_what_holds_it_a_finding(lint: Lint) -> None:
    impossible = {"type": "integer", "minimum": 5, "maximum": 3}
    outer = {"type": "object", "title": "A", "properties": {"x": impossible}, "required": ["x"]}
    findings = lint((f"{PROPERTIES}/a", outer), (f"{INPUT}/required", ["a"]))
    assert codes(findings) == [("CF137", f"{PROPERTIES}/a/properties/x")]


def test_what_an_impossible_part_hid_is_found_in_the_same_run(lint: Lint) -> None:
    inner = {"type": "integer", "minimum": 5, "maximum": 3}
    outer = {
        "type": "object",
        "title": "A",
        "properties": {"x": inner},
        "required": ["x"],
        "minProperties": 3,
        "maxProperties": 2,
    }
    findings = lint((f"{PROPERTIES}/a", outer))
    assert codes(findings) == [
        ("CF137", f"{PROPERTIES}/a"),
        ("CF137", f"{PROPERTIES}/a/properties/x"),
    ]


def test_an_impossible_shared_schema_is_reported_where_it_is(lint: Lint) -> None:
    findings = lint(
        ("/$defs/No", {"type": "string", "enum": [1]}),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/No"}),
        (f"{INPUT}/required", ["a"]),
    )
    assert codes(findings) == [("CF137", "/$defs/No")]


def test_the_reason_names_the_keywords(lint: Lint) -> None:
    (finding,) = lint((f"{PROPERTIES}/a", {"type": "integer", "minimum": 5, "maximum": 3}))
    assert "minimum, maximum exclude one another" in finding.message


def test_a_schema_with_a_pattern_that_nobody_reads_has_only_that_finding(lint: Lint) -> None:
    findings = lint((f"{PROPERTIES}/a", {"pattern": "(", "type": "string", "default": "x"}))
    assert [finding.code for finding in findings] == ["CF140"]


@pytest.mark.parametrize(
    ("schema", "tails"),
    [
        ({"type": "integer", "default": "1"}, ["/default"]),
        (
            {"type": "integer", "maximum": 3, "examples": [1, 4, "x"]},
            ["/examples/1", "/examples/2"],
        ),
        ({"type": "string", "pattern": "^a$", "default": "a\n"}, ["/default"]),
        ({"type": "array", "items": {"type": "integer", "default": "x"}}, ["/items/default"]),
        ({"$ref": "#/$defs/Item", "default": {"name": 1}}, ["/default"]),
        ({"anyOf": [{"$ref": "#/properties/b"}], "default": 1}, ["/default"]),
        (
            {
                "type": "object",
                "title": "A",
                "properties": {"x": {"type": "null"}},
                "examples": [{"x": 1}],
            },
            ["/examples/0"],
        ),
    ],
)
def test_a_sample_that_its_schema_refuses_is_reported(
    schema: dict[str, Any], tails: list[str], lint: Lint
) -> None:
    findings = lint((f"{PROPERTIES}/b", {"type": "string"}), (f"{PROPERTIES}/a", schema))
    assert codes(findings) == [("CF129", f"{PROPERTIES}/a{tail}") for tail in tails]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "default": 1.0},
        {"type": ["string", "null"], "default": None},
        {"default": "anything"},
        {"$ref": "#/$defs/Item", "default": {"name": "a", "state": "read"}},
        {"type": "string", "format": "date", "examples": ["soon"]},
        {"anyOf": [{"$ref": "#/properties/b"}], "default": "x"},
    ],
)
def test_a_sample_that_its_schema_accepts_passes(schema: dict[str, Any], lint: Lint) -> None:
    assert lint((f"{PROPERTIES}/b", {"type": "string"}), (f"{PROPERTIES}/a", schema)) == ()


def test_a_sample_of_the_root_is_judged_too(lint: Lint) -> None:
    findings = lint((f"{PROPERTIES}/a", {"type": "integer"}), (f"{INPUT}/examples", [{"a": "x"}]))
    assert codes(findings) == [("CF129", f"{INPUT}/examples/0")]
