"""Where references lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

TOOL = "/servers/wrap/tools/0"
INPUT = f"{TOOL}/inputSchema"
PROPERTIES = f"{INPUT}/properties"


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in findings]


@pytest.mark.parametrize(
    "reference",
    [
        "#/$defs/Item",
        "#/$defs/Item/properties/name",
        "#/$defs/Own",
        "#/$defs/Own/items",
        "#/properties/b",
        "#/properties/c~1d",
        "#/properties/e~0f",
        "#/properties/b/anyOf/0",
    ],
)
def test_a_reference_to_a_schema_passes(reference: str, lint: Lint) -> None:
    findings = lint(
        (
            INPUT,
            {
                "type": "object",
                "properties": {
                    "a": {"$ref": reference},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "c/d": {"type": "string"},
                    "e~f": {"type": "string"},
                },
                "$defs": {"Own": {"type": "array", "items": {"type": "string"}}},
            },
        )
    )
    assert findings == ()


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("https://example.com/x.json", "CF122"),
        ("//example.com/x", "CF122"),
        ("other.json", "CF122"),
        ("other.json#/$defs/Item", "CF122"),
        ("file:///etc/passwd", "CF122"),
        ("https://json-schema.org/draft/2020-12/schema", "CF122"),
        ("", "CF122"),
        ("#/$defs/item", "CF123"),
        ("#/$defs/Item/properties/no", "CF123"),
        ("#/$defs/Item/properties", "CF123"),
        ("#/$defs/Item/required/0", "CF123"),
        ("#/properties", "CF123"),
        ("#/properties/no", "CF123"),
        ("#/type", "CF123"),
        ("#/$defs", "CF123"),
        ("#/$defs/", "CF123"),
        ("#/", "CF123"),
        ("#Item", "CF123"),
        ("#item-anchor", "CF123"),
        ("#/%24defs/Item", "CF123"),
        ("#/$defs/It%65m", "CF123"),
        ("#/properties/a b", "CF123"),
        ("#/properties/ä", "CF123"),
        ("#/properties/^x", "CF123"),
        ("#/servers/shop", "CF123"),
    ],
)
def test_a_reference_to_anything_else_is_refused(reference: str, code: str, lint: Lint) -> None:
    findings = lint((f"{PROPERTIES}/a", {"$ref": reference}))
    assert codes(findings) == [(code, f"{PROPERTIES}/a/$ref")]


def test_a_recursive_schema_passes(lint: Lint) -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    assert lint(("/$defs/Tree", tree), (f"{PROPERTIES}/a", {"$ref": "#/$defs/Tree"})) == ()
    assert lint((f"{PROPERTIES}/a", {"$ref": "#"})) == ()


@pytest.mark.parametrize("reference", ["#", "#/properties/name", "#/type"])
def test_a_shared_schema_names_others_in_full(reference: str, lint: Lint) -> None:
    findings = lint(("/$defs/Item/properties/reason", {"$ref": reference}))
    assert codes(findings) == [("CF123", "/$defs/Item/properties/reason/$ref")]
    assert "wherever this one is used" in findings[0].message


def test_definitions_inside_a_shared_schema_are_reached_in_full_only(lint: Lint) -> None:
    inner = ("/$defs/Item/$defs", {"Inner": {"type": "string"}})
    full = ("/$defs/Item/properties/reason", {"$ref": "#/$defs/Item/$defs/Inner"})
    short = ("/$defs/Item/properties/reason", {"$ref": "#/$defs/Inner"})
    assert lint(inner, full) == ()
    assert codes(lint(inner, short)) == [("CF123", "/$defs/Item/properties/reason/$ref")]


def test_a_dangling_reference_names_what_there_is(lint: Lint) -> None:
    (finding,) = lint((f"{PROPERTIES}/a", {"$ref": "#/$defs/Itme"}))
    assert "known are Item" in finding.message


def test_a_fault_of_a_shared_schema_is_reported_once_where_it_is(lint: Lint) -> None:
    findings = lint(
        ("/$defs/Item/properties/reason", {"$ref": "#/$defs/No"}),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/Item"}),
        (f"{PROPERTIES}/b", {"$ref": "#/$defs/Item"}),
    )
    assert codes(findings) == [("CF123", "/$defs/Item/properties/reason/$ref")]


@pytest.mark.parametrize(
    ("definitions", "pointer"),
    [
        ({"A": {"$ref": "#/$defs/A"}}, "A/$ref"),
        ({"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "A/$ref"),
        ({"A": {"allOf": [{"$ref": "#/$defs/A"}]}}, "A/allOf/0/$ref"),
        ({"A": {"not": {"$ref": "#/$defs/A"}}}, "A/not/$ref"),
        ({"A": {"if": True, "else": {"oneOf": [{"$ref": "#/$defs/A"}]}}}, "A/else/oneOf/0/$ref"),
        (
            {"A": {"dependentSchemas": {"a/b": {"$ref": "#/$defs/A"}}}},
            "A/dependentSchemas/a~1b/$ref",
        ),
        (
            {
                "A": {"$ref": "#/$defs/B/properties/x"},
                "B": {"properties": {"x": {"anyOf": [{"$ref": "#/$defs/A"}]}}},
            },
            "A/$ref",
        ),
    ],
)
def test_a_circle_that_never_looks_into_the_value_is_refused(
    definitions: dict[str, Any], pointer: str, lint: Lint
) -> None:
    findings = lint(
        *((f"/$defs/{name}", schema) for name, schema in definitions.items()),
        *((f"{PROPERTIES}/{name}", {"$ref": f"#/$defs/{name}"}) for name in definitions),
    )
    assert codes(findings) == [("CF128", f"/$defs/{pointer}")]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"$ref": "#/$defs/A"}}, "type": "object"},
        {"type": ["array", "null"], "items": {"$ref": "#/$defs/A"}},
        {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/A"}]}},
        {"type": "array", "contains": {"$ref": "#/$defs/A"}},
    ],
)
def test_a_circle_that_goes_into_the_value_passes(schema: dict[str, Any], lint: Lint) -> None:
    assert lint(("/$defs/A", schema), (f"{PROPERTIES}/a", {"$ref": "#/$defs/A"})) == ()


def test_a_local_schema_that_hides_a_shared_one_is_refused(lint: Lint) -> None:
    findings = lint((f"{INPUT}/$defs", {"Item": {"type": "string"}, "Own": {"type": "string"}}))
    assert codes(findings) == [("CF126", f"{INPUT}/$defs/Item")]


def test_a_shared_schema_that_only_an_unused_one_uses_is_unused(lint: Lint) -> None:
    findings = lint(
        ("/$defs/First", {"type": "array", "items": {"$ref": "#/$defs/Second"}}),
        ("/$defs/Second", {"type": "string"}),
    )
    assert codes(findings) == [("CF118", "/$defs/First"), ("CF118", "/$defs/Second")]


def test_a_shared_schema_that_a_route_uses_is_used(lint: Lint) -> None:
    for key in ("body", "response"):
        findings = lint(
            ("/$defs/First", {"type": "object", "additionalProperties": True}),
            (f"/servers/shop/routes/2/{key}", {"$ref": "#/$defs/First"}),
        )
        assert findings == ()


def test_many_references_to_one_schema_are_followed_once_each(lint: Lint) -> None:
    chain = {f"L{index}": {"allOf": [{"$ref": f"#/$defs/L{index + 1}"}] * 2} for index in range(30)}
    findings = lint(
        *((f"/$defs/{name}", schema) for name, schema in chain.items()),
        ("/$defs/L30", {"type": "string"}),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/L0"}),
    )
    assert findings == ()
