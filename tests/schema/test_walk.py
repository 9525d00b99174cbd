"""Two walks of a schema, with pointers and without, visit the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.contract.values import is_object
from counterfoil.schema.keywords import LIST, MAP, ONE
from counterfoil.schema.refs import shared_names
from counterfoil.schema.walk import objects, subschemas

KEYS = st.sampled_from(sorted({*ONE, *LIST, *MAP, "$ref", "const", "type", "x"}))
# Schemas, and values that are none where one belongs.
VALUES = st.recursive(
    st.booleans() | st.integers() | st.sampled_from(["#/$defs/A", "#/$defs/B/items", "#/$defsA"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(VALUES)
def test_both_walks_visit_the_same_objects(schema: Any) -> None:
    quick = sorted(map(id, objects(schema)))
    assert quick == sorted(id(node) for _, node in subschemas(schema) if is_object(node))


def test_names_of_shared_schemas_are_those_in_references() -> None:
    schema = {
        "$ref": "#/$defs/A",
        "properties": {
            "b": {"items": {"$ref": "#/$defs/B/items"}},
            "c": {"$ref": "#/properties/b"},
        },
        "default": {"$ref": "#/$defs/NoSchema"},
        "enum": [{"$ref": "#/$defs/NorHere"}],
    }
    assert shared_names(schema) == {"A", "B"}
