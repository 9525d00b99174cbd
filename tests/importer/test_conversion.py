"""What a listing becomes, and what is said of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest

from counterfoil.contract.canonical import arranged, canonical_text
from counterfoil.contract.model import Contract
from counterfoil.contract.reading import read_contract_bytes
from counterfoil.importer.capture import Capture, capture_recording
from counterfoil.importer.conversion import Converted, convert
from counterfoil.importer.identity import derive_id, is_server_id
from counterfoil.importer.merging import new_contract
from counterfoil.importer.proof import differences_left

ICON = {"src": "https://example.com/a.svg", "mimeType": "image/svg+xml", "theme": "dark"}
FULL: dict[str, Any] = {
    "serverInfo": {"name": "full", "version": "1"},
    "instructions": "Be kind.",
    "tools": [
        {
            "name": "all.of-it_1",
            "title": "All",
            "description": "Has everything.",
            "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
            "outputSchema": {"type": "object", "x-own": {"a": [1, 1.5, None]}},
            "annotations": {"readOnlyHint": True, "title": "Other"},
            "icons": [ICON],
            "execution": {"taskSupport": "optional"},
            "_meta": {"example.com/a": {"b": []}},
        }
    ],
    "resources": [
        {
            "uri": "a://b",
            "name": "b",
            "title": "B",
            "description": "B.",
            "mimeType": "text/html;profile=mcp-app",
            "size": 3,
            "annotations": {"audience": ["user"], "priority": 1, "lastModified": "2026-01-01"},
            "icons": [ICON],
            "_meta": {"ui": {}},
        }
    ],
    "resourceTemplates": [
        {"uriTemplate": "a://{b}", "name": "t", "annotations": {"priority": 0.5}, "_meta": {"a": 1}}
    ],
    "prompts": [
        {
            "name": "p",
            "description": "P.",
            "arguments": [{"name": "dash-ed", "required": True}, {"name": "b", "title": "B"}],
            "icons": [ICON],
            "_meta": {"a": 1},
        }
    ],
}


def captured(data: Any) -> Capture:
    return capture_recording(json.dumps(data).encode(), "list.json")


def tool(**more: Any) -> dict[str, Any]:
    return {"name": "t", "description": "T.", "inputSchema": {"type": "object"}, **more}


def contract_of(converted: Converted, server: str = "s") -> Contract:
    made = new_contract(server, converted.data)
    return Contract("contract.json", canonical_text(made), arranged(made))


def test_every_field_of_the_protocol_is_kept() -> None:
    capture = captured(FULL)
    converted = convert(capture, "full")
    assert converted.losses == ()
    contract = contract_of(converted)
    assert list(differences_left(contract, "s", capture)) == []
    reading = read_contract_bytes(contract.text.encode(), "contract.json")
    assert reading.findings == ()
    [made] = converted.data["tools"]
    assert FULL["tools"][0].items() <= made.items()
    assert FULL["resources"][0].items() <= converted.data["resources"][0].items()
    assert FULL["prompts"][0].items() <= converted.data["prompts"][0].items()


@pytest.mark.parametrize(
    ("change", "subject", "what"),
    [
        ({"cost": 3}, "tool t", "cost"),
        ({"annotations": {"readOnlyHint": True, "mood": "calm"}}, "tool t", "annotations/mood"),
        ({"icons": [{"src": "ftp://a"}]}, "tool t", "icons"),
        ({"title": 3}, "tool t", "title"),
    ],
)
def test_a_member_that_a_contract_cannot_have_is_taken_out_and_named(
    change: dict[str, Any], subject: str, what: str
) -> None:
    capture = captured({"tools": [tool(**change), tool(name="u")]})
    converted = convert(capture, "s")
    [loss] = converted.losses
    assert (loss.subject, loss.what.partition(":")[0]) == (subject, what)
    assert [each["name"] for each in converted.data["tools"]] == ["t", "u"]
    assert len(list(differences_left(contract_of(converted), "s", capture))) == 1


@pytest.mark.parametrize(
    "broken", [{"name": "two words"}, {"inputSchema": {}}, {"inputSchema": {"type": "array"}}]
)
def test_an_entry_that_a_contract_cannot_have_is_left_out_and_named(broken: dict[str, Any]) -> None:
    capture = captured({"tools": [tool(name="a"), tool(**broken), tool(name="z")]})
    converted = convert(capture, "s")
    [loss] = converted.losses
    assert loss.what.startswith("left out whole: ")
    assert [each["name"] for each in converted.data["tools"]] == ["a", "z"]
    assert len(list(differences_left(contract_of(converted), "s", capture))) == 1


def test_a_loss_is_told_of_what_it_belongs_to() -> None:
    tools = [tool(name="x" * 500), tool(name="")]
    templates = [{"uriTemplate": "a://{b}", "name": "a", "cost": 1}]
    converted = convert(captured({"tools": tools, "resourceTemplates": templates}), "s")
    subjects = sorted(loss.subject for loss in converted.losses)
    assert subjects == [
        "resource template a://{b}", "tool without a name", f"tool {'x' * 79}…"
    ]  # fmt: skip
    assert all(len(loss.what) < 300 for loss in converted.losses)


def test_many_faults_are_found_in_one_run() -> None:
    tools = [tool(name=f"t{number}", cost=number) for number in range(50)]
    tools += [tool(name=f"bad {number}") for number in range(50)]
    converted = convert(captured({"tools": tools}), "s")
    assert len(converted.losses) == 100
    assert len(converted.data["tools"]) == 50


def test_what_says_nothing_is_left_out_without_a_word() -> None:
    given = tool(title=None, description="", icons=[], _meta={})
    prompts = [{"name": "p", "description": "", "arguments": []}]
    capture = captured({"tools": [given], "prompts": prompts})
    converted = convert(capture, "s")
    assert converted.losses == ()
    assert not {"title", "description"} & converted.data["tools"][0].keys()
    assert list(differences_left(contract_of(converted), "s", capture)) == []


def test_tools_that_nobody_can_tell_apart_are_one_and_named() -> None:
    converted = convert(captured({"tools": [tool(), tool(description="Other.")]}), "s")
    assert [loss.what for loss in converted.losses] == [
        "is listed more than once; the first is kept"
    ]
    assert [each["description"] for each in converted.data["tools"]] == ["T."]


def test_lists_are_in_canonical_order() -> None:
    converted = convert(captured([tool(name="b"), tool(name="a")]), "s")
    assert [each["name"] for each in converted.data["tools"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("mcp-servers/everything", "everything"),
        ("@scope/My Server", "my-server"),
        ("FastMCP-1a2b", "fast-mcp-1a2b"),
        ("3rd_party", "rd-party"),
        ("時", "server"),
        ("x" * 90, "x" * 64),
    ],
)
def test_an_id_is_made_of_what_a_server_calls_itself(name: str, server: str) -> None:
    assert derive_id(name) == server
    assert is_server_id(server)
