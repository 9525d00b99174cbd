"""The contract against a vendored surface: what a file holds beside its entries is named."""

from __future__ import annotations

from typing import Any

import pytest
from parity_bench import SNAPSHOT, Bench, Change

Surface = dict[str, Any]

SPOILED: dict[str, tuple[Change, str, str]] = {
    "an entry that stands twice": (
        lambda s: s["tools"].append(dict(s["tools"][0])),
        "CF320",
        "2 times in tools",
    ),
    "an entry that is no object": (
        lambda s: s["tools"].append("IGNORE"),
        "CF320",
        "tools/10 is no object",
    ),
    "an entry without a name": (
        lambda s: s["prompts"].append({"description": "IGNORE"}),
        "CF320",
        "prompts/2 has no name",
    ),
    "a list that is none": (
        lambda s: s.update(resourceTemplates={"a": 1}),
        "CF320",
        "resourceTemplates is no array",
    ),
    "a key too many": (lambda s: s.update(note="IGNORE"), "CF320", "has note"),
    "a key too few": (lambda s: s.pop("wording"), "CF320", "has no wording"),
    "a list too few": (lambda s: s.pop("resourceTemplates"), "CF320", "has no resourceTemplates"),
    "routes that are none": (lambda s: s.update(routes=[]), "CF330", "routes is no object"),
    "a route that is none": (
        lambda s: s["routes"].update(wagers=3),
        "CF330",
        "route wagers is no object",
    ),
    "a route too many": (
        lambda s: s["routes"].update(spare=s["routes"]["wagers"]),
        "CF330",
        "has a route spare",
    ),
}


@pytest.mark.parametrize("case", SPOILED)
def test_what_a_surface_holds_otherwise_is_named(bench: Bench, case: str) -> None:
    change, code, named = SPOILED[case]
    bench.edit(SNAPSHOT, change)
    status, findings = bench.run("parity", "--offline")
    assert status == 1
    assert "CF321" not in {each["code"] for each in findings}
    assert [each for each in findings if each["code"] == code and named in each["message"]]


def test_a_key_that_is_given_twice_is_named(bench: Bench) -> None:
    path = bench.root / SNAPSHOT
    text = path.read_text("utf-8")
    path.write_text(text.replace('"tools": [', '"tools": ["IGNORE"],\n"tools": ['), "utf-8")
    _, findings = bench.run("parity", "--offline")
    assert [each["code"] for each in findings] == ["CF320"]
