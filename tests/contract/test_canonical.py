"""The canonical form: one text, one hash."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.contract.canonical import (
    arranged,
    canonical_text,
    compact,
    digest,
    dump,
    indented,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(each, chance) for each in value] if isinstance(value, list) else value


@settings(max_examples=150, deadline=None, derandomize=True)
@given(JSON, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: Any, chance: random.Random) -> None:
    other = shuffled(value, chance)
    assert dump(other) == dump(value)
    assert digest(other) == digest(value)
    assert json.loads(dump(value)) == value == json.loads(compact(value))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(JSON)
def test_the_text_is_what_the_standard_library_writes(value: Any) -> None:
    assert indented(value) == json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    expected = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    assert dump(value) == expected


def test_the_text_has_two_spaces_sorted_keys_plain_unicode_and_a_final_newline() -> None:
    assert dump({"b": [1, {}], "a": "ä\u2028"}) == (
        '{\n  "a": "ä\u2028",\n  "b": [\n    1,\n    {}\n  ]\n}\n'
    )
    assert compact({"b": [1, 2], "a": None}) == '{"a":null,"b":[1,2]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_has_no_form(value: float) -> None:
    for write in (dump, compact, digest):
        with pytest.raises(ValueError, match="JSON compliant"):
            write([value])


def test_a_hash_of_half_a_character_exists_and_differs() -> None:
    assert digest("\ud800") != digest("\udc00") != digest("?")


def test_lists_with_an_identity_are_sorted_by_it_and_others_keep_their_order() -> None:
    server: dict[str, Any] = {
        "tools": [{"name": "b"}, {"name": "a"}],
        "resources": [{"uri": "b:x", "name": "1"}, {"uri": "a:x", "name": "2"}],
        "resourceTemplates": [{"uriTemplate": "b:{x}"}, {"uriTemplate": "a:{x}"}],
        "prompts": [{"name": "b", "arguments": [{"name": "z"}, {"name": "y"}]}, {"name": "a"}],
        "routes": [{"id": "b"}, {"id": "a"}],
        "outbound": [{"origin": "b"}, {"origin": "a"}],
    }
    made = arranged({"servers": {"s": server}})["servers"]["s"]
    assert [each["name"] for each in made["tools"]] == ["a", "b"]
    assert [each["name"] for each in made["resources"]] == ["2", "1"]
    assert [each["uriTemplate"] for each in made["resourceTemplates"]] == ["a:{x}", "b:{x}"]
    assert [each["name"] for each in made["prompts"]] == ["a", "b"]
    assert [each["name"] for each in made["prompts"][1]["arguments"]] == ["z", "y"]
    assert [each["id"] for each in made["routes"]] == ["a", "b"]
    assert [each["origin"] for each in made["outbound"]] == ["b", "a"]
    assert server["tools"][0] == {"name": "b"}, "the argument was changed"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"servers": 1},
        {"servers": {"a": 1}},
        {"servers": {"a": {"tools": 1}}},
        {"servers": {"a": {"tools": [{"name": 1}, {"name": "a"}]}}},
        {"servers": {"a": {"tools": [1, {}]}}},
    ],
)
def test_what_breaks_the_grammar_is_arranged_as_it_is(data: dict[str, Any]) -> None:
    assert arranged(data) == data


def test_the_canonical_text_is_its_own_canonical_text(smallest: dict[str, Any]) -> None:
    smallest["servers"]["a"]["tools"] = [{"name": "b"}, {"name": "a"}]
    text = canonical_text(smallest)
    assert canonical_text(json.loads(text)) == text
