"""An import into a contract that is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfoil.contract.canonical import arranged, canonical_text
from counterfoil.contract.model import Contract
from counterfoil.errors import CounterfoilError
from counterfoil.importer.merging import with_server, with_shared

ITEM = {"type": "object", "title": "Item", "properties": {"id": {"type": "string"}}}


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "description": "D.",
        "inputSchema": {"type": "object"},
        "auth": "none",
        "surfaces": ["mcp"],
        "exec": {"kind": "handler"},
        **more,
    }


def contract(*tools: dict[str, Any], **more: Any) -> Contract:
    server = {"binding": "mcp", "name": "s", "version": "1.0.0", "tools": list(tools), **more}
    other = {"binding": "mcp", "name": "o", "version": "1.0.0", "tools": [entry("z")]}
    data = {"$defs": {"Item": ITEM}, "counterfoil": 1, "servers": {"other": other, "s": server}}
    made = json.loads(json.dumps(data))
    return Contract("contract.json", canonical_text(made), arranged(made))


def listed(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"binding": "mcp", "name": "s", "version": "2.0.0", "tools": list(tools), **more}


def test_another_server_leaves_the_rest_as_it_was() -> None:
    before = contract(entry("a"))
    made = with_server(before, "new", listed(entry("b")), update=False)
    assert made["servers"].keys() == {"new", "other", "s"}
    assert made["servers"]["other"] == before.data["servers"]["other"]
    assert made["$defs"] == before.data["$defs"]


def test_a_server_that_is_there_is_not_overwritten_unasked() -> None:
    with pytest.raises(CounterfoilError, match="has a server 's' already"):
        with_server(contract(), "s", listed(), update=False)


def test_an_update_keeps_what_only_the_contract_knows() -> None:
    known = {"auth": "grant", "scope": "read", "priced": True}
    hidden = entry("local", auth="local", surfaces=["assistant"], exec={"kind": "local"})
    before = contract(entry("a", **known), entry("gone"), hidden, protocolVersions=["2025-11-25"])
    made = with_server(
        before, "s", listed(entry("a", description="New."), entry("b")), update=True
    )["servers"]["s"]
    tools = {each["name"]: each for each in made["tools"]}
    assert tools.keys() == {"a", "b", "local"}
    assert tools["a"] == entry("a", description="New.", **known)
    assert (made["version"], made["protocolVersions"]) == ("2.0.0", ["2025-11-25"])


def test_an_update_keeps_how_the_server_is_had() -> None:
    told = {
        "name": "com.example/s",
        "description": "S.",
        "author": {"name": "A"},
        "remotes": [{"url": "https://s.example.com/mcp"}],
    }
    before = contract(entry("a"), distribution=told)
    made = with_server(before, "s", listed(entry("a")), update=True)["servers"]["s"]
    assert made["distribution"] == told


def test_an_update_keeps_the_authors_words_where_they_mean_the_same() -> None:
    ours = {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}}}
    theirs = {"type": "object", "properties": {"item": ITEM}}
    before = contract(entry("a", inputSchema=ours))
    made = with_server(before, "s", listed(entry("a", inputSchema=theirs)), update=True)
    assert made["servers"]["s"]["tools"][0]["inputSchema"] == ours
    wider = {"type": "object", "properties": {"item": {"type": "object"}}}
    made = with_server(before, "s", listed(entry("a", inputSchema=wider)), update=True)
    assert made["servers"]["s"]["tools"][0]["inputSchema"] == wider


def test_an_update_keeps_the_messages_of_prompts() -> None:
    prompt = {
        "name": "p",
        "arguments": [{"name": "a", "whenAbsent": "anything"}],
        "messages": [{"role": "user", "text": "Do {a}."}],
    }
    before = contract(prompts=[prompt])
    given = {"name": "p", "description": "P.", "arguments": [{"name": "a", "title": "A"}]}
    [made] = with_server(before, "s", listed(prompts=[given]), update=True)["servers"]["s"][
        "prompts"
    ]
    assert made["messages"] == prompt["messages"]
    assert made["arguments"] == [{"name": "a", "title": "A", "whenAbsent": "anything"}]
    assert made["description"] == "P."


def route(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "method": "GET",
        "path": f"/{name}",
        "auth": "none",
        "class": "free",
        **more,
    }


def calling(name: str, **more: Any) -> dict[str, Any]:
    return entry(name, exec={"kind": "public", "route": name, **more})


def test_an_update_from_a_document_brings_its_routes() -> None:
    local = entry("l", surfaces=["assistant"], exec={"kind": "public", "route": "kept"})
    ours = [route("a", **{"class": "read"}), route("gone"), route("kept")]
    before = contract(calling("a"), calling("gone"), local, routes=ours)
    theirs = [route("a", queryParams=[{"name": "q"}]), route("b")]
    given = listed(calling("a", query=["q"]), calling("b"), routes=theirs)
    made = with_server(before, "s", given, update=True)["servers"]["s"]
    assert {each["id"]: each for each in made["routes"]} == {
        "a": {**theirs[0], "class": "read"}, "b": theirs[1], "kept": ours[2],
    }  # fmt: skip
    tools = {each["name"]: each["exec"] for each in made["tools"]}
    assert tools.keys() == {"a", "b", "l"}
    assert tools["a"]["query"] == ["q"]


def test_an_update_from_a_server_leaves_routes_alone() -> None:
    ours = [route("a"), route("b")]
    made = with_server(contract(calling("a"), routes=ours), "s", listed(entry("a")), update=True)
    assert sorted(each["id"] for each in made["servers"]["s"]["routes"]) == ["a", "b"]
    assert made["servers"]["s"]["tools"][0]["exec"]["kind"] == "public"


def test_shared_schemas_of_one_server_alone_are_replaced_by_its_update() -> None:
    wider = {"Item": {**ITEM, "properties": {}}}
    refers = {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}}}
    mine = contract(entry("a", inputSchema=refers))
    assert with_shared(mine, wider, "s").defs == wider
    with pytest.raises(CounterfoilError, match="has another shared schema 'Item'"):
        with_shared(mine, wider)
    both = json.loads(json.dumps(mine.data))
    both["servers"]["other"]["tools"][0]["inputSchema"] = refers
    shared = Contract("contract.json", canonical_text(both), both)
    with pytest.raises(CounterfoilError, match="has another shared schema 'Item'"):
        with_shared(shared, wider, "s")
