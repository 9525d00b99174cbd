"""The server's own validator against two established ones, on schemas that nobody chose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from jsonschema import Draft202012Validator

from fairwins_mcp.schema import Schema
from fairwins_mcp.surface import load_snapshot

ROOT = Path(__file__).parents[3]
NAMES = ["a", "b", "aa", "x/y", ""]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
# Random schemas are slow to draw, and many recurse without end.
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
PATTERNS = ["^a", "b$", "^[a-c]+$", "a|b", "^.{1,2}$", "^$"]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, -2.0, 0.5, 1.5, 1e300, 2**70]),
    st.sampled_from(["", "a", "b", "ab", "aa", "abc", "😀", "1"]),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)
counts = st.integers(0, 3)


def build_schemas() -> st.SearchStrategy[Any]:
    """Schemas of every keyword, with references to the root and to two definitions."""
    leaves = st.booleans() | st.fixed_dictionaries({"type": st.sampled_from(TYPES)})

    def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        names = st.lists(st.sampled_from(NAMES), max_size=3, unique=True)
        several = st.lists(inner, min_size=1, max_size=3)
        by_name = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
        return st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(TYPES)
                | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
                "enum": st.lists(values, min_size=1, max_size=4),
                "const": values,
                "multipleOf": st.sampled_from([1, 2, 0.5, 3]),
                "minimum": st.integers(-2, 2),
                "maximum": st.integers(-2, 2),
                "exclusiveMinimum": st.integers(-2, 2),
                "exclusiveMaximum": st.integers(-2, 2),
                "minLength": counts,
                "maxLength": counts,
                "pattern": st.sampled_from(PATTERNS),
                "minItems": counts,
                "maxItems": counts,
                "uniqueItems": st.booleans(),
                "minProperties": counts,
                "maxProperties": counts,
                "required": names,
                "dependentRequired": st.dictionaries(st.sampled_from(NAMES), names, max_size=2),
                "dependentSchemas": by_name,
                "properties": by_name,
                "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, max_size=2),
                "additionalProperties": inner,
                "propertyNames": inner,
                "prefixItems": several,
                "items": inner,
                "contains": inner,
                "minContains": counts,
                "maxContains": counts,
                "allOf": several,
                "anyOf": several,
                "oneOf": several,
                "not": inner,
                "if": inner,
                "then": inner,
                "else": inner,
                "unevaluatedProperties": inner,
                "unevaluatedItems": inner,
                "$ref": st.sampled_from(["#/$defs/one", "#two"]),
            },
        )

    bodies = st.recursive(leaves, extend, max_leaves=6)
    return st.tuples(extend(bodies), bodies, bodies).map(_join)


def _join(parts: tuple[Any, Any, Any]) -> Any:
    body, one, two = parts
    anchored: Any = {**two, "$anchor": "two"} if isinstance(two, dict) else {"$anchor": "two"}
    return {**body, "$defs": {"one": one, "two": anchored}}


def judge(schema: Any, value: Any) -> bool:
    """Ask both validators; discard what they disagree on, or recurse over without end."""
    try:
        first = Draft202012Validator(schema).is_valid(value)
    except RecursionError:
        assume(False)
    # Its numbers and its text come from Rust: hand over JSON, as the server would receive it.
    second = jsonschema_rs.Draft202012Validator(schema).is_valid(json.loads(json.dumps(value)))
    assume(first == second)
    return first


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(build_schemas(), values)
@example({"enum": [0], "$defs": {}}, False)
@example({"uniqueItems": True, "$defs": {}}, [1, True, 1.0])
def test_it_agrees_with_two_validators_on_any_schema(schema: Any, value: Any) -> None:
    assert (Schema(schema).find_faults(value) == []) == judge(schema, value)


TOOLS = [tool for tool in load_snapshot()["tools"] if "mcp" in tool["surfaces"]]
plausible: st.SearchStrategy[Any] = st.sampled_from(
    [1, 0, 200, 201, 137.0, True, "137", "bitcoin", "native", "0x" + "a" * 40, "a-slug", "a b", {}]
)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool["name"])
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_it_agrees_on_the_arguments_of_every_tool(tool: Any, data: st.DataObject) -> None:
    schema = tool["inputSchema"]
    names = [*schema.get("properties", {}), "other"]
    drawn = st.dictionaries(st.sampled_from(names), plausible | values, max_size=len(names))
    arguments = data.draw(drawn)
    assert (Schema(schema).find_faults(arguments) == []) == judge(schema, arguments)


def test_it_compiles_the_grammar_of_contracts_and_agrees_on_it() -> None:
    grammar = json.loads((ROOT / "contract" / "contract.schema.json").read_text(encoding="utf-8"))
    schema = Schema(grammar)
    documents: list[Any] = [
        {"counterfoil": 1, "servers": {}},
        {"counterfoil": 2, "servers": {"a": {}}},
        {
            "counterfoil": 1,
            "servers": {
                "a": {"binding": "mcp", "name": "a", "title": "A", "tools": [], "version": "1.0.0"}
            },
        },
    ]
    verdicts = [schema.find_faults(document) == [] for document in documents]
    assert verdicts == [Draft202012Validator(grammar).is_valid(document) for document in documents]
    assert verdicts == [False, False, True]
