"""Every keyword in both directions: the right class, and a witness where something breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.breaking import Change, compare, of_listing
from counterfoil.breaking.walker.nodes import ASSERTIONS
from counterfoil.schema.judge import judge

DATA = Path(__file__).parent / "data"


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / name).read_text("utf-8"))
    return found


NARROWER, SAME = read("narrower.json"), read("same.json")
each_field = pytest.mark.parametrize("field", ["inputSchema", "outputSchema"])
each_pair = pytest.mark.parametrize("row", NARROWER["rows"], ids=lambda row: row["name"])
each_spelling = pytest.mark.parametrize("row", SAME["rows"], ids=lambda row: row["name"])


def tool(field: str, schema: Any, defs: Any) -> list[dict[str, Any]]:
    held = {"type": "object", "properties": {"v": schema}, "$defs": defs}
    return [{"name": "t", "inputSchema": {"type": "object"}, field: held}]


def changes(field: str, base: Any, target: Any, defs: Any) -> list[Change]:
    tools = [{"tools": tool(field, each, defs)} for each in (base, target)]
    return compare(of_listing("base", tools[0]), of_listing("target", tools[1]))


@each_field
@each_pair
def test_what_takes_less_breaks_callers_and_what_gives_more_breaks_readers(
    field: str, row: dict[str, Any]
) -> None:
    base, target = row["wide"], row["narrow"]
    if field == "outputSchema":
        base, target = target, base
    found = changes(field, base, target, NARROWER["$defs"])
    assert {each.klass for each in found} == {"breaking"}, found
    for each in found:
        assert each.witness is not None
        held = [tool(field, one, NARROWER["$defs"])[0][field] for one in (base, target)]
        judges = [judge(one) for one in (held if field == "inputSchema" else held[::-1])]
        assert judges[0].is_valid(each.witness.value)
        assert not judges[1].is_valid(each.witness.value)


@each_field
@each_pair
def test_what_takes_more_is_safe_for_callers_and_what_gives_less_for_readers(
    field: str, row: dict[str, Any]
) -> None:
    base, target = row["narrow"], row["wide"]
    if field == "outputSchema":
        base, target = target, base
    found = changes(field, base, target, NARROWER["$defs"])
    assert {each.klass for each in found} == {"additive"}, found


@each_field
@each_spelling
def test_another_spelling_is_no_change(field: str, row: dict[str, Any]) -> None:
    for base, target in ((row["one"], row["other"]), (row["other"], row["one"])):
        assert changes(field, base, target, SAME["$defs"]) == []


def keywords(schema: Any) -> set[str]:
    """Return the keywords in a schema, and the names that it gives members."""
    if isinstance(schema, list):
        return {each for inner in schema for each in keywords(inner)}
    if not isinstance(schema, dict):
        return set()
    return set(schema) | {each for inner in schema.values() for each in keywords(inner)}


def test_every_keyword_that_decides_about_values_is_tried() -> None:
    found = {each for row in NARROWER["rows"] for each in keywords([row["wide"], row["narrow"]])}
    assert found >= ASSERTIONS | {"$ref", "allOf"}
    assert len(NARROWER["rows"]) >= 60
