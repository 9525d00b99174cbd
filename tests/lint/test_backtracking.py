"""Patterns that take too long, and what beside them keeps them short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

PLACE = "/servers/shop/tools/0/inputSchema/properties/a"
SLOW = "^[a-z]*[a-z]*[a-z]*[a-z]*x$"


@pytest.mark.parametrize(
    ("beside", "codes"),
    [
        ({}, ["CF144"]),
        ({"maxLength": 257}, ["CF144"]),
        ({"maxLength": 256}, []),
        ({"maxLength": 20.0}, []),
    ],
)
def test_neighbouring_loops_are_reported_where_texts_may_be_long(
    beside: dict[str, Any], codes: list[str], lint: Lint
) -> None:
    findings = lint((PLACE, {"type": "string", "pattern": SLOW, **beside}))
    assert [finding.code for finding in findings] == codes


def test_a_pattern_that_takes_exponential_time_is_reported_however_short(lint: Lint) -> None:
    (finding,) = lint((PLACE, {"type": "string", "pattern": "^([a-z]+)*$", "maxLength": 64}))
    assert (finding.code, finding.pointer) == ("CF144", f"{PLACE}/pattern")


def test_a_pattern_of_names_is_judged_by_the_longest_name(lint: Lint) -> None:
    schema = {"type": "object", "patternProperties": {SLOW: {"type": "string"}}}
    (finding,) = lint((PLACE, schema))
    assert finding.code == "CF144"
    assert lint((PLACE, {**schema, "propertyNames": {"maxLength": 64}})) == ()
