"""Titles as names of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

TOOL = "/servers/wrap/tools/0"
INPUT = f"{TOOL}/inputSchema"
PROPERTIES = f"{INPUT}/properties"
NESTED: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string"}}}


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in findings]


@pytest.mark.parametrize(
    ("schema", "tail"),
    [
        (NESTED, ""),
        ({"properties": {"x": True}}, ""),
        ({"type": "array", "items": NESTED}, "/items"),
        ({"type": "array", "prefixItems": [NESTED]}, "/prefixItems/0"),
        ({"oneOf": [{"type": "null"}, NESTED]}, "/oneOf/1"),
        ({"anyOf": [NESTED]}, "/anyOf/0"),
        ({"type": "object", "additionalProperties": NESTED}, "/additionalProperties"),
        ({"type": "object", "patternProperties": {"^a$": NESTED}}, "/patternProperties/^a$"),
        ({"allOf": [{"required": ["x"]}, NESTED]}, ""),
        ({**NESTED, "title": "Outer", "properties": {"y": NESTED}}, "/properties/y"),
        ({**NESTED, "title": "?!"}, ""),
        ({**NESTED, "title": ""}, ""),
    ],
)
def test_a_nested_object_without_a_title_is_reported(
    schema: dict[str, Any], tail: str, lint: Lint
) -> None:
    assert codes(lint((f"{PROPERTIES}/a", schema))) == [("CF104", f"{PROPERTIES}/a{tail}")]


@pytest.mark.parametrize(
    "schema",
    [
        {**NESTED, "title": "Inner"},
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"not": NESTED},
        {"if": NESTED, "then": NESTED, "else": NESTED},
        {"type": "object", "dependentSchemas": {"a": NESTED}},
        {"type": "array", "contains": NESTED},
        {"type": "object", "propertyNames": NESTED},
        {"title": "Both", "allOf": [NESTED, {"properties": {"y": {"type": "string"}}}]},
        {"$ref": "#/$defs/Item"},
        {"const": {"properties": {"x": 1}}},
        {"enum": [{"properties": {"x": 1}}]},
    ],
)
def test_what_makes_no_class_of_its_own_needs_no_title(schema: dict[str, Any], lint: Lint) -> None:
    assert lint((f"{PROPERTIES}/a", schema)) == ()


def test_roots_and_definitions_need_no_title(lint: Lint) -> None:
    findings = lint(
        (f"{INPUT}/$defs", {"Own": NESTED}),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/Own"}),
        ("/servers/shop/routes/2/response", NESTED),
    )
    assert findings == ()


def test_objects_of_routes_and_shared_schemas_need_titles_too(lint: Lint) -> None:
    findings = lint(
        ("/$defs/Item/properties/extra", NESTED),
        ("/servers/shop/routes/2/response", {"type": "object", "properties": {"a": NESTED}}),
        (f"{TOOL}/outputSchema", {"type": "object", "properties": {"a": NESTED}}),
    )
    assert [finding.code for finding in findings] == ["CF104"] * 3


def _titled(title: str, name: str = "x") -> dict[str, Any]:
    return {"type": "object", "title": title, "properties": {name: {"type": "string"}}}


@pytest.mark.parametrize("other", ["Filter", "filter", "-filter-"])
def test_two_objects_that_differ_cannot_share_a_class(other: str, lint: Lint) -> None:
    first, second = _titled("Filter"), _titled(other, "y")
    findings = lint((PROPERTIES, {"a": first, "b": second}))
    assert codes(findings) == [("CF130", f"{PROPERTIES}/b/title")]


def test_the_same_object_twice_is_one_class(lint: Lint) -> None:
    assert lint((PROPERTIES, {"a": _titled("Filter"), "b": _titled("Filter")})) == ()


def test_input_and_output_of_a_tool_are_taken_apart(lint: Lint) -> None:
    output = {"type": "object", "properties": {"a": _titled("Filter", "y")}}
    findings = lint((PROPERTIES, {"a": _titled("Filter")}), (f"{TOOL}/outputSchema", output))
    assert findings == ()


def test_different_tools_may_use_the_same_title(lint: Lint) -> None:
    findings = lint(
        (PROPERTIES, {"a": _titled("Filter")}),
        (
            "/servers/wrap/tools/-",
            {
                "name": "other",
                "title": "O",
                "description": "O.",
                "auth": "none",
                "surfaces": ["mcp"],
                "exec": {"kind": "handler"},
                "inputSchema": {"type": "object", "properties": {"a": _titled("Filter", "y")}},
            },
        ),
    )
    assert findings == ()


def test_a_title_that_is_the_name_of_a_shared_schema_is_reported(lint: Lint) -> None:
    findings = lint((PROPERTIES, {"a": _titled("Item"), "b": {"$ref": "#/$defs/Item"}}))
    assert codes(findings) == [("CF130", f"{PROPERTIES}/a/title")]


def test_titles_inside_shared_schemas_are_compared_with_one_another(lint: Lint) -> None:
    findings = lint(
        ("/$defs/Item/properties/a", _titled("Filter")),
        ("/$defs/Other", {"type": "object", "properties": {"a": _titled("Filter", "y")}}),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/Other"}),
    )
    assert codes(findings) == [("CF130", "/$defs/Other/properties/a/title")]


@pytest.mark.parametrize("title", ["True", "none", "False"])
def test_a_word_of_python_cannot_name_a_class(title: str, lint: Lint) -> None:
    assert codes(lint((f"{PROPERTIES}/a", _titled(title)))) == [("CF130", f"{PROPERTIES}/a/title")]


def test_titles_of_plain_values_are_labels_and_may_repeat(lint: Lint) -> None:
    schema = {"a": {"type": "string", "title": "Name"}, "b": {"type": "integer", "title": "Name"}}
    assert lint((PROPERTIES, schema)) == ()
