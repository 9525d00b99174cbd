"""The judge of values, and the fast one beside it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing.exceptions import Unresolvable

from counterfoil.contract.cases import Cases, read_cases
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract
from counterfoil.schema.judge import fast_judge, faults, judge
from counterfoil.schema.patterns import PatternError
from counterfoil.schema.refs import bundled

ROOT = Path(__file__).parents[2]
CONTRACT = "contract/contract.json"

SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "number", "multipleOf": 0.1},
    {"multipleOf": 0.01},
    {"multipleOf": 3},
    {"multipleOf": 1e-9},
    {"type": "integer", "multipleOf": 0.5},
    {"enum": [1, "a", None, True, [1], {"a": 1.0}]},
    {"const": 0},
    {"const": False},
    {"const": 1.0},
    {"const": {"a": [1, {"b": 2}]}},
    {"const": [True]},
    {"uniqueItems": True},
    {"type": "integer"},
    {"type": ["integer", "null"]},
    {"minimum": 9007199254740993},
    {"maximum": 1e300},
    {"exclusiveMinimum": 0.1},
    {"minLength": 2, "maxLength": 3},
    {"minItems": 2.0, "maxItems": 3},
    {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "patternProperties": {"^x": {"type": "integer"}, "[0-9]$": False},
        "additionalProperties": {"type": "null"},
    },
    {
        "unevaluatedProperties": False,
        "properties": {"a": True},
        "anyOf": [
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            {"patternProperties": {"^x$": True}},
        ],
    },
    {
        "unevaluatedItems": False,
        "prefixItems": [{"type": "integer"}],
        "contains": {"type": "string"},
    },
    {"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3},
    {"dependentRequired": {"a": ["b"]}},
    {"dependentSchemas": {"a": {"required": ["b"]}}},
    {"if": {"type": "integer"}, "then": {"minimum": 3}, "else": {"type": "string"}},
    {"propertyNames": {"pattern": "^[a-z]$"}},
    {"not": {"type": ["string", "number"]}},
    {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
    {
        "type": "array",
        "items": {"$ref": "#/$defs/X"},
        "$defs": {"X": {"type": ["string", "array"], "items": {"$ref": "#/$defs/X"}}},
    },
    {"prefixItems": [{"type": "string"}], "items": False},
    {"format": "email"},
    {"pattern": "^a$"},
    {"pattern": r"^\d\S"},
)
SCALARS = st.sampled_from(
    [
        *(0, -0.0, 1, 1.0, True, False, None, -1, 2, 3.0, 4, 0.1, 0.2, 0.3, 1.1, 0.5, 1e308, 1e-9),
        *(2**53, 2**53 + 1, 9007199254740992.0, 10**30, 1e30),
        *("", "a", "ab", "abc", "a\n", "x1", "7x", "\u0664x", "7\ufeff", "é", "\U0001f600"),
    ]
)
NAMES = st.sampled_from(["a", "b", "x", "x1", "x\n", "a\n"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VALUES)
def test_both_judges_give_one_verdict(value: Any) -> None:
    for schema in SCHEMAS:
        slow, fast = judge(schema), fast_judge(schema)
        assert slow.is_valid(value) is fast.is_valid(value), (schema, value)


@pytest.fixture(scope="module")
def contract() -> Contract:
    reading = read_contract(ROOT / CONTRACT, CONTRACT)
    assert reading.contract is not None
    return reading.contract


@pytest.fixture(scope="module")
def cases(contract: Contract) -> Cases:
    return read_cases(ROOT, "contract/cases", contract)[0]


def test_both_judges_give_one_verdict_on_every_shipped_case(
    contract: Contract, cases: Cases
) -> None:
    tried = 0
    for server in contract.servers:
        for tool in server.tools:
            data: Any = cases[server.id, tool.name]
            schema = bundled(tool.input_schema, contract.defs)
            slow, fast = judge(schema), fast_judge(schema)
            for kind in ("accepted", "refused"):
                for case in data[kind]:
                    verdict = slow.is_valid(case["arguments"])
                    assert fast.is_valid(case["arguments"]) is verdict is (kind == "accepted")
                    tried += 1
    assert tried > 100


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
)
@given(data=st.data())
def test_both_judges_give_one_verdict_on_shipped_cases_with_a_change(
    contract: Contract, cases: Cases, data: st.DataObject
) -> None:
    server, name = data.draw(st.sampled_from(sorted(cases)))
    tool = next(each for each in contract.server(server).tools if each.name == name)
    schema = bundled(tool.input_schema, contract.defs)
    case: Any = data.draw(st.sampled_from(cases.files[server, name].data["accepted"]))
    changed = data.draw(changes(case["arguments"]))
    assert judge(schema).is_valid(changed) is fast_judge(schema).is_valid(changed)


def changes(value: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for a value with one change somewhere in it."""
    if isinstance(value, dict) and value:
        inner = st.sampled_from(sorted(value)).flatmap(
            lambda key: changes(value[key]).map(lambda new: {**value, key: new})
        )
        dropped = st.sampled_from(sorted(value)).map(
            lambda key: {name: value[name] for name in value if name != key}
        )
        return inner | inner | dropped | NAMES.map(lambda name: {**value, name: 1})
    if isinstance(value, list) and value:
        return st.integers(0, len(value) - 1).flatmap(
            lambda at: changes(value[at]).map(lambda new: [*value[:at], new, *value[at + 1 :]])
        )
    return VALUES


def test_text_that_is_no_unicode_is_where_the_judges_part() -> None:
    assert judge({"type": "string"}).is_valid("\ud800")
    with pytest.raises(ValueError, match="surrogate"):
        fast_judge({"type": "string"}).is_valid("\ud800")


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "x", [("", '"x" is not an integer')]),
        ({"type": ["integer", "null"]}, [], [("", "[] is not an integer or null")]),
        ({"required": ["a", "b"]}, {"b": 1}, [("", 'lacks "a"')]),
        (
            {"properties": {"a": True}, "additionalProperties": False},
            {"a": 1, "b": 2, "c": 3},
            [("", 'has members that are not known: "b", "c"')],
        ),
        ({"enum": ["a", 1]}, "b", [("", '"b" is none of "a", 1')]),
        ({"const": {"a": 1}}, 2, [("", '2 is not {"a": 1}')]),
        ({"minimum": 3}, 2, [("", "2 is less than 3")]),
        ({"maxLength": 1}, "ab", [("", "has 2 characters, more than 1")]),
        ({"minItems": 1}, [], [("", "has 0 items, fewer than 1")]),
        ({"pattern": "^a$"}, "a\n", [("", r'"a\n" is not matched by "^a$"')]),
        ({"multipleOf": 0.1}, 0.25, [("", "0.25 is no multiple of 0.1")]),
        ({"not": {"type": "null"}}, None, [("", "null is what the schema excludes")]),
        ({"uniqueItems": True}, [1, 1.0], [("", "holds an item twice")]),
        ({"properties": {"a/b": False}}, {"a/b": 1}, [("/a~1b", "is not allowed here")]),
        (
            {"items": {"type": "null"}},
            [None, 1, 2],
            [("/1", "1 is not null"), ("/2", "2 is not null")],
        ),
        (
            {"oneOf": [{"type": "null"}, {"properties": {"a": {"const": 1}}, "type": "object"}]},
            {"a": 2},
            [("", "matches none of 2 alternatives (2 is not 1)")],
        ),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
            1,
            [("", "1 matches more than one of the alternatives")],
        ),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [("", "'b' is a dependency of 'a'")]),
    ],
)
def test_a_fault_says_where_and_why(
    schema: dict[str, Any], value: Any, expected: list[tuple[str, str]]
) -> None:
    assert faults(judge(schema), value) == expected


def test_faults_are_sorted_bounded_and_each_given_once() -> None:
    schema = {
        "properties": {"b": {"enum": ["y" * 500] * 1}, "a": {"maxLength": 1, "pattern": "^x"}},
        "allOf": [{"properties": {"a": {"maxLength": 1}}}],
    }
    found = faults(judge(schema), {"b": "z" * 10_000, "a": "z" * 10_000})
    assert [pointer for pointer, _ in found] == ["/a", "/a", "/b"]
    assert found == sorted(set(found))
    assert max(len(sentence) for _, sentence in found) <= 200


def test_a_pattern_without_a_form_in_python_is_refused_before_any_value() -> None:
    for schema in ({"pattern": r"\p{L}"}, {"patternProperties": {"(?i)a": True}}):
        with pytest.raises(PatternError):
            judge({"properties": {"a": schema}})


def test_two_spellings_of_one_name_pattern_both_hold() -> None:
    schema = {"patternProperties": {"^[0-9]$": {"type": "string"}, r"^\d$": {"minLength": 2}}}
    assert judge(schema).is_valid({"1": "ab"})
    assert not judge(schema).is_valid({"1": "a"})
    assert not judge(schema).is_valid({"1": 10})


def test_a_reference_through_a_name_pattern_is_followed() -> None:
    schema = {
        "patternProperties": {"x-": {"type": "null"}},
        "properties": {"a": {"$ref": "#/patternProperties/x-"}},
    }
    assert [judge(schema).is_valid({"a": value}) for value in (None, 1)] == [True, False]


def test_data_that_looks_like_a_schema_is_left_alone() -> None:
    value: Any = {"pattern": r"\p{L}", "patternProperties": {"$": 1}}
    schema = {"const": value, "examples": [value], "properties": {"pattern": {"type": "string"}}}
    assert judge(schema).is_valid(value)


def test_no_reference_is_ever_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        schema = {"$ref": f"http://127.0.0.1:{listener.getsockname()[1]}/x.json"}
        with pytest.raises(Unresolvable):
            judge(schema).is_valid(1)
        with pytest.raises(ValueError, match="not present in a registry"):
            fast_judge(schema)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_judge_does_not_change_its_schema() -> None:
    schema = {"patternProperties": {r"^\d$": {"pattern": "a$"}}}
    before = json.dumps(schema)
    judge(schema)
    assert json.dumps(schema) == before
