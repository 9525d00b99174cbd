"""Validity, dialect, keywords and bounds of schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

TOOL = "/servers/wrap/tools/0"
INPUT = f"{TOOL}/inputSchema"
PROPERTIES = f"{INPUT}/properties"


def places(findings: tuple[Finding, ...], code: str) -> list[str]:
    return sorted(finding.pointer for finding in findings if finding.code == code)


def test_every_fault_of_a_schema_has_its_own_pointer(lint: Lint) -> None:
    findings = lint(
        (f"{PROPERTIES}/a", {"type": "strnig", "minLength": -1}),
        (f"{PROPERTIES}/b", 3),
        (f"{PROPERTIES}/c", {"items": [{"type": "string"}], "enum": "x"}),
        (f"{INPUT}/required", ["a", "a"]),
        ("/servers/shop/routes/1/body/properties/count", {"maximum": "1"}),
        ("/$defs/Item/properties/name", {"allOf": []}),
    )
    assert {finding.code for finding in findings} == {"CF120"}
    assert places(findings, "CF120") == [
        "/$defs/Item/properties/name/allOf",
        "/servers/shop/routes/1/body/properties/count/maximum",
        f"{PROPERTIES}/a/minLength",
        f"{PROPERTIES}/a/type",
        f"{PROPERTIES}/b",
        f"{PROPERTIES}/c/enum",
        f"{PROPERTIES}/c/items",
        f"{INPUT}/required",
    ]


def test_a_fault_is_placed_at_its_line_and_column(lint: Lint) -> None:
    (finding,) = lint((f"{PROPERTIES}/a", {"type": "strnig"}))
    assert finding.place.startswith(f"contract.json:{finding.line}:{finding.column} #")
    assert finding.line > 10


@pytest.mark.parametrize("schema", [True, False, {}, {"type": "string", "format": "no-such"}])
def test_a_schema_without_a_fault_passes(schema: Any, lint: Lint) -> None:
    assert lint((f"{PROPERTIES}/a", schema)) == ()


def test_our_own_dialect_may_be_named_at_a_root_and_nowhere_else(lint: Lint) -> None:
    ours = "https://json-schema.org/draft/2020-12/schema"
    assert lint((f"{INPUT}/$schema", ours)) == ()
    findings = lint(
        (f"{PROPERTIES}/a", {"$schema": ours}),
        ("/$defs/Item/$schema", ours),
    )
    assert places(findings, "CF121") == ["/$defs/Item/$schema", f"{PROPERTIES}/a/$schema"]
    assert len(findings) == 2


@pytest.mark.parametrize("dialect", ["https://json-schema.org/draft/2019-09/schema", "", 7, None])
def test_another_dialect_is_refused_and_not_judged_by_ours(dialect: Any, lint: Lint) -> None:
    findings = lint(
        (f"{INPUT}/$schema", dialect), (f"{PROPERTIES}/a", {"items": [{"type": "string"}]})
    )
    assert [finding.code for finding in findings] == ["CF121"]


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


@pytest.mark.parametrize("dialect", [DRAFT_7, DRAFT_7.removesuffix("#"), DRAFT_2019])
def test_an_older_dialect_may_be_named_where_it_says_the_same(dialect: str, lint: Lint) -> None:
    nested = {
        "type": "array",
        "items": {"$ref": "#/$defs/Own", "description": "Told beside a reference."},
    }
    own = {"Own": {"type": "string", "maxLength": 3}}
    assert (
        lint((f"{INPUT}/$schema", dialect), (f"{INPUT}/$defs", own), (f"{PROPERTIES}/a", nested))
        == ()
    )


@pytest.mark.parametrize(
    ("dialect", "schema", "keyword"),
    [
        (DRAFT_7, {"dependencies": {"a": ["b"]}}, "dependencies"),
        (DRAFT_7, {"dependentRequired": {"a": ["b"]}}, "dependentRequired"),
        (DRAFT_7, {"unevaluatedProperties": False}, "unevaluatedProperties"),
        (DRAFT_7, {"items": [{"type": "string"}]}, "items"),
        (DRAFT_7, {"prefixItems": [{"type": "string"}]}, "prefixItems"),
        (DRAFT_7, {"$ref": "#", "minProperties": 1}, "$ref"),
        (DRAFT_2019, {"items": [True], "additionalItems": False}, "additionalItems"),
    ],
)
def test_an_older_dialect_is_refused_where_it_says_something_else(
    dialect: str, schema: dict[str, Any], keyword: str, lint: Lint
) -> None:
    findings = lint((f"{INPUT}/$schema", dialect), (f"{PROPERTIES}/a", schema))
    assert f"{PROPERTIES}/a/{keyword}" in places(findings, "CF121")


@pytest.mark.parametrize(
    "keyword", ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary"]
)
def test_what_bundling_would_break_is_refused_with_the_reason(keyword: str, lint: Lint) -> None:
    value: Any = {} if keyword == "$vocabulary" else "#a" if keyword == "$dynamicRef" else "a"
    findings = lint((f"{PROPERTIES}/a", {keyword: value}))
    assert [(finding.code, finding.pointer) for finding in findings] == [
        ("CF124", f"{PROPERTIES}/a/{keyword}")
    ]
    assert "cannot be bundled: " in findings[0].message


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"nullable": True}, "nullable"),
        ({"minLenght": 3}, "minLenght"),
        ({"additionalproperties": False}, "additionalproperties"),
        ({"example": 1}, "example"),
        ({"dependencies": {"a": ["b"]}}, "dependencies"),
        ({"additionalItems": False}, "additionalItems"),
        ({"definitions": {"A": {"type": "null"}}}, "definitions"),
    ],
)
def test_a_keyword_without_effect_is_a_warning(
    schema: dict[str, Any], keyword: str, lint: Lint
) -> None:
    (finding,) = lint((f"{PROPERTIES}/a", schema))
    assert (finding.code, finding.severity) == ("CF125", "warning")
    assert finding.pointer == f"{PROPERTIES}/a/{keyword}"


def test_annotations_of_ones_own_pass(lint: Lint) -> None:
    schema = {"x-minLenght": 1, "$comment": "why", "deprecated": True, "unit": "USD"}
    assert lint((f"{PROPERTIES}/a", schema)) == ()


def test_names_of_properties_are_no_keywords(lint: Lint) -> None:
    names = {"nullable": {"type": "string"}, "$id": {"type": "string"}, "minLenght": True}
    assert lint((PROPERTIES, names)) == ()


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def test_thirty_two_levels_pass_and_one_more_does_not(lint: Lint) -> None:
    assert lint((f"{PROPERTIES}/a", _nested(31))) == ()
    (finding,) = lint((f"{PROPERTIES}/a", _nested(32)))
    assert (finding.code, finding.pointer) == ("CF127", f"{PROPERTIES}/a{'/items' * 32}")


def test_two_thousand_subschemas_pass_and_one_more_does_not(lint: Lint) -> None:
    def many(count: int) -> dict[str, Any]:
        return {f"p{index}": {"type": "string"} for index in range(count)}

    assert lint((PROPERTIES, many(1998))) == ()
    (finding,) = lint((PROPERTIES, many(2000)))
    assert (finding.code, finding.pointer) == ("CF127", INPUT)


def test_schemas_that_are_referred_to_count_too(lint: Lint) -> None:
    def shared(count: int) -> dict[str, Any]:
        return {"enum": ["a"], "anyOf": [{"minLength": index} for index in range(count)]}

    findings = lint(
        ("/$defs/Big", shared(1200)),
        ("/$defs/Other", shared(1200)),
        (f"{PROPERTIES}/a", {"$ref": "#/$defs/Big"}),
        (f"{PROPERTIES}/b", {"$ref": "#/$defs/Other"}),
    )
    assert [(finding.code, finding.pointer) for finding in findings] == [("CF127", INPUT)]


def test_a_schema_beyond_all_bounds_is_one_finding_and_no_crash(lint: Lint) -> None:
    findings = lint((f"{PROPERTIES}/a", _nested(90)), (f"{PROPERTIES}/b", {"type": "x"}))
    assert [finding.code for finding in findings] == ["CF127"]
