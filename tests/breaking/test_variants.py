"""Servers with one change each, judged by people; kept outside of the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.breaking import compare, of_listing

FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "breaking"
CLASSES = {
    "BREAKING": {"breaking"},
    "none": set[str](),
    "review": {"behaviour"},
    "safe": {"additive"},
}
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the variants of the survey are not beside this checkout"
)


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


def rows() -> list[tuple[str, str]]:
    if not FOLDER.is_dir():
        return [("none", "none")]
    return [(row["variant"], row["truth"]) for row in read("truth.json")]


@pytest.mark.parametrize(("variant", "truth"), rows(), ids=lambda value: str(value))
def test_every_variant_has_the_class_that_people_gave_it(variant: str, truth: str) -> None:
    base = of_listing("base", {"tools": read("base.json")})
    target = of_listing("target", {"tools": read(f"variants/{variant}.json")})
    found = {each.klass for each in compare(base, target)}
    # What breaks may change texts, too: a type that is gone takes its default along.
    if truth == "BREAKING":
        found -= {"behaviour"}
    assert found == CLASSES[truth]
