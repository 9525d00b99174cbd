"""What model providers take of a shared tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

SHARED = "/servers/shop/tools/0"
SERVED = "/servers/wrap/tools/0"


@pytest.mark.parametrize("name", ["find.on_page", "n" * 65])
def test_a_name_that_providers_refuse_is_reported_on_a_shared_tool(name: str, lint: Lint) -> None:
    findings = lint((f"{SHARED}/name", name))
    assert [(each.code, each.pointer) for each in findings] == [("CF138", f"{SHARED}/name")]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "enum", "not"])
def test_a_combinator_at_the_root_is_reported_on_a_shared_tool(keyword: str, lint: Lint) -> None:
    value: Any = {"required": ["x"]} if keyword == "not" else [{"word": "a"}]
    if keyword.endswith("Of"):
        value = [{"required": ["word"]}]
    findings = lint((f"{SHARED}/inputSchema/{keyword}", value))
    assert [(each.code, each.pointer) for each in findings] == [
        ("CF138", f"{SHARED}/inputSchema/{keyword}")
    ]


@pytest.mark.parametrize("name", ["the word", "wörd", "a/b", "w" * 65, ""])
def test_an_argument_that_providers_refuse_is_reported(name: str, lint: Lint) -> None:
    pointer = f"{SHARED}/inputSchema/properties/{name.replace('/', '~1')}"
    findings = lint((pointer, {"type": "string"}))
    assert [(each.code, each.pointer) for each in findings] == [("CF138", pointer)]


def test_a_tool_that_only_its_server_offers_may_have_all_of_that(lint: Lint) -> None:
    findings = lint(
        (f"{SERVED}/name", "get.page"),
        (f"{SERVED}/inputSchema/anyOf", [{"required": ["a b"]}, {"maxProperties": 0}]),
        (f"{SERVED}/inputSchema/properties/a b", {"type": "string"}),
    )
    assert findings == ()
