"""Random schemas with random edits: a safe verdict is safe, and a witness is real."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schema_edits import edited, expected, roots, sampled

from counterfoil.breaking import Change, compare, of_listing
from counterfoil.schema.judge import fast_judge, judge

# `nox -s fuzz` tries many more.
EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "60"))
HARMFUL = ("breaking", "undecided")
each_direction = pytest.mark.parametrize("field", ["inputSchema", "outputSchema"])
bounded = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    base = draw(roots())
    return base, draw(edited(base))


def changes(field: str, base: Any, target: Any) -> list[Change]:
    surfaces = [
        of_listing(
            shown, {"tools": [{"name": "t", "inputSchema": {"type": "object"}, field: each}]}
        )
        for shown, each in (("base", base), ("target", target))
    ]
    return compare(*surfaces)


@each_direction
@bounded
@given(pair=pairs(), data=st.data())
def test_nothing_that_was_taken_is_refused_after_a_safe_verdict(
    field: str, pair: tuple[dict[str, Any], dict[str, Any]], data: st.DataObject
) -> None:
    base, target = pair
    if any(each.klass in HARMFUL for each in changes(field, base, target)):
        return
    taking, refusing = (base, target) if field == "inputSchema" else (target, base)
    judges = fast_judge(taking), fast_judge(refusing)
    for _ in range(8):
        value = data.draw(sampled(taking, taking))
        if field == "inputSchema":
            value = expected(value, base, base)
        if judges[0].is_valid(value):
            assert judges[1].is_valid(value), (taking, refusing, value)


@each_direction
@bounded
@given(pair=pairs())
def test_every_witness_is_real(field: str, pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    base, target = pair
    for each in changes(field, base, target):
        if each.klass != "breaking":
            continue
        assert each.witness is not None
        judges = judge(base), judge(target)
        taking, other = judges if field == "inputSchema" else judges[::-1]
        assert taking.is_valid(each.witness.value)
        assert other.is_valid(each.witness.value) is not each.witness.refused


@each_direction
@bounded
@given(schema=roots())
def test_a_schema_is_the_same_as_itself(field: str, schema: dict[str, Any]) -> None:
    assert changes(field, schema, schema) == []
