"""Every case of the contract, asked of the wrapper itself."""

from __future__ import annotations

from typing import Any

import pytest
from google_analytics import GoogleAnalytics
from google_service import replied
from wrapper_room import WrapperRoom, read_cases

from counterfoil_bindings.ga4.stubs import TOOL_NAMES
from mcp_wrapper_scaffold.testing import CallRefused

CASES = read_cases("ga4")
USERS = {"propertyId": "123456789", "metrics": [{"name": "activeUsers"}]}
WEEK = [{"startDate": "7daysAgo", "endDate": "yesterday"}]


def minimal(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the least that Google could answer."""
    name = f"properties/{arguments.get('propertyId')}"
    return {
        "get_metadata": {
            "name": f"{name}/metadata",
            "dimensions": [{"apiName": "country"}],
            "metrics": [{"apiName": "activeUsers"}],
        },
        "get_property": {"name": name, "displayName": "Shop"},
        "list_account_summaries": {},
        "run_realtime_report": {"metricHeaders": [{"name": "activeUsers"}]},
        "run_report": {"metricHeaders": [{"name": "activeUsers"}]},
    }[tool]


def arguments_for(tool: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that a value of the cases answers."""
    parts = [name for name in ("comparisons", "dimensions", "metrics") if value.get(name)]
    name = str(value.get("name", "properties/123456789")).split("/")
    known = len(name) > 1 and name[1].isdigit()
    shop = {"propertyId": name[1] if known else "123456789"}
    return {
        "get_metadata": {**shop, "parts": parts or ["comparisons"]},
        "get_property": shop,
        "list_account_summaries": {},
        "run_realtime_report": USERS,
        "run_report": {**USERS, "dateRanges": WEEK},
    }[tool]


def test_every_tool_has_cases() -> None:
    assert set(CASES) == set(TOOL_NAMES)


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_accepted_arguments_are_sent_once(
    room: WrapperRoom, google: GoogleAnalytics, tool: str
) -> None:
    cases = CASES[tool]["accepted"]
    google.scripted = [replied(minimal(tool, case["arguments"])) for case in cases]

    async def work(client: Any) -> list[Any]:
        return [await client.call_tool(tool, case["arguments"]) for case in cases]

    results = room.run(work)
    lost = [
        (case["name"], result["content"])
        for case, result in zip(cases, results, strict=True)
        if result["isError"]
    ]
    assert lost == []
    assert len(room.requests) == len(cases) + google.tokens.requests
    assert google.tokens.requests == 1


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_refused_arguments_are_not_sent(room: WrapperRoom, tool: str) -> None:
    async def work(client: Any) -> list[str]:
        taken: list[str] = []
        for case in CASES[tool]["refused"]:
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
    room: WrapperRoom, google: GoogleAnalytics, tool: str
) -> None:
    for case in CASES[tool]["results"]["accepted"]:
        google.scripted = [replied(case["value"])]
        assert room.answer(tool, arguments_for(tool, case["value"])) == case["value"], case["name"]


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_refused_results_are_failed_reads(
    room: WrapperRoom, google: GoogleAnalytics, tool: str
) -> None:
    for case in CASES[tool]["results"]["refused"]:
        google.scripted = [replied(case["value"])]
        value = case["value"] if isinstance(case["value"], dict) else {}
        text, _ = room.failure(tool, arguments_for(tool, value))
        assert "not in its documented form" in text, case["name"]
