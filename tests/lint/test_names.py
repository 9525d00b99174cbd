"""Names: how long, how often, and what becomes of them in code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding
from counterfoil.lint.names import PROMPTER, READER, TAKEN_PACKAGES
from counterfoil.targets import stubs
from counterfoil.targets.models import target

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


def test_sixty_four_characters_pass_and_one_more_is_a_warning(lint: Lint) -> None:
    assert lint((f"{WRAP}/tools/0/name", "n" * 64)) == ()
    (finding,) = lint((f"{WRAP}/tools/0/name", "n" * 65))
    assert (finding.code, finding.severity) == ("CF110", "warning")


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("tools", "name"),
        ("resources", "uri"),
        ("resourceTemplates", "uriTemplate"),
        ("prompts", "name"),
        ("routes", "id"),
    ],
)
def test_what_stands_twice_in_a_list_is_reported(
    kind: str, key: str, lint: Lint, changed: Callable[..., dict[str, Any]]
) -> None:
    entry = {**changed()["servers"]["shop"][kind][0]}
    if kind == "routes":
        entry["path"] = "/v2/items/{itemId}"
    entries = changed()["servers"]["shop"][kind]
    findings = lint((f"{SHOP}/{kind}/-", entry))
    assert codes(findings) == [("CF111", f"{SHOP}/{kind}/{len(entries)}/{key}")]


@pytest.mark.parametrize("key", ["pathParams", "queryParams"])
def test_a_parameter_that_stands_twice_is_reported(
    key: str, lint: Lint, changed: Callable[..., dict[str, Any]]
) -> None:
    entry = changed()["servers"]["shop"]["routes"][0][key][0]
    findings = lint((f"{SHOP}/routes/0/{key}/-", entry))
    assert codes(findings) == [("CF111", f"{SHOP}/routes/0/{key}/1/name")]


def test_two_servers_may_use_the_same_names(lint: Lint) -> None:
    assert lint(("/servers/other", server(tools=[tool("get_page")]))) == ()


def test_paths_that_differ_in_the_names_of_placeholders_are_one_route(lint: Lint) -> None:
    route = {
        "id": "other",
        "method": "GET",
        "path": "/v1/items/{id}",
        "description": "O.",
        "auth": "none",
        "class": "free",
        "pathParams": [{"name": "id", "description": "I.", "pattern": "^[a-z]+$"}],
    }
    assert codes(lint((f"{SHOP}/routes/-", route))) == [("CF112", f"{SHOP}/routes/3/path")]
    assert lint((f"{SHOP}/routes/-", {**route, "method": "PUT"})) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("foo.bar", "foo_bar"),
        ("search", "Search"),
        ("getItem", "get_item"),
        ("a1", "a_1"),
        ("foo-bar", "foo.bar"),
        ("ab", "aB"),
    ],
)
def test_tools_that_become_one_name_are_reported(first: str, second: str, lint: Lint) -> None:
    findings = lint((f"{WRAP}/tools/-", tool(first)), (f"{WRAP}/tools/-", tool(second)))
    assert codes(findings) == [("CF114", f"{WRAP}/tools/2/name")]


def test_names_that_differ_in_code_pass(lint: Lint) -> None:
    more = [(f"{WRAP}/tools/-", tool(name)) for name in ("get_pages", "page", "x1", "x2", "list")]
    assert lint(*more) == ()


def test_prompts_that_become_one_name_are_reported(
    lint: Lint, changed: Callable[..., dict[str, Any]]
) -> None:
    prompt = {**changed()["servers"]["shop"]["prompts"][0], "name": "Sum-up"}
    first = {**prompt, "name": "sum.up"}
    findings = lint((f"{SHOP}/prompts/-", first), (f"{SHOP}/prompts/-", prompt))
    assert codes(findings) == [("CF114", f"{SHOP}/prompts/2/name")]


def test_servers_that_become_one_package_are_reported(lint: Lint) -> None:
    findings = lint(("/servers/a1b", server()), ("/servers/a1-b", server()))
    assert codes(findings) == [("CF114", "/servers/a1b")]


def test_shared_schemas_that_become_one_class_are_reported(lint: Lint) -> None:
    used = f"{WRAP}/tools/0/inputSchema/properties"
    findings = lint(
        ("/$defs/GetURL", {"type": "string"}),
        ("/$defs/GetUrl", {"type": "string"}),
        (f"{used}/a", {"$ref": "#/$defs/GetURL"}),
        (f"{used}/b", {"$ref": "#/$defs/GetUrl"}),
    )
    assert codes(findings) == [("CF114", "/$defs/GetUrl")]


@pytest.mark.parametrize("name", ["GetPageInput", "GetPageOutput"])
def test_a_shared_schema_named_like_the_class_of_a_tool_is_reported(name: str, lint: Lint) -> None:
    findings = lint(
        (f"/$defs/{name}", {"type": "string"}),
        (f"{WRAP}/tools/0/inputSchema/properties/a", {"$ref": f"#/$defs/{name}"}),
    )
    assert codes(findings) == [("CF114", f"/$defs/{name}")]


@pytest.mark.parametrize("name", ["runtime", "json-schema"])
def test_a_server_named_like_what_all_servers_share_is_reported(name: str, lint: Lint) -> None:
    assert codes(lint((f"/servers/{name}", server()))) == [("CF114", f"/servers/{name}")]


def test_a_tool_named_like_the_reader_of_resources_is_reported(lint: Lint) -> None:
    resource = {
        "uri": "a:b",
        "name": "b",
        "title": "B",
        "description": "B.",
        "source": {"kind": "handler"},
    }
    made = server(tools=[tool("read.resource")], resources=[resource])
    assert codes(lint(("/servers/other", made))) == [("CF114", "/servers/other/tools/0/name")]
    assert lint(("/servers/other", server(tools=[tool("read.resource")]))) == ()


def test_a_tool_that_takes_the_name_of_the_handler_of_prompts_is_reported(
    lint: Lint,
) -> None:
    handled: dict[str, Any] = {"name": "b", "title": "B", "description": "B."}
    made = server(tools=[tool("get_prompt")], prompts=[handled])
    assert codes(lint(("/servers/other", made))) == [("CF114", "/servers/other/tools/0/name")]
    handled["messages"] = [{"role": "user", "text": "B."}]
    made = server(tools=[tool("get_prompt")], prompts=[handled])
    assert lint(("/servers/other", made)) == ()


def test_the_names_that_are_taken_are_those_of_the_targets() -> None:
    assert {stubs._RUNTIME, target.SUPPORT} == TAKEN_PACKAGES
    assert stubs._READER == READER
    assert stubs._PROMPTER == PROMPTER
