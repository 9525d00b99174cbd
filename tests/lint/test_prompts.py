"""Prompts: placeholders and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

PROMPT = "/servers/shop/prompts/0"


def prompt(arguments: list[dict[str, Any]], *texts: str) -> tuple[str, Any]:
    data: dict[str, Any] = {
        "name": "p",
        "title": "P",
        "description": "P.",
        "messages": [{"role": "user", "text": text} for text in texts],
    }
    if arguments:
        data["arguments"] = [{"description": "A.", **each} for each in arguments]
    return PROMPT, data


NEEDED = {"name": "a", "required": True}
FREE = {"name": "a", "whenAbsent": "any"}


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ([], ["No argument at all."]),
        ([NEEDED], ["First {a}.", "Then {a}{a}."]),
        ([FREE], ["{a}"]),
        ([NEEDED], ['{a} as {"x": {"y": 1}} and {} and { a } and {1}']),
        ([NEEDED], ["{{a}}"]),
    ],
)
def test_a_prompt_that_agrees_with_itself_passes(
    arguments: list[dict[str, Any]], texts: list[str], lint: Lint
) -> None:
    assert lint(prompt(arguments, *texts)) == ()


@pytest.mark.parametrize(
    ("arguments", "texts", "code", "tail"),
    [
        ([], ["{a}"], "CF161", "messages/0/text"),
        ([NEEDED], ["{a}", "{A}"], "CF161", "messages/1/text"),
        ([NEEDED], ["none"], "CF162", "arguments/0/name"),
        ([{"name": "a"}], ["{a}"], "CF163", "arguments/0"),
        ([{"name": "a", "required": False}], ["{a}"], "CF163", "arguments/0"),
        ([{**NEEDED, "whenAbsent": "x"}], ["{a}"], "CF163", "arguments/0/whenAbsent"),
        ([NEEDED, NEEDED], ["{a}"], "CF111", "arguments/1/name"),
    ],
)
def test_a_prompt_that_does_not_is_reported(
    arguments: list[dict[str, Any]], texts: list[str], code: str, tail: str, lint: Lint
) -> None:
    findings = lint(prompt(arguments, *texts))
    assert [(each.code, each.pointer) for each in findings] == [(code, f"{PROMPT}/{tail}")]
