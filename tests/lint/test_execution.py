"""Tools and the routes that carry them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

SHOP = "/servers/shop"
ITEM, ORDER = f"{SHOP}/tools/1", f"{SHOP}/tools/2"
PROPERTIES = f"{ITEM}/inputSchema/properties"
ROUTE, ORDERS, STATUS = (f"{SHOP}/routes/{index}" for index in range(3))


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return sorted((finding.code, finding.pointer) for finding in findings)


def test_a_missing_route_names_those_there_are(lint: Lint) -> None:
    (finding,) = lint((f"{ITEM}/exec/route", "itm"))
    assert (finding.code, finding.pointer) == ("CF152", f"{ITEM}/exec/route")
    assert finding.hint == "routes: item, order, status"


def test_a_missing_route_of_a_resource_is_reported(lint: Lint) -> None:
    findings = lint((f"{SHOP}/resources/0/source/route", "stats"))
    assert codes(findings) == [("CF152", f"{SHOP}/resources/0/source/route")]


def test_arguments_exist_on_both_sides(lint: Lint) -> None:
    findings = lint((f"{ITEM}/exec/path/-", "x"), (f"{ITEM}/exec/query/-", "y"))
    assert codes(findings) == [
        ("CF153", f"{ITEM}/exec/path/1"),
        ("CF153", f"{ITEM}/exec/query/1"),
        ("CF154", f"{ITEM}/exec/path/1"),
        ("CF154", f"{ITEM}/exec/query/1"),
    ]


def test_a_route_without_a_body_takes_none(lint: Lint) -> None:
    findings = lint(
        (
            f"{ITEM}/exec",
            {"kind": "route", "route": "item", "path": ["itemId"], "body": ["limit"]},
        )
    )
    assert codes(findings) == [("CF154", f"{ITEM}/exec/body")]


def test_a_closed_body_takes_only_what_it_names(lint: Lint) -> None:
    note = (f"{ORDER}/inputSchema/properties/note", {"type": "string"})
    sent = (f"{ORDER}/exec/body/-", "note")
    assert codes(lint(note, sent)) == [("CF154", f"{ORDER}/exec/body/1")]
    assert lint(note, sent, (f"{ORDERS}/body/additionalProperties", True)) == ()
    shared = (
        "/$defs/Order",
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {"count": {"type": "integer"}},
        },
    )
    findings = lint(note, sent, shared, (f"{ORDERS}/body", {"$ref": "#/$defs/Order"}))
    assert codes(findings) == [("CF154", f"{ORDER}/exec/body/1")]


def test_a_required_member_of_a_body_is_filled(lint: Lint) -> None:
    findings = lint(
        (f"{ORDERS}/body/required/-", "note"),
        (f"{ORDERS}/body/properties/note", {"type": "string"}),
    )
    assert codes(findings) == [("CF155", f"{ORDER}/exec")]


def test_a_required_member_of_a_body_is_not_left_to_an_optional_argument(lint: Lint) -> None:
    assert codes(lint((f"{ORDER}/inputSchema/required", []))) == [("CF155", f"{ORDER}/exec")]


def test_a_finding_about_an_argument_stands_where_the_argument_does(lint: Lint) -> None:
    by_id = {"type": "object", "properties": {"itemId": {"type": "string"}, "x": True}}
    schema = {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/ById"}, {"properties": {"y": True}}],
        "properties": {"limit": {"type": "integer"}},
        "required": ["itemId"],
    }
    served = (f"{ITEM}/surfaces", ["mcp"])
    findings = lint((f"{ITEM}/inputSchema", schema), ("/$defs/ById", by_id), served)
    assert codes(findings) == [
        ("CF156", "/$defs/ById/properties/x"),
        ("CF156", f"{ITEM}/inputSchema/allOf/1/properties/y"),
        ("CF158", "/$defs/ById/properties/itemId"),
    ]


def test_a_required_query_parameter_is_filled_by_a_required_argument_or_a_default(
    lint: Lint,
) -> None:
    required = (f"{ROUTE}/queryParams/0/required", True)
    assert lint(required) == ()
    without = (f"{PROPERTIES}/limit", {"type": "integer"})
    assert codes(lint(required, without)) == [("CF155", f"{ITEM}/exec")]
    assert lint(required, without, (f"{ITEM}/inputSchema/required/-", "limit")) == ()
    shared = ("/$defs/Limit", {"type": "integer", "default": 3})
    assert lint(required, shared, (f"{PROPERTIES}/limit", {"$ref": "#/$defs/Limit"})) == ()


def test_an_unfilled_path_parameter_is_reported(lint: Lint) -> None:
    findings = lint((f"{ITEM}/exec", {"kind": "route", "route": "item", "query": ["limit"]}))
    assert codes(findings) == [
        ("CF155", f"{ITEM}/exec"),
        ("CF156", f"{PROPERTIES}/itemId"),
    ]


def test_arguments_of_an_allof_and_of_references_are_seen(lint: Lint) -> None:
    schema = {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/ById"}],
        "properties": {"limit": {"type": "integer"}},
    }
    by_id = {
        "type": "object",
        "required": ["itemId"],
        "properties": {"itemId": {"type": "string", "pattern": "^[a-z]{1,3}$"}},
    }
    served = (f"{ITEM}/surfaces", ["mcp"])
    assert lint((f"{ITEM}/inputSchema", schema), ("/$defs/ById", by_id), served) == ()


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        (
            [(f"{ROUTE}/auth", "none"), (f"{ROUTE}/scope", ...), (f"{ITEM}/scope", ...)],
            f"{ITEM}/exec/kind",
        ),
        ([(f"{ITEM}/exec/kind", "public")], f"{ITEM}/exec/kind"),
        ([(f"{ORDER}/auth", "none")], f"{ORDER}/auth"),
        ([(f"{ORDERS}/auth", "signature")], f"{ORDER}/exec/kind"),
        ([(f"{ITEM}/scope", ...)], ITEM),
        ([(f"{ROUTE}/scope", ...)], f"{ITEM}/scope"),
        ([(f"{ITEM}/priced", ...)], ITEM),
        ([(f"{ITEM}/priced", False)], f"{ITEM}/priced"),
        ([(f"{ORDER}/priced", True)], f"{ORDER}/priced"),
        ([(f"{ROUTE}/class", "free")], f"{ITEM}/priced"),
    ],
)
def test_tool_and_route_agree_about_callers(
    changes: list[tuple[str, Any]], pointer: str, lint: Lint
) -> None:
    assert codes(lint(*changes)) == [("CF157", pointer)]


@pytest.mark.parametrize("priced", ["assistant", "build", "read"])
def test_each_class_that_can_be_priced_passes(priced: str, lint: Lint) -> None:
    assert lint((f"{ROUTE}/class", priced)) == ()


def test_a_public_tool_on_an_open_route_passes(lint: Lint) -> None:
    tool = {
        "name": "get_status",
        "title": "Status",
        "description": "S.",
        "auth": "none",
        "surfaces": ["mcp"],
        "exec": {"kind": "public", "route": "status"},
        "inputSchema": {"type": "object", "additionalProperties": False},
    }
    assert lint((f"{SHOP}/tools/-", tool)) == ()


def test_a_resource_needs_a_get_without_arguments(lint: Lint) -> None:
    source = f"{SHOP}/resources/0/source/route"
    assert codes(lint((source, "order"))) == [("CF160", source)]
    assert codes(lint((source, "item"))) == [("CF160", source)]
    required = {"name": "q", "description": "Q.", "pattern": "^[a-z]$", "required": True}
    assert codes(lint((f"{STATUS}/queryParams", [required]))) == [("CF160", source)]
    assert lint((f"{STATUS}/queryParams", [{**required, "required": False}])) == ()


PATTERN = f"{ROUTE}/pathParams/0/pattern"
DIGITS = (PATTERN, "^[1-9][0-9]{0,4}$")


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ({"type": "string", "pattern": "^[a-z]{1,3}$"}, "^[a-z]{1,3}$"),
        ({"type": "string", "pattern": "^[a-c]{2}$"}, "^[a-z]{1,3}$"),
        ({"type": "string", "pattern": "^[a-z]+$", "maxLength": 3}, "^[a-z]{1,3}$"),
        (
            {"type": "string", "pattern": "^[a-z]*$", "minLength": 1, "maxLength": 3.0},
            "^[a-z]{1,3}$",
        ),
        ({"enum": ["ab", "c"]}, "^[a-z]{1,3}$"),
        ({"const": "ab"}, "^[a-z]{1,3}$"),
        ({"enum": [1, 12]}, "^[1-9][0-9]?$"),
        ({"type": "integer", "minimum": 0}, "^[0-9]+$"),
        ({"type": "integer", "minimum": 0}, "^(?:0|[1-9][0-9]*)$"),
        ({"type": "integer", "minimum": 1, "maximum": 99999}, "^[1-9][0-9]{0,4}$"),
        (
            {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 100000},
            "^[1-9][0-9]{0,4}$",
        ),
        ({"type": "integer", "minimum": 0.5, "maximum": 9.5}, "^[1-9]$"),
        (
            {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"const": "native"}]},
            "^(?:[1-9]|native)$",
        ),
        ({"type": ["integer", "string"], "minimum": 1, "maximum": 9, "pattern": "^a$"}, "^[a1-9]$"),
        ({"allOf": [{"type": "string"}, {"pattern": "^a$", "type": "string"}]}, "^[ab]$"),
        ({"$ref": "#/$defs/Id"}, "^[a-z]{1,3}$"),
        ({"$ref": "#/$defs/Id", "description": "An id."}, "^[a-z]{1,3}$"),
        ({"type": "string", "anyOf": [{"const": "a"}, {"const": "b"}]}, "^[ab]$"),
    ],
)
def test_an_argument_within_the_pattern_passes(
    schema: dict[str, Any], pattern: str, lint: Lint
) -> None:
    shared = ("/$defs/Id", {"type": "string", "pattern": "^[a-z]{2}$"})
    used = ("/servers/wrap/tools/0/inputSchema/properties/a", {"$ref": "#/$defs/Id"})
    assert lint((PATTERN, pattern), (f"{PROPERTIES}/itemId", schema), shared, used) == ()


@pytest.mark.parametrize(
    ("schema", "pattern", "part"),
    [
        ({"type": "string"}, "^[a-z]{1,3}$", 'can be ""'),
        ({"type": "string", "pattern": "^[a-z]{1,4}$"}, "^[a-z]{1,3}$", 'can be "aaaa"'),
        ({"type": "string", "pattern": "^[a-z]{1,3}"}, "^[a-z]{1,3}$", "can be "),
        ({"type": "string", "pattern": "^[a-z]*$", "maxLength": 3}, "^[a-z]{1,3}$", 'can be ""'),
        ({"enum": ["ab", "a/b"]}, "^[a-z]{1,3}$", 'can be "a/b"'),
        ({"enum": ["ab", None]}, "^[a-z]{1,3}$", "can be null"),
        ({"const": True}, "^[a-z]{1,4}$", "can be true"),
        ({"type": "integer"}, "^[0-9]+$", "no minimum of 0 or more"),
        ({"type": "integer", "minimum": -1}, "^-?[0-9]+$", "no minimum of 0 or more"),
        ({"type": "integer", "minimum": 0}, "^[1-9][0-9]*$", 'can be "0"'),
        ({"type": "integer", "minimum": 1}, "^[1-9][0-9]{0,4}$", 'can be "100000"'),
        ({"type": "number", "minimum": 1}, "^[1-9]$", "of type number"),
        ({"type": ["string", "null"], "pattern": "^a$"}, "^a$", "of type null"),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, "^a$", "can be "),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "^a$", "can be "),
        ({}, "^a$", "has no type"),
        (True, "^a$", "has no type"),
        ({"$ref": "#/$defs/Id"}, "^[b-z]{2}$", 'can be "aa"'),
    ],
)
def test_an_argument_that_may_leave_the_pattern_is_reported_with_an_example(
    schema: Any, pattern: str, part: str, lint: Lint
) -> None:
    shared = ("/$defs/Id", {"type": "string", "pattern": "^[a-z]{2}$"})
    used = ("/servers/wrap/tools/0/inputSchema/properties/a", {"$ref": "#/$defs/Id"})
    (finding,) = lint((PATTERN, pattern), (f"{PROPERTIES}/itemId", schema), shared, used)
    assert (finding.code, finding.pointer) == ("CF158", f"{PROPERTIES}/itemId")
    assert part in finding.message


def test_patterns_that_cannot_be_compared_are_said_to_be_unproven(lint: Lint) -> None:
    findings = lint(
        (PATTERN, "^[a-z]{1,5000}$"),
        (f"{PROPERTIES}/itemId", {"type": "string", "pattern": "^[a-y]{1,5000}$"}),
    )
    assert [finding.code for finding in findings] == ["CF158"]
    assert "too large to compare" in findings[0].message
