"""The values that models are tried on: valid ones first, and every place of them made wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.values import is_object, members
from counterfoil.schema.judge import fast_judge, judge
from counterfoil.schema.patterns import translate
from counterfoil.schema.refs import bundled
from counterfoil.targets.fidelity.builder import Builder
from counterfoil.targets.fidelity.mutations import MISSING
from counterfoil.targets.fidelity.probes import Probes, put
from counterfoil.targets.fidelity.strings import described

CORPUS: dict[str, Any] = json.loads((Path(__file__).parent / "data/nasty.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["name"]: case for case in CORPUS["cases"]}


def schema_of(name: str) -> dict[str, Any]:
    return bundled(CASES[name]["schema"], CORPUS["$defs"])


def probes(schema: dict[str, Any], *examples: Any) -> list[Any]:
    made = Probes(schema, examples).all(fast_judge(schema).is_valid)
    return [value for _, value in made]


@pytest.mark.parametrize("name", CASES)
def test_a_valid_value_is_built_from_the_schema_alone(name: str) -> None:
    schema = schema_of(name)
    checker = judge(schema)
    assert any(checker.is_valid(value) for value in Builder(schema).values(schema))


@pytest.mark.parametrize("name", CASES)
def test_probes_are_many_different_and_bounded(name: str) -> None:
    made = [text for text, _ in Probes(schema_of(name), ()).all(lambda _: True)]
    assert len(set(made)) == len(made)
    assert 10 < len(made) <= 4000


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("bare", "empty")])
def test_probes_are_accepted_and_refused(name: str) -> None:
    schema = schema_of(name)
    verdicts = {fast_judge(schema).is_valid(value) for value in probes(schema)}
    assert verdicts == {True, False}


@pytest.mark.parametrize("name", CASES)
def test_every_member_of_the_root_is_tried_with_null_and_left_out(name: str) -> None:
    schema = schema_of(name)
    made = [value for value in probes(schema, *CASES[name]["accepted"]) if is_object(value)]
    for member, said in schema.get("properties", {}).items():
        if said is not False:
            assert any(value.get(member, 0) is None for value in made)
            assert any(member not in value for value in made)


def test_examples_are_tried_as_they_are() -> None:
    assert probes({"type": "object"}, {"rather": "unlikely"})[0] == {"rather": "unlikely"}


def test_the_same_schema_gives_the_same_probes() -> None:
    schema = schema_of("conditions")
    assert json.dumps(probes(schema)) == json.dumps(probes(json.loads(json.dumps(schema))))


def test_both_sides_of_a_bound_are_tried() -> None:
    made = probes({"type": "object", "properties": {"n": {"type": "integer", "maximum": 7}}})
    tried = [members(value).get("n") for value in made]
    assert all(bound in tried for bound in (6, 7, 8))


def test_a_trailing_newline_and_other_digits_are_tried() -> None:
    pattern = {"type": "string", "pattern": "^[0-9]{2}$"}
    made = probes({"type": "object", "properties": {"n": pattern}})
    tried = [members(value).get("n") for value in made]
    assert "00\n" in tried
    assert "\u0663\u0663" in tried


def test_two_members_are_changed_together_where_one_decides() -> None:
    schema = schema_of("conditions")
    base = {"mode": "fast", "limit": 1, "card": "1", "address": "2"}
    made = probes(schema, base)
    assert {"mode": "slow", "card": "1", "address": "2"} in made


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$",
        "^(0|[1-9][0-9]*)(\\.[0-9]+)?$",
        "^[0-9a-f]{8}-[0-9a-f]{4}$",
        "^(open|closed)$",
        "b",
        "^\\u00e9{3}$",
        "^[^\\x00-\\x1F]{2,5}$",
    ],
)
def test_a_text_is_described_by_its_pattern(pattern: str) -> None:
    texts = described(pattern)
    assert texts
    assert all(re.search(translate(pattern), text) for text in texts)


@pytest.mark.parametrize("pattern", ["(", "^(?=a)b", "\\p{L}"])
def test_a_pattern_that_no_text_is_made_for_gives_none(pattern: str) -> None:
    assert described(pattern) == ()


def test_a_value_is_put_at_its_place_and_the_base_stays() -> None:
    base = {"a": [{"b": 1}, 2]}
    assert put(base, ("a", 0, "b"), 5) == {"a": [{"b": 5}, 2]}
    assert put(base, ("a", 1), MISSING) == {"a": [{"b": 1}]}
    assert put(base, ("a", 0, "b"), MISSING) == {"a": [{}, 2]}
    assert put(base, ("c", "d"), 1) == {"a": [{"b": 1}, 2], "c": {"d": 1}}
    assert base == {"a": [{"b": 1}, 2]}
