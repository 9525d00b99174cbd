"""``x-mcp-header``, held against the MCP SDK, whose clients drop a tool that breaks its rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

TOOL = "/servers/wrap/tools/0"
PROPERTIES = f"{TOOL}/inputSchema/properties"


def _string(header: Any) -> dict[str, Any]:
    return {"type": "string", "x-mcp-header": header}


GOOD: tuple[dict[str, Any], ...] = (
    {"a": _string("Region")},
    {"a": _string("!#$%&'*+-.^_`|~09AZaz")},
    {"a": {"type": "integer", "x-mcp-header": "A"}, "b": {"type": "boolean", "x-mcp-header": "B"}},
    {"a": {"type": "object", "title": "A", "properties": {"b": _string("B")}}},
    {"a": {"const": {"x-mcp-header": "no annotation"}}},
    {"a": {"default": {"x-mcp-header": 1}}},
)
BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"a": _string("")}, "CF131"),
    ({"a": _string("a b")}, "CF131"),
    ({"a": _string("a\n")}, "CF131"),
    ({"a": _string("a:b")}, "CF131"),
    ({"a": _string("ä")}, "CF131"),
    ({"a": _string(1)}, "CF131"),
    ({"a": _string(None)}, "CF131"),
    ({"a": _string("Region"), "b": _string("region")}, "CF131"),
    ({"a": {"type": "number", "x-mcp-header": "A"}}, "CF132"),
    ({"a": {"type": "null", "x-mcp-header": "A"}}, "CF132"),
    ({"a": {"type": ["string", "null"], "x-mcp-header": "A"}}, "CF132"),
    ({"a": {"enum": ["x"], "x-mcp-header": "A"}}, "CF132"),
    ({"a": {"type": "array", "items": _string("A")}}, "CF133"),
    ({"a": {"oneOf": [_string("A")]}}, "CF133"),
    ({"a": {"type": "object", "additionalProperties": _string("A")}}, "CF133"),
    ({"a": {"type": "object", "patternProperties": {"^x$": _string("A")}}}, "CF133"),
    ({"a": {"not": {"properties": {"b": _string("A")}}}}, "CF133"),
)


@pytest.mark.parametrize("properties", GOOD)
def test_a_good_annotation_passes(properties: dict[str, Any], lint: Lint) -> None:
    assert lint((PROPERTIES, properties)) == ()


@pytest.mark.parametrize(("properties", "code"), BAD)
def test_a_bad_annotation_is_reported(properties: dict[str, Any], code: str, lint: Lint) -> None:
    assert {finding.code for finding in lint((PROPERTIES, properties))} == {code}


def test_the_sdk_drops_what_is_reported_and_nothing_else() -> None:
    inbound = pytest.importorskip("mcp.shared.inbound")
    for properties in GOOD:
        assert inbound.find_invalid_x_mcp_header({"properties": properties}) is None
    for properties, _ in BAD:
        assert inbound.find_invalid_x_mcp_header({"properties": properties}) is not None


def test_an_annotation_outside_of_a_tools_input_is_reported(lint: Lint) -> None:
    findings = lint(
        ("/$defs/Item/properties/name", _string("Name")),
        (f"{TOOL}/inputSchema/x-mcp-header", "Root"),
        (f"{TOOL}/outputSchema", {"type": "object", "properties": {"a": _string("A")}}),
        ("/servers/shop/routes/1/body/properties/count", _string("Count")),
    )
    assert [finding.code for finding in findings] == ["CF133"] * 4


@pytest.mark.parametrize(
    "name", ["token", "accessToken", "api_key", "API-Key", "password", "secretWord", "privateKey"]
)
def test_a_secret_is_kept_out_of_headers(name: str, lint: Lint) -> None:
    (finding,) = lint((PROPERTIES, {name: _string("X")}))
    assert finding.code == "CF134"


@pytest.mark.parametrize("name", ["region", "key", "page", "tokenize", "monkey"])
def test_a_name_that_only_looks_alike_is_no_secret(name: str, lint: Lint) -> None:
    assert lint((PROPERTIES, {name: _string("X")})) == ()
