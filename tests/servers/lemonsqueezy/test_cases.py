"""Every case of the contract, asked of the wrapper itself."""

from __future__ import annotations

from typing import Any

import pytest
from lemonsqueezy_api import LemonSqueezyApi, replied
from wrapper_room import WrapperRoom, read_cases

from counterfoil_bindings.lemonsqueezy.stubs import TOOL_NAMES
from mcp_wrapper_scaffold.testing import CallRefused

CASES = read_cases("lemonsqueezy")
IDS = {"get_product": "44", "get_store": "7", "get_subscription": "90"}


def minimal(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the least that LemonSqueezy could answer."""
    kind = f"{tool.partition('_')[2].removesuffix('s')}s"
    if tool.startswith("get_"):
        [record_id] = [value for name, value in arguments.items() if name.endswith("Id")]
        return {"data": {"type": kind, "id": record_id, "attributes": {}}}
    page = {"currentPage": 1, "lastPage": 1, "perPage": 10, "total": 0}
    return {"data": [], "meta": {"page": page}}


def test_every_tool_has_cases() -> None:
    assert set(CASES) == set(TOOL_NAMES)


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_accepted_arguments_are_sent_once(
    room: WrapperRoom, api: LemonSqueezyApi, tool: str
) -> None:
    cases = CASES[tool]["accepted"]
    api.scripted = [replied(minimal(tool, case["arguments"])) for case in cases]

    async def work(client: Any) -> list[Any]:
        return [await client.call_tool(tool, case["arguments"]) for case in cases]

    results = room.run(work)
    assert [case["name"] for case, result in zip(cases, results, strict=True)
            if result["isError"]] == []  # fmt: skip
    assert len(room.requests) == len(cases)


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_refused_arguments_are_not_sent(room: WrapperRoom, tool: str) -> None:
    cases = CASES[tool]["refused"]

    async def work(client: Any) -> list[str]:
        taken: list[str] = []
        for case in cases:
            params = {"name": tool, "arguments": case["arguments"]}
            try:
                result = await client.request("tools/call", params)
            except CallRefused as refused:
                if refused.code != -32602:  # arguments that are no object
                    raise
                continue
            if not result["isError"]:
                taken.append(case["name"])
        return taken

    assert room.run(work) == []
    assert room.requests == []


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_accepted_results_are_handed_on_as_they_are(
    room: WrapperRoom, api: LemonSqueezyApi, tool: str
) -> None:
    for case in CASES[tool]["results"]["accepted"]:
        api.scripted = [replied(case["value"])]
        assert room.answer(tool, _arguments(tool)) == case["value"], case["name"]


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_refused_results_are_failed_reads(
    room: WrapperRoom, api: LemonSqueezyApi, tool: str
) -> None:
    for case in CASES[tool]["results"]["refused"]:
        api.scripted = [replied(case["value"])]
        text, _ = room.failure(tool, _arguments(tool))
        assert "not in its documented form" in text, case["name"]


def _arguments(tool: str) -> dict[str, str]:
    kind = tool.partition("_")[2]
    return {f"{kind}Id": IDS.get(tool, "512")} if tool.startswith("get_") else {}
