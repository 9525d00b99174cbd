"""The contract's example calls and answers: the server judges each as the contract does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from trace_room import TraceRoom
from trace_served import ask

from counterfoil_bindings.haia_trace.stubs import TOOL_NAMES, bind
from counterfoil_bindings.runtime import CallContext

ROOT = Path(__file__).parents[4]
CASES = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in (ROOT / "contract/cases/haia-trace").glob("*.json")
}
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
UNFIT = "The arguments do not fit the input schema"
LEAST = {
    "check_before_pay": {"counterparty": "weather.example.test", "amount": "1"},
    "explain": {"run_id": "1", "operation_id": "op"},
    "get_receipt": {"run_id": "1", "operation_id": "op"},
    "get_review_status": {"review_id": "49185038-2f6c-4b0a-8f43-6d0c1f9a7e21"},
    "list_operations": {},
}


class Scripted:
    """Handlers that answer what they are told to."""

    def __init__(self, value: Any) -> None:
        self._value = value

    async def check_before_pay(self, args: object, ctx: CallContext, /) -> Any:
        return self._value

    async def explain(self, args: object, ctx: CallContext, /) -> Any:
        return self._value

    async def get_receipt(self, args: object, ctx: CallContext, /) -> Any:
        return self._value

    async def get_review_status(self, args: object, ctx: CallContext, /) -> Any:
        return self._value

    async def list_operations(self, args: object, ctx: CallContext, /) -> Any:
        return self._value


def scripted(tool: str, value: Any) -> Any:
    """Return what a client gets for an answer of the handler, an error's message included."""

    async def run() -> Any:
        async with Client(bind(Scripted(value))) as client:
            try:
                return await client.call_tool(tool, LEAST[tool])
            except MCPError as error:
                return error.error.message

    return anyio.run(run)


def test_every_tool_has_cases() -> None:
    assert set(CASES) == set(TOOL_NAMES)


@pytest.mark.parametrize("tool", TOOL_NAMES)
@pytest.mark.parametrize("verdict", ["accepted", "refused"])
def test_arguments_are_judged_as_the_contract_says(tmp_path: Path, tool: str, verdict: str) -> None:
    room = TraceRoom(tmp_path / ".trace")

    async def work(client: Client) -> list[str]:
        wrong: list[str] = []
        for case in CASES[tool][verdict]:
            if not isinstance(case["arguments"], dict):  # no client of the SDK sends that
                continue
            result: Any = await client.call_tool(tool, case["arguments"])
            fits = not (result.is_error and result.content[0].text.startswith(UNFIT))
            if fits is (verdict == "refused"):
                wrong.append(case["name"])
        return wrong

    assert ask(room.path, work) == []


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_accepted_answers_are_handed_on_as_they_are(tool: str) -> None:
    for case in CASES[tool]["results"]["accepted"]:
        result = scripted(tool, case["value"])
        assert (result.is_error, result.structured_content) == (False, case["value"]), case["name"]


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_refused_answers_never_reach_a_client(tool: str) -> None:
    for case in CASES[tool]["results"]["refused"]:
        assert scripted(tool, case["value"]) == "Internal error", case["name"]


def test_no_tool_approves_anything(tmp_path: Path) -> None:
    """Look through the contract and the live server for a way to decide a review."""
    room = TraceRoom(tmp_path / ".trace")
    room.pay("op", settled=False)
    declared = CONTRACT["servers"]["haia-trace"]

    async def work(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        offered = (
            (await client.list_resources()).resources,
            (await client.list_resource_templates()).resource_templates,
            (await client.list_prompts()).prompts,
        )
        opened: Any = await client.call_tool(
            "check_before_pay", LEAST["check_before_pay"] | {"amount": "9"}
        )
        review_id = opened.structured_content["review_id"]
        for tool in listed:
            for case in CASES[tool.name]["accepted"]:
                arguments = {
                    name: review_id if name == "review_id" else value
                    for name, value in case["arguments"].items()
                }
                await client.call_tool(tool.name, arguments)
        for name in ("approve_review", "review_approve", "approve", "reject", "decide"):
            with pytest.raises(MCPError) as raised:
                await client.call_tool(name, {"review_id": review_id})
            assert raised.value.error.code == -32602
        return listed, offered, review_id

    listed, offered, review_id = ask(room.path, work)
    assert offered == ([], [], [])
    assert {tool.name for tool in listed} == {tool["name"] for tool in declared["tools"]}
    assert {tool.name for tool in listed} == set(TOOL_NAMES)
    writing = {tool.name for tool in listed if not tool.annotations.read_only_hint}
    assert writing == {"check_before_pay"}
    for tool in listed:
        taken = set(tool.input_schema["properties"])
        assert taken.isdisjoint({"status", "decision", "note", "approve", "approved", "verdict"})
        assert ("review_id" in taken) is (tool.name == "get_review_status")
    reviews = room.new_reviews().list_reviews()
    assert review_id in {each.review_id for each in reviews}
    assert {each.status for each in reviews} == {"pending"}
    kinds = [json.loads(line)["type"] for line in room.log.read_text().splitlines()]
    assert set(kinds) == {"opened"}
