"""What looks harmless keyword by keyword, and is not; and names that leave nothing over."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.breaking import Change, compare, of_listing
from counterfoil.schema.judge import judge


def changes(base: Any, target: Any, field: str = "inputSchema") -> list[Change]:
    surfaces = [
        of_listing(
            shown, {"tools": [{"name": "t", "inputSchema": {"type": "object"}, field: held(each)}]}
        )
        for shown, each in (("base", base), ("target", target))
    ]
    return compare(*surfaces)


def held(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": schema}}


def tagged(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"properties": {name: {"const": value}}, "required": [name], **more}


# A value that the first takes, and the second refuses, although each keyword of it takes more.
LOST: dict[str, tuple[Any, Any, Any]] = {
    "a listed value that another alternative comes to take": (
        {"oneOf": [{"enum": ["a", "b"]}, {"type": "integer"}]},
        {"oneOf": [{"enum": ["a", "b"]}, {"type": ["integer", "string"], "maxLength": 1}]},
        "a",
    ),
    "a listed array beside an alternative of any type": (
        {"oneOf": [{"enum": [[1], {"a": 1}]}, {"const": 2}]},
        {"oneOf": [{"enum": [[1], {"a": 1}]}, {"multipleOf": 2}]},
        [1],
    ),
    "alternatives that are told apart by different members": (
        {"oneOf": [tagged("a", 1, type="object"), tagged("b", 1, type="object", maxProperties=1)]},
        {"oneOf": [tagged("a", 1, type="object"), tagged("b", 1, type="object")]},
        {"a": 1, "b": 1},
    ),
    "tagged alternatives that take what is no object": (
        {"oneOf": [tagged("k", 1), tagged("k", 2, type="object")]},
        {"oneOf": [tagged("k", 1), tagged("k", 2)]},
        "abc",
    ),
    "members that only another keyword counts": (
        {
            "anyOf": [{"properties": {"a": {"type": "integer"}}}, {"type": "null"}],
            "unevaluatedProperties": False,
        },
        {
            "anyOf": [{"properties": {"a": {"type": "integer"}}}, {"type": "null"}],
            "unevaluatedProperties": False,
            "additionalProperties": False,
        },
        {"a": 1},
    ),
    "items that only another keyword counts": (
        {"anyOf": [{"prefixItems": [{"type": "integer"}]}], "unevaluatedItems": False},
        {"anyOf": [{"prefixItems": [True]}], "unevaluatedItems": False, "items": False},
        [1],
    ),
    "one constant written as two numbers": (
        {"oneOf": [tagged("k", 1), tagged("k", 1.0, minProperties=2)], "type": "object"},
        {"oneOf": [tagged("k", 1), tagged("k", 1.0)], "type": "object"},
        {"k": 1},
    ),
}  # fmt: skip
# The second takes what the first refuses, although it only asks for more.
GAINED: dict[str, tuple[Any, Any, Any]] = {
    "items that have to be there are items that were looked at": (
        {"type": "array", "unevaluatedItems": False},
        {"type": "array", "contains": {"const": 1}, "minContains": 2, "unevaluatedItems": False},
        [1, 1],
    ),
    "items that are looked at though none has to be there": (
        {"contains": {"const": 1}, "minContains": 0, "unevaluatedItems": False},
        {"contains": {}, "minContains": 0, "unevaluatedItems": False},
        [1, 2],
    ),
    "members that are looked at by a schema for any": (
        {"allOf": [{"additionalProperties": {"type": "integer"}}], "unevaluatedProperties": False},
        {"allOf": [{"additionalProperties": {}}], "unevaluatedProperties": False},
        {"a": "x"},
    ),
}


@pytest.mark.parametrize(("base", "target", "value"), LOST.values(), ids=LOST.keys())
def test_a_call_that_is_lost_is_never_called_safe(base: Any, target: Any, value: Any) -> None:
    assert judge(base).is_valid(value)
    assert not judge(target).is_valid(value)
    assert {"breaking", "undecided"} & {each.klass for each in changes(base, target)}


@pytest.mark.parametrize(("base", "target", "value"), GAINED.values(), ids=GAINED.keys())
def test_a_result_that_is_new_is_never_called_safe(base: Any, target: Any, value: Any) -> None:
    assert judge(target).is_valid(value)
    assert not judge(base).is_valid(value)
    found = changes(base, target, "outputSchema")
    assert {"breaking", "undecided"} & {each.klass for each in found}


@pytest.mark.parametrize("pattern", ["^", "^.*$", "^[a-zA-Z0-9_]+$", "^o", "^(?!a)"])
@pytest.mark.parametrize("closed", [True, False])
def test_names_may_all_be_those_of_a_pattern(pattern: str, closed: bool) -> None:
    base: Any = {"type": "object", "patternProperties": {pattern: {"type": "number"}}}
    base |= {"additionalProperties": False} if closed else {}
    target: Any = {**base, "patternProperties": {pattern: {"type": "integer"}}}
    [change] = changes(base, target)
    assert change.klass in ("breaking", "undecided")


def test_closing_an_object_whose_names_are_all_taken_by_a_pattern_is_no_change() -> None:
    base = {"type": "object", "patternProperties": {"^": {"type": "number"}}}
    assert changes(base, {**base, "additionalProperties": False}) == []


# Each has a witness, though nothing names the member, or lists the value, that it needs.
SHOWN: dict[str, tuple[Any, Any]] = {
    "a member that only a dependency names": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {
            "type": "object", "additionalProperties": {"type": "integer"},
            "dependentRequired": {"a": ["b"]},
        },
    ),
    "a number that is not listed": ({"type": "integer", "minimum": 1}, {"enum": [1, 2, 3]}),
    "a text that is not listed": ({"type": "string", "minLength": 1}, {"enum": ["a", "aa"]}),
    "a name that names may have": (
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}},
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "maxProperties": 1},
    ),
    "names of one letter": (
        {"type": "object", "propertyNames": {"maxLength": 1}},
        {"type": "object", "propertyNames": {"maxLength": 1}, "maxProperties": 1},
    ),
    "what an exclusion excludes, too": (
        {"not": {"type": "array", "minItems": 1}}, {"not": {"type": "array"}},
    ),
    "one item of those that an upper count counts": (
        {"type": "array", "contains": {"type": "integer"}, "maxContains": 1},
        {"type": "array", "contains": True, "maxContains": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("base", "target"), SHOWN.values(), ids=SHOWN.keys())
def test_what_is_lost_is_shown(base: Any, target: Any) -> None:
    found = [each for each in changes(base, target) if each.klass != "additive"]
    assert {each.klass for each in found} == {"breaking"}
    for each in found:
        assert each.witness is not None
        assert judge(held(base)).is_valid(each.witness.value)
        assert not judge(held(target)).is_valid(each.witness.value)


def test_a_schema_that_takes_nothing_is_said_in_words() -> None:
    [closed] = changes({"type": "integer"}, False)
    assert (closed.klass, closed.sentence) == ("breaking", 'argument "v": takes nothing now')
    [opened] = changes(False, {"type": "integer"})
    assert opened.klass == "additive"


def test_items_of_which_none_has_to_be_there_ask_for_nothing() -> None:
    idle = {"contains": {"const": 1}, "minContains": 0}
    assert changes({"type": "array"}, {"type": "array", **idle}) == []


def test_a_value_that_no_utf_8_can_hold_is_not_lost_in_silence() -> None:
    [change] = changes({"enum": ["\ud800", "b"]}, {"enum": ["b"]})
    assert (change.klass, "no longer a value" in change.sentence) == ("undecided", True)


def test_one_of_many_listed_values_is_found() -> None:
    [change] = changes({"enum": list(range(3000))}, {"enum": list(range(2999))})
    assert change.witness is not None
    assert change.witness.value == {"v": 2999}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_the_reason_is_that_of_the_alternative_that_was_meant(union: str) -> None:
    def kinds(**limit: int) -> dict[str, Any]:
        first: Any = tagged("k", "a")
        first["properties"]["x"] = {"type": "integer", **limit}
        return {"type": "object", union: [first, tagged("k", "b")]}

    [change] = changes(kinds(), kinds(minimum=1))
    assert change.witness is not None
    assert (change.witness.value, change.witness.reason) == (
        {"v": {"k": "a", "x": 0}},
        "v.x 0 is less than 1",
    )


def test_what_was_accepted_without_proof_is_not_accepted_for_another_schema() -> None:
    # Nothing but the schemas themselves tells one such change from another.
    named = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}
    found = [
        compare(
            of_listing("base", {"tools": [{"name": "t", "inputSchema": named}]}),
            of_listing("target", {"tools": [{"name": "t", "inputSchema": each}]}),
        )
        for each in ({"type": "object"}, {"type": "object", "required": ["a"]})
    ]
    dialects = [each for each in (*found[0], *found[1]) if "$schema" in each.sentence]
    assert len({each.fingerprint for each in dialects}) == len(dialects) == 2


@pytest.mark.parametrize(("sides", "said"), [
    (({"minimum": "1"}, {}), "the old version is"),
    (({}, {"minimum": "1"}), "the new version is"),
    (({"minimum": "1"}, {"minimum": "2"}), "both versions are"),
])  # fmt: skip
def test_a_schema_that_is_none_is_named(sides: tuple[Any, Any], said: str) -> None:
    found = [each for each in changes(*sides) if each.klass == "undecided"]
    assert [f"{said} no JSON Schema" in each.sentence for each in found] == [True]


def test_a_member_may_have_a_number_for_its_name() -> None:
    base = {"dependentSchemas": {"a": {"propertyNames": {"enum": ["1", "a"]}}}}
    assert changes(base, {"type": "object", "additionalProperties": {"type": "integer"}})
    named = {"type": "object", "additionalProperties": held({"type": "integer"})}
    needed: Any = {
        **named,
        "additionalProperties": {**held({"type": "integer"}), "required": ["v"]},
    }
    needed["propertyNames"] = named["propertyNames"] = {"enum": ["1", "2"]}
    found = [each for each in changes(named, needed) if each.klass != "additive"]
    assert [each.klass for each in found] == ["breaking"]


def test_a_name_that_nobody_may_send_any_more_is_no_new_member() -> None:
    base: Any = {"type": "object", "properties": {}}
    [change] = changes(base, {**base, "properties": {"b": False}})
    assert (change.klass, change.sentence) == ("breaking", 'argument "v.b": takes nothing now')
    assert change.witness is not None
    assert change.witness.value == {"v": {"b": "a"}}


def test_a_schema_with_a_name_of_its_own_is_never_taken_for_the_same() -> None:
    def named(kind: str) -> dict[str, Any]:
        own = {"$id": "https://example.org/v", "$defs": {"Z": {"type": kind}}, "$ref": "#/$defs/Z"}
        return {**held(own), "$defs": {"Z": {"type": "string"}}}

    def absolute(kind: str) -> dict[str, Any]:
        root = {"$id": "https://example.org/r", "$defs": {"Z": {"type": kind}}}
        return {**root, **held({"$ref": "https://example.org/r#/$defs/Z"})}

    for form in (named, absolute):
        surfaces = [
            of_listing("a server", {"tools": [{"name": "t", "inputSchema": form(kind)}]})
            for kind in ("number", "integer")
        ]
        assert {"breaking", "undecided"} & {each.klass for each in compare(*surfaces)}
