"""Contracts that keep the grammar and little else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.contract.model import Contract
from counterfoil.contract.source import locate
from counterfoil.findings import RULES, Finding
from counterfoil.lint import lint_contract

Lint = Callable[..., tuple[Finding, ...]]
Changed = Callable[..., dict[str, Any]]

KEYWORDS = st.sampled_from(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "default",
        "definitions",
        "dependentRequired",
        "dependentSchemas",
        "description",
        "else",
        "enum",
        "examples",
        "format",
        "if",
        "items",
        "maxItems",
        "maximum",
        "minContains",
        "minLength",
        "minimum",
        "multipleOf",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "title",
        "type",
        "unevaluatedProperties",
        "uniqueItems",
        "x-mcp-header",
        "x-own",
        "token",
        "Item",
        "0",
    ]
)
SCALARS = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 0.5, 1e300, 2**70, "", "a", "A b", "object", "string"),
        *("integer", "^a$", "(", r"\d", "^[^/]*$", "#", "#/", "#/$defs/Item", "#/properties/a"),
        *("#/$defs/A", "https://example.com/x", "a/b~c", "\u2028\U0001f600", "x" * 300),
    ]
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=14,
)
OBJECTS = st.dictionaries(KEYWORDS, JUNK, max_size=5)


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(shared=OBJECTS, given_input=OBJECTS, output=OBJECTS, body=JUNK, query=JUNK)
def test_no_schema_crashes_the_lint_and_every_finding_has_a_place(
    changed: Changed, shared: Any, given_input: Any, output: Any, body: Any, query: Any
) -> None:
    data = changed(
        ("/$defs/A", shared),
        ("/servers/shop/tools/1/inputSchema", {**given_input, "type": "object"}),
        ("/servers/shop/tools/1/outputSchema", {**output, "type": "object"}),
        ("/servers/shop/routes/1/body", body),
        ("/servers/shop/routes/0/queryParams/0/schema", query),
        ("/servers/shop/routes/0/response", shared),
    )
    text = json.dumps(data)
    findings = lint_contract(Contract("contract.json", text, data))
    for finding in findings:
        assert finding.code in RULES
        assert len(finding.message) < 600
        # A place of its own, not that of an ancestor, unless the two are one key apart.
        place = locate(text, [finding.pointer])[finding.pointer]
        assert (finding.line, finding.column) == place
    assert findings == lint_contract(Contract("contract.json", text, data))


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(" * 39 + "a" + ")*" * 39, "a{1000}" * 300, "[" + "a" * 5000 + "]"]
)
def test_a_heavy_pattern_is_judged_and_never_run(pattern: str, lint: Lint) -> None:
    schema = {"type": "string", "pattern": pattern}
    findings = lint(("/servers/wrap/tools/0/inputSchema/properties/a", schema))
    assert {finding.code for finding in findings} <= {"CF141", "CF144"}


def test_a_wide_tree_of_references_is_judged_once_for_each_schema(lint: Lint) -> None:
    levels = [
        (
            f"/$defs/L{index}",
            {
                "type": "object",
                "properties": {name: {"$ref": f"#/$defs/L{index + 1}"} for name in "abcdef"},
            },
        )
        for index in range(25)
    ]
    used = ("/servers/wrap/tools/0/inputSchema/properties/a", {"$ref": "#/$defs/L0"})
    assert lint(*levels, ("/$defs/L25", {"type": "string"}), used) == ()
