"""What of Google's answers is handed on, and how."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google_analytics import METADATA, PROPERTY, GoogleAnalytics
from google_service import replied
from wrapper_room import REVISIONS, WrapperRoom

SHOP = {"propertyId": "123456789"}
USERS = {**SHOP, "metrics": [{"name": "activeUsers"}], "dimensions": [{"name": "country"}]}
WEEK = {"startDate": "7daysAgo", "endDate": "yesterday"}
REPORT = {**USERS, "dateRanges": [WEEK]}


def test_a_report_has_its_rows_with_every_digit(room: WrapperRoom) -> None:
    answer = room.answer("run_report", REPORT)
    assert [header["name"] for header in answer["dimensionHeaders"]] == ["country"]
    assert [
        (row["dimensionValues"][0]["value"], row["metricValues"][0]["value"])
        for row in answer["rows"]
    ] == [("Norway", "31"), ("Sweden", "9007199254740993"), ("", "4")]
    assert answer["rowCount"] == 3


def test_pages_of_a_report_hold_every_row_once(room: WrapperRoom) -> None:
    pages = [
        room.answer("run_report", {**REPORT, "limit": 2, "offset": offset}) for offset in (0, 2, 4)
    ]
    rows = [row["dimensionValues"][0]["value"] for page in pages for row in page.get("rows", [])]
    assert rows == ["Norway", "Sweden", ""]
    assert "rows" not in pages[2]
    assert pages[2]["rowCount"] == 3


def test_a_report_without_data_says_so_by_its_columns(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    google.rows = []
    answer = room.answer("run_realtime_report", USERS)
    assert "rows" not in answer
    assert answer["metricHeaders"] == [{"name": "activeUsers", "type": "TYPE_INTEGER"}]


def test_several_spans_are_told_apart_by_a_column(room: WrapperRoom) -> None:
    spans = [{**WEEK, "name": "this"}, {**WEEK, "name": "before"}]
    answer = room.answer("run_report", {**REPORT, "dateRanges": spans})
    assert [header["name"] for header in answer["dimensionHeaders"]] == ["country", "dateRange"]
    assert {row["dimensionValues"][1]["value"] for row in answer["rows"]} == {"this", "before"}


def test_quotas_are_told_when_they_are_asked_for(room: WrapperRoom) -> None:
    assert "propertyQuota" not in room.answer("run_report", REPORT)
    answer = room.answer("run_report", {**REPORT, "returnPropertyQuota": True})
    assert answer["propertyQuota"]["tokensPerDay"]["remaining"] == 199_999


def test_pages_of_accounts_hold_each_once(room: WrapperRoom) -> None:
    names: list[str] = []
    token: str | None = None
    for _ in range(5):
        given = {"pageSize": 2} | ({"pageToken": token} if token else {})
        answer = room.answer("list_account_summaries", given)
        names += [account["account"] for account in answer["accountSummaries"]]
        token = answer.get("nextPageToken")
        if token is None:
            break
    assert names == [f"accounts/{number}" for number in range(1, 6)]


def test_nobody_having_shared_anything_is_an_answer_without_accounts(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    google.scripted = [replied({})]
    assert room.answer("list_account_summaries") == {}


def test_a_property_is_handed_on_as_it_is(room: WrapperRoom) -> None:
    assert room.answer("get_property", SHOP) == PROPERTY


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, {"dimensions": ["country", "customEvent:level"],
              "metrics": ["activeUsers", "totalRevenue"]}),
        ({"parts": ["comparisons"]}, {"comparisons": ["comparisons/1"]}),
        ({"search": "LEVEL"}, {"dimensions": ["customEvent:level"], "metrics": []}),
        ({"search": "active users"}, {"dimensions": [], "metrics": ["activeUsers"]}),
        ({"search": "customevent:", "parts": ["dimensions"]},
         {"dimensions": ["customEvent:level"]}),
        ({"search": "nothing of that"}, {"dimensions": [], "metrics": []}),
    ],
)  # fmt: skip
def test_metadata_is_narrowed_by_part_and_text(
    room: WrapperRoom, arguments: dict[str, Any], found: dict[str, list[str]]
) -> None:
    answer = room.answer("get_metadata", {**SHOP, **arguments})
    assert answer.pop("name") == "properties/123456789/metadata"
    assert {
        part: [entry["apiName"] for entry in entries] for part, entries in answer.items()
    } == found


def test_entries_of_metadata_are_handed_on_as_they_are(room: WrapperRoom) -> None:
    answer = room.answer("get_metadata", {**SHOP, "propertyId": "0"})
    assert answer == {
        "name": "properties/0/metadata",
        "dimensions": METADATA["dimensions"],
        "metrics": METADATA["metrics"],
    }


def test_a_missing_list_of_comparisons_is_none_at_all(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    name = "properties/123456789/metadata"
    google.scripted = [replied({"name": name, "metrics": METADATA["metrics"]})]
    answer = room.answer("get_metadata", {**SHOP, "parts": ["comparisons", "metrics"]})
    assert answer == {"name": name, "metrics": METADATA["metrics"]}


@pytest.mark.parametrize("version", REVISIONS)
def test_every_revision_is_answered(room: WrapperRoom, version: str) -> None:
    async def work(client: Any) -> Any:
        listed = await client.list_tools()
        return listed, await client.call_tool("get_property", SHOP)

    listed, result = room.run(work, version)
    assert len(listed) == 5
    assert json.loads(result["content"][0]["text"]) == PROPERTY
    assert result["displayName"] == "Shop"  # for clients from before the envelope
    assert ("structuredContent" in result) is (version >= "2025-06-18")
