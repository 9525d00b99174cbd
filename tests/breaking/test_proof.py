"""The walker words, the containment engine proves; where they disagree nobody calls it safe."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.breaking import Change, compare, of_listing


def changes(base: Any, target: Any, field: str = "inputSchema") -> list[Change]:
    surfaces = [
        of_listing(
            shown, {"tools": [{"name": "t", "inputSchema": {"type": "object"}, field: each}]}
        )
        for shown, each in (("base", base), ("target", target))
    ]
    return compare(*surfaces)


def held(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": schema}}


# The walker compares keyword by keyword; the engine sees that the values were never taken.
DISAGREEMENTS = {
    "an exclusion held what a bound holds now": (
        {"type": "integer", "not": {"maximum": 4}, "maximum": 9}, {"type": "integer", "minimum": 5},
    ),
    "another alternative holds one that is gone": (
        {"anyOf": [{"type": "integer", "minimum": 0}, {"const": 3}]},
        {"anyOf": [{"type": "integer", "minimum": -1}, {"type": "null"}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "target"), DISAGREEMENTS.values(), ids=DISAGREEMENTS.keys())
def test_a_disagreement_is_undecided(base: Any, target: Any) -> None:
    found = [each for each in changes(held(base), held(target)) if each.klass != "additive"]
    assert [each.klass for each in found] == ["undecided"]
    assert "the containment engine says that it takes all that it took" in found[0].sentence
    assert found[0].witness is None


def test_what_neither_can_tell_is_undecided() -> None:
    base, target = ({"type": "string", "pattern": each} for each in ("^(?!.*q)k", "^(?!.*qq)k"))
    [change] = changes(held(base), held(target))
    assert (change.code, change.klass) == ("CF430", "undecided")


def test_a_reference_out_of_the_document_is_undecided() -> None:
    base, target = ({"$ref": f"https://example.org/{each}.json"} for each in ("a", "b"))
    assert [each.klass for each in changes(held(base), held(target))] == ["undecided"]


def test_another_dialect_is_undecided() -> None:
    base = {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}
    assert [each.klass for each in changes(base, {"type": "object"})] == ["undecided"]
    named = {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"}
    assert changes(named, {"type": "object"}) == []


def test_an_optional_argument_that_is_dropped_is_shown_though_every_call_is_taken() -> None:
    [change] = changes(held({"type": "integer"}), {"type": "object", "properties": {}})
    assert (change.code, change.klass) == ("CF411", "breaking")
    assert change.witness is not None
    assert change.witness.call == 't({"v": 1})'
    assert not change.witness.refused


def test_an_optional_argument_may_be_added_to_an_open_object() -> None:
    base = {"type": "object", "properties": {}}
    assert [each.code for each in changes(base, held({"type": "integer"}))] == ["CF481"]


def test_a_field_of_a_map_that_gets_a_type_breaks_what_was_sent_under_its_name() -> None:
    base, target = held({"type": "object"}), held(held({"type": "integer"}))
    [change] = [each for each in changes(base, target) if each.klass == "breaking"]
    assert change.witness is not None
    assert change.witness.value == {"v": {"v": "a"}}


def test_a_field_that_is_new_breaks_readers_of_a_closed_result() -> None:
    base = {"type": "object", "properties": {}, "additionalProperties": False}
    target = {**held({"type": "integer"}), "additionalProperties": False}
    [change] = changes(base, target, "outputSchema")
    assert (change.code, change.klass) == ("CF421", "breaking")
    assert change.witness is not None
    assert change.witness.call == 't(…) -> {"v": 1}'


def test_a_witness_prefers_what_the_author_gave() -> None:
    base = held({"type": "string", "examples": ["Lisbon"]})
    target = held({"type": "string", "examples": ["Lisbon"], "maxLength": 3})
    [change] = changes(base, target)
    assert change.witness is not None
    assert change.witness.call == 't({"v": "Lisbon"})'


def test_a_witness_holds_what_has_to_stand_beside_it() -> None:
    base = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "rows": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "integer"}, "n": {"type": "number"}},
                    "required": ["id"],
                },
            },
        },
        "required": ["city"],
    }
    target: Any = {**base, "properties": {**base["properties"]}}
    rows = target["properties"]["rows"]
    inner = rows["items"]
    target["properties"]["rows"] = {
        **rows, "items": {**inner, "properties": {**inner["properties"], "n": {"type": "integer"}}},
    }  # fmt: skip
    [change] = changes(base, target)
    assert change.witness is not None
    assert change.witness.value == {"city": "a", "rows": [{"id": 1, "n": 0.5}]}


def test_schemas_that_contain_themselves_come_to_an_end() -> None:
    def tree(**leaf: Any) -> dict[str, Any]:
        kids = {"type": "array", "items": {"$ref": "#"}}
        return {"type": "object", "properties": {"kids": kids, "v": leaf}, "required": ["v"]}

    [change] = changes(tree(type="number"), tree(type="integer"))
    assert change.witness is not None
    assert change.witness.value == {"v": 0.5}


def test_schemas_that_grow_with_every_reference_come_to_an_end() -> None:
    def wide(**leaf: Any) -> dict[str, Any]:
        defs: dict[str, Any] = {"D0": {"type": "object", "properties": {"v": leaf}}}
        for level in range(1, 12):
            below = {"$ref": f"#/$defs/D{level - 1}"}
            properties = dict.fromkeys(("a", "b", "c", "d"), below)
            defs[f"D{level}"] = {"type": "object", "properties": properties}
        return {"type": "object", "properties": {"top": {"$ref": "#/$defs/D11"}}, "$defs": defs}

    assert any(
        each.klass in ("breaking", "undecided")
        for each in changes(wide(type="number"), wide(type="integer"))
    )
