"""What is sent to Google for which arguments."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import pytest
from google_analytics import ADMIN_HOST, DATA_HOST, TOKEN_HOST, GoogleAnalytics
from wrapper_room import TOKEN, WrapperRoom, read_contract

from counterfoil_bindings.ga4 import stubs
from counterfoil_bindings.ga4.allowlist import ALLOWLIST
from counterfoil_bindings.ga4.stubs import TOOL_NAMES
from ga4_mcp.reading import SERVICE_ACCOUNT
from ga4_mcp.tools import Tools
from mcp_wrapper_scaffold import WrapperServer, create_wrapper_server
from mcp_wrapper_scaffold.testing import CallRefused, WrapperClient

SHOP = {"propertyId": "123456789"}
USERS = {**SHOP, "metrics": [{"name": "activeUsers"}]}
WEEK = {**USERS, "dateRanges": [{"startDate": "7daysAgo", "endDate": "yesterday"}]}


def test_each_tool_sends_one_request_to_its_own_address(room: WrapperRoom) -> None:
    calls = {
        "get_metadata": (SHOP, "GET", DATA_HOST, "/v1beta/properties/123456789/metadata"),
        "get_property": (SHOP, "GET", ADMIN_HOST, "/v1beta/properties/123456789"),
        "list_account_summaries": ({}, "GET", ADMIN_HOST, "/v1beta/accountSummaries"),
        "run_realtime_report": (
            USERS, "POST", DATA_HOST, "/v1beta/properties/123456789:runRealtimeReport",
        ),
        "run_report": (WEEK, "POST", DATA_HOST, "/v1beta/properties/123456789:runReport"),
    }  # fmt: skip
    assert set(calls) == set(TOOL_NAMES)
    for tool, (arguments, method, host, path) in calls.items():
        room.answer(tool, arguments)
        token, request = room.requests[-2:]
        assert (token.method, token.host, token.target) == ("POST", TOKEN_HOST, "/token")
        assert (request.method, request.host, request.path) == (method, host, path)
    assert len(room.requests) == 2 * len(calls)


def test_one_token_serves_every_call_of_a_wrapper(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    async def work(client: Any) -> None:
        for tool in ("get_property", "get_metadata", "get_property"):
            await client.call_tool(tool, SHOP)

    room.run(work)
    assert google.tokens.requests == 1
    [token] = google.tokens.given
    sent = [request.headers.get("authorization") for request in room.requests]
    assert sent == [None, *[f"Bearer {token}"] * 3]


def test_a_request_has_nothing_but_the_token_and_media_types(room: WrapperRoom) -> None:
    room.answer("run_report", WEEK)
    sent = dict(room.requests[-1].headers)
    assert sent.pop("authorization").startswith("Bearer ya29.")
    assert (sent.pop("accept"), sent.pop("content-type")) == ("application/json",) * 2
    usual = {"host", "accept-encoding", "user-agent", "connection", "content-length"}
    assert sent.keys() <= usual


@pytest.mark.parametrize(
    ("tool", "arguments", "body"),
    [
        ("run_realtime_report", USERS, {"limit": 100}),
        ("run_report", WEEK, {"limit": 100}),
        ("run_report", {**WEEK, "limit": 5.0, "offset": 20}, {"limit": 5, "offset": 20}),
        ("run_report", {**WEEK, "returnPropertyQuota": True}, {"returnPropertyQuota": True}),
        ("run_report", {**WEEK, "dimensions": []}, {"dimensions": []}),
        ("run_realtime_report", {**USERS, "minuteRanges": [{}]}, {"minuteRanges": [{}]}),
        (
            "run_report",
            {**WEEK, "orderBys": [{"desc": True, "metric": {"metricName": "activeUsers"}}]},
            {"orderBys": [{"desc": True, "metric": {"metricName": "activeUsers"}}]},
        ),
        (
            "run_report",
            {
                **WEEK,
                "dimensionFilter": {"andGroup": {"expressions": [
                    {"filter": {"fieldName": "country", "inListFilter": {"values": ["Norway"]}}},
                    {"notExpression": {"filter": {
                        "fieldName": "city",
                        "stringFilter": {"matchType": "CONTAINS", "value": "ø\"}"},
                    }}},
                ]}},
                "metricFilter": {"filter": {
                    "fieldName": "activeUsers",
                    "numericFilter": {
                        "operation": "GREATER_THAN", "value": {"int64Value": "9007199254740993"},
                    },
                }},
            },
            {
                "dimensionFilter": {"andGroup": {"expressions": [
                    {"filter": {"fieldName": "country", "inListFilter": {"values": ["Norway"]}}},
                    {"notExpression": {"filter": {
                        "fieldName": "city",
                        "stringFilter": {"matchType": "CONTAINS", "value": "ø\"}"},
                    }}},
                ]}},
                "metricFilter": {"filter": {
                    "fieldName": "activeUsers",
                    "numericFilter": {
                        "operation": "GREATER_THAN", "value": {"int64Value": "9007199254740993"},
                    },
                }},
            },
        ),
    ],
)  # fmt: skip
def test_a_report_is_asked_for_as_it_was_described(
    room: WrapperRoom, tool: str, arguments: dict[str, Any], body: dict[str, Any]
) -> None:
    room.answer(tool, arguments)
    given = {name: value for name, value in arguments.items() if name != "propertyId"}
    sent = json.loads(room.requests[-1].body)
    assert sent == {"limit": 100} | given | body
    assert isinstance(sent["limit"], int)


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ({}, "name,dimensions,metrics"),
        ({"parts": ["metrics"]}, "name,metrics"),
        ({"parts": ["comparisons", "metrics"]}, "name,comparisons,metrics"),
        ({"search": "&fields=x"}, "name,dimensions,metrics"),
    ],
)
def test_metadata_is_asked_for_in_parts(
    room: WrapperRoom, arguments: dict[str, Any], fields: str
) -> None:
    room.answer("get_metadata", {**SHOP, **arguments})
    assert parse_qs(room.requests[-1].query, strict_parsing=True) == {"fields": [fields]}


def test_a_page_token_cannot_become_another_parameter(room: WrapperRoom) -> None:
    token = "2&pageSize=1#/?%00"
    _, details = room.failure("list_account_summaries", {"pageSize": 7, "pageToken": token})
    assert details["code"] == "INVALID_ARGUMENT"
    sent = parse_qs(room.requests[-1].query, strict_parsing=True)
    assert sent == {"pageSize": ["7"], "pageToken": [token]}


def test_the_allowlist_is_the_contracts_and_posts_only_read(room: WrapperRoom) -> None:
    declared = read_contract("ga4")["outbound"]
    served = [(entry.origin, entry.method, entry.path_pattern) for entry in room.app().allowlist]
    assert served == [(each["origin"], each["method"], each["pathPattern"]) for each in declared]
    assert {path for _, method, path in served if method != "GET"} == {
        "/token",
        "/v1beta/properties/*:runReport",
        "/v1beta/properties/*:runRealtimeReport",
    }


def test_without_the_token_endpoint_in_the_list_a_call_is_denied_before_anything_else() -> None:
    def create(**options: Any) -> WrapperServer:
        return create_wrapper_server(
            allowlist=[entry for entry in ALLOWLIST if entry.path_pattern != "/token"],
            bind=lambda context: stubs.bind(Tools(), context=context),
            **options,
        )

    room = WrapperRoom(create, {SERVICE_ACCOUNT: "not even looked at"}, None, {})
    with pytest.raises(CallRefused) as caught:
        room.call("get_property", SHOP)
    assert caught.value.code == -32603
    assert "https://oauth2.googleapis.com/token" in caught.value.message


def test_two_wrappers_in_one_process_share_no_token(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    async def both(client: Any) -> None:
        async with WrapperClient(room.app(), TOKEN) as other:
            for each in (client, other, client, other):
                await each.call_tool("get_property", SHOP)

    room.run(both)
    assert google.tokens.requests == 2
