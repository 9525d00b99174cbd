"""Whether the parts of a server fit its binding and one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

SHOP, WRAP = "/servers/shop", "/servers/wrap"


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return sorted((finding.code, finding.pointer) for finding in findings)


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": "T",
        "description": "T.",
        "auth": "none",
        "surfaces": ["mcp"],
        "inputSchema": {"type": "object"},
        "exec": {"kind": "handler"},
        **more,
    }


def server(**more: Any) -> dict[str, Any]:
    return {"binding": "mcp", "name": "n", "title": "N", "version": "1.0.0", "tools": [], **more}


@pytest.mark.parametrize(
    ("binding", "kind", "works"),
    [
        ("snapshot", "handler", False),
        ("snapshot", "local", True),
        ("mcp", "handler", True),
        ("mcp", "local", True),
        ("mcp", "public", True),
        ("wrapper", "handler", True),
        ("wrapper", "local", True),
        ("wrapper", "public", False),
    ],
)
def test_a_binding_carries_out_its_own_kinds(
    binding: str, kind: str, works: bool, lint: Lint
) -> None:
    route = {
        "id": "status",
        "method": "GET",
        "path": "/status",
        "description": "S.",
        "auth": "none",
        "class": "free",
    }
    local = {"auth": "local", "surfaces": ["assistant"]} if kind == "local" else {}
    how = {"kind": kind} if kind != "public" else {"kind": kind, "route": "status"}
    outbound: dict[str, Any] = {"outbound": []} if binding == "wrapper" else {}
    made = server(binding=binding, tools=[tool("t", exec=how, **local)], routes=[route], **outbound)
    expected = [] if works else [("CF115", "/servers/other/tools/0/exec/kind")]
    assert codes(lint(("/servers/other", made))) == expected


def test_a_resource_is_read_as_its_binding_can(lint: Lint) -> None:
    source = f"{SHOP}/resources/0/source"
    assert lint((source, {"kind": "embedded"})) == ()
    assert codes(lint((source, {"kind": "handler"}))) == [("CF115", f"{source}/kind")]


@pytest.mark.parametrize(
    ("replacement", "code"),
    [("no_such", "CF116"), ("get_page", "CF116"), ("order_item", "CF116"), ("old", "CF117")],
)
def test_a_replacement_is_another_tool_of_the_server_that_stays(
    replacement: str, code: str, lint: Lint
) -> None:
    date = {"date": "2027-01-31"}
    findings = lint(
        (f"{WRAP}/tools/-", tool("old", deprecated=date)),
        (f"{WRAP}/tools/0/deprecated", {**date, "replacement": replacement}),
    )
    assert codes(findings) == [(code, f"{WRAP}/tools/0/deprecated/replacement")]


def test_a_replacement_is_of_the_same_kind(lint: Lint) -> None:
    prompt = {"name": "tell", "title": "T", "description": "T."}
    gone = {"date": "2027-01-31", "replacement": "said"}
    old = (f"{WRAP}/prompts/-", {**prompt, "deprecated": gone})
    at = f"{WRAP}/prompts/0/deprecated/replacement"
    assert codes(lint((f"{WRAP}/prompts", []), old, (f"{WRAP}/tools/-", tool("said")))) == [
        ("CF116", at)
    ]
    new = (f"{WRAP}/prompts/-", {**prompt, "name": "said"})
    assert lint((f"{WRAP}/prompts", []), old, new) == ()


def test_a_deprecation_with_or_without_a_replacement_passes(lint: Lint) -> None:
    date = {"date": "2027-01-31"}
    new = (f"{WRAP}/tools/-", tool("new"))
    assert lint(new, (f"{WRAP}/tools/0/deprecated", date)) == ()
    assert lint(new, (f"{WRAP}/tools/0/deprecated", {**date, "replacement": "new"})) == ()


@pytest.mark.parametrize(
    "template", ["shop://{a}", "shop://{+path}", "shop://x{?q,page*}", "shop://{a:3}/{/b.c}"]
)
def test_a_template_of_rfc_6570_passes(template: str, lint: Lint) -> None:
    assert lint((f"{SHOP}/resourceTemplates/0/uriTemplate", template)) == ()


@pytest.mark.parametrize(
    "template",
    [
        "shop://{a",
        "shop://a}",
        "shop://{}",
        "shop://{a b}",
        "shop://{=a}",
        "shop://{a,}",
        "shop://{{a}}",
        "shop://plain",
        "shop://{a:0}",
    ],
)
def test_another_template_is_reported(template: str, lint: Lint) -> None:
    pointer = f"{SHOP}/resourceTemplates/0/uriTemplate"
    assert set(codes(lint((pointer, template)))) == {("CF119", pointer)}
