"""What the three systems want of the contract, and of what is made from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.contract.model import Contract, Server, Tool
from counterfoil.contract.reading import read_contract
from counterfoil.names import words
from counterfoil.schema.walk import subschemas

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def contract() -> Contract:
    found = read_contract(ROOT / "contract/contract.json", "contract/contract.json").contract
    assert found is not None
    return found


def tools(server: Server) -> dict[str, Tool]:
    return {tool.name: tool for tool in server.tools}


def assistant_names(form: str) -> set[str]:
    data = json.loads((ROOT / f"generated/assistant/fairwins/{form}.json").read_text("utf-8"))
    return {each.get("function", each)["name"] for each in data["tools"]}


def snapshot() -> dict[str, Any]:
    path = ROOT / "servers/fairwins/src/fairwins_mcp/snapshot.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_fairwins_serves_nine_tools_and_the_assistant_has_nine_others(contract: Contract) -> None:
    server = contract.server("fairwins")
    served = {tool.name for tool in server.served}
    assert len(served) == 9
    for form in ("anthropic", "openai"):
        assert assistant_names(form) == served - {"build_intent"} | {"find_in_app"}


def test_what_a_member_could_sign_is_for_mcp_only(contract: Contract) -> None:
    assert tools(contract.server("fairwins"))["build_intent"].surfaces == {"mcp"}
    text = (ROOT / "generated/assistant/fairwins/tools.ts").read_text("utf-8")
    assert "build_intent" not in text


def test_a_local_tool_is_vendored_and_not_served(contract: Contract) -> None:
    tool = tools(contract.server("fairwins"))["find_in_app"]
    assert not tool.served
    assert tool.data["auth"] == "local"
    assert "find_in_app" in {each["name"] for each in snapshot()["tools"]}


def test_only_three_tools_can_ask_for_a_payment(contract: Contract) -> None:
    priced = {tool.name for tool in contract.server("fairwins").tools if tool.priced}
    assert priced == {"build_intent", "get_fees", "get_wagers"}


def test_public_tools_say_that_they_work_without_a_token(contract: Contract) -> None:
    public = [tool for tool in contract.server("fairwins").served if tool.data["auth"] == "none"]
    assert {tool.name for tool in public} == {
        "get_gateway_status",
        "get_perps_pairs",
        "get_prediction_markets",
        "get_token_news",
    }
    for tool in public:
        assert "token" in tool.description, tool.name


def test_building_an_intent_says_that_nothing_is_signed(contract: Contract) -> None:
    assert "sign" in tools(contract.server("fairwins"))["build_intent"].description


def test_no_tool_approves_or_rejects_a_review(contract: Contract) -> None:
    for tool in contract.server("haia-trace").tools:
        assert not {"approve", "reject", "decide"} & set(words(tool.name))
        for _, schema in subschemas(tool.input_schema):
            names = schema.get("properties", {}) if isinstance(schema, dict) else {}
            assert not {"approve", "approved", "decision", "status"} & set(names), tool.name


def test_the_five_tools_of_the_receipt_server_are_there(contract: Contract) -> None:
    assert set(tools(contract.server("haia-trace"))) == {
        "check_before_pay",
        "explain",
        "get_receipt",
        "get_review_status",
        "list_operations",
    }


def test_an_amount_is_a_decimal_string_and_never_a_number(contract: Contract) -> None:
    for server in contract.servers:
        for tool in server.tools:
            for pointer, schema in subschemas(tool.input_schema):
                if pointer.endswith("/amount") and isinstance(schema, dict):
                    assert schema["type"] == "string", (tool.name, pointer)
                    assert "pattern" in schema


def test_wrappers_only_read(contract: Contract) -> None:
    for server in contract.servers:
        if server.binding == "wrapper":
            assert server.parts("outbound")
            for tool in server.tools:
                assert tool.data["annotations"]["readOnlyHint"] is True


def test_the_analytics_wrapper_declares_the_token_endpoint(contract: Contract) -> None:
    entries = {
        (part.data["method"], part.data["origin"], part.data["pathPattern"])
        for part in contract.server("ga4").parts("outbound")
    }
    assert ("POST", "https://oauth2.googleapis.com", "/token") in entries
    assert len(entries) == 6


def test_every_place_that_may_be_unreadable_is_declared(contract: Contract) -> None:
    declared = {
        part.name
        for part in contract.server("fairwins").parts("routes")
        if "unreadable" in part.data
    }
    assert declared >= {"fees", "membership", "news", "pairs", "wagers"}
