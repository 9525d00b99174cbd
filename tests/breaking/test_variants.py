"""A server with one change at a time, judged by people."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.breaking import compare, of_listing

DATA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "variants.json").read_text("utf-8")
)
# Where the survey is that they come from, if it is beside this checkout.
SURVEY = Path(__file__).parents[2].parent / "shared" / "data" / "breaking"
CLASSES = {
    "BREAKING": {"breaking"},
    "none": set[str](),
    "review": {"behaviour"},
    "safe": {"additive"},
}
each_variant = pytest.mark.parametrize("row", DATA["variants"], ids=lambda row: row["name"])


def variant(row: dict[str, Any]) -> Any:
    """Return the tools after the edits of a row."""
    made = {"tools": copy.deepcopy(DATA["base"])}
    for edit in row["edits"]:
        *way, last = f"tools{edit['at']}".split("/")
        node: Any = made
        for key in way:
            node = node[int(key) if isinstance(node, list) else key]
        if "value" in edit:
            node[int(last) if isinstance(node, list) else last] = edit["value"]
        else:
            del node[last]
    return made["tools"]


@each_variant
def test_every_variant_has_the_class_that_people_gave_it(row: dict[str, Any]) -> None:
    base = of_listing("base", {"tools": DATA["base"]})
    found = {each.klass for each in compare(base, of_listing("target", {"tools": variant(row)}))}
    # What breaks may change texts, too: a type that is gone takes its default along.
    if row["truth"] == "BREAKING":
        found -= {"behaviour"}
    assert found == CLASSES[row["truth"]]


@pytest.mark.skipif(not SURVEY.is_dir(), reason="the survey is not beside this checkout")
def test_the_variants_are_those_of_the_survey() -> None:
    def read(name: str) -> Any:
        return json.loads((SURVEY / name).read_text("utf-8"))

    assert read("base.json") == DATA["base"]
    truth = {row["variant"]: row["truth"] for row in read("truth.json")}
    assert truth == {row["name"]: row["truth"] for row in DATA["variants"]}
    for row in DATA["variants"]:
        assert variant(row) == read(f"variants/{row['name']}.json")
