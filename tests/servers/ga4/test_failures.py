"""A read that fails is an error that says what failed, and never an empty report."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google_analytics import HOSTS, PROPERTY, GoogleAnalytics, failed
from google_service import READ, account, private_key, replied
from google_service import failed as token_failed
from loopback_upstream import Cut, Hang
from wrapper_room import WrapperRoom, opened

from ga4_mcp.reading import SERVICE_ACCOUNT
from ga4_mcp.server import create_server
from mcp_wrapper_scaffold import Limits

SHOP = {"propertyId": "123456789"}
REPORT = {
    **SHOP,
    "metrics": [{"name": "activeUsers"}],
    "dimensions": [{"name": "country"}],
    "dateRanges": [{"startDate": "7daysAgo", "endDate": "yesterday"}],
}
PLACE = "POST https://analyticsdata.googleapis.com/v1beta/properties/123456789:runReport"
HTML = {"content-type": "text/html"}
HEADERS = {"metricHeaders": [{"name": "activeUsers"}], "dimensionHeaders": [{"name": "country"}]}
UNKNOWN = "Nothing was read, so nothing is known: do not report it as none or zero."
METADATA = {"name": "properties/123456789/metadata"}


def told(
    room: WrapperRoom, tool: str = "run_report", arguments: dict[str, Any] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return what the model is told; no secret and no upstream body is in it."""
    text, details = room.failure(tool, REPORT if arguments is None else arguments)
    everything = text + json.dumps(details)
    assert "ya29." not in everything
    assert "PRIVATE KEY" not in everything
    assert "eyJ" not in everything  # how an assertion begins
    assert "rows" not in details
    return text, details


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (400, "INVALID_ARGUMENT", ""),
        (401, "UNAUTHENTICATED", "the next call gets a new one"),
        (403, "PERMISSION_DENIED", "add the service account's address as a viewer"),
        (404, "NOT_FOUND", "list_account_summaries"),
        (429, "RESOURCE_EXHAUSTED", "returnPropertyQuota"),
        (500, "INTERNAL", ""),
        (503, "UNAVAILABLE", ""),
    ],
)
def test_a_refusal_names_request_status_and_googles_words(
    room: WrapperRoom, google: GoogleAnalytics, status: int, code: str, hint: str
) -> None:
    google.scripted = [failed(status, code, "Something is wrong.")]
    text, details = told(room)
    assert text.startswith(f"Google refused. {PLACE}: status {status}, {code}: Something is wrong.")
    assert hint in text
    assert text.endswith(UNKNOWN)
    assert details == {
        "request": PLACE, "status": status, "code": code, "message": "Something is wrong.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "details", "seconds"),
    [
        ({"retry-after": "60"}, None, 60),
        ({}, [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.2s"}], 4),
        ({}, [7, {"@type": "x"},
              {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"}], 30),
        ({"retry-after": "5"},
         [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "30s"}], 5),
        ({}, [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "soon"}], None),
        ({}, {"retryDelay": "30s"}, None),
    ],
)  # fmt: skip
def test_a_used_up_quota_says_when_to_come_back(
    room: WrapperRoom, google: GoogleAnalytics, headers: Any, details: Any, seconds: int | None
) -> None:
    text = "Exhausted property tokens for a project per hour."
    google.scripted = [failed(429, "RESOURCE_EXHAUSTED", text, details, **headers)]
    text, found = told(room)
    assert found.get("retryAfter") == seconds
    assert (f"{seconds} seconds" in text) is (seconds is not None)


def test_googles_own_refusals_are_told(room: WrapperRoom) -> None:
    text, details = told(room, "get_property", {"propertyId": "5"})
    assert (details["status"], details["code"]) == (403, "PERMISSION_DENIED")
    text, details = told(room, arguments={**REPORT, "metrics": [{"name": "nonsense"}]})
    assert (details["status"], details["code"]) == (400, "INVALID_ARGUMENT")
    assert "nonsense is not a valid metric" in text


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ((502, HTML, b"<html>Bad gateway</html>"), 502),
        ((500, {}, b""), 500),
        (replied({"error": "text"}, 500), 500),
        (replied([1], 404), 404),
        ((302, {"location": "https://evil.test/"}, b""), 302),
        ((204, {}, b""), 204),
    ],
)
def test_a_status_without_googles_words_is_told_by_itself(
    room: WrapperRoom, google: GoogleAnalytics, answer: Any, status: int
) -> None:
    google.scripted = [answer]
    text, details = told(room)
    assert text.startswith(f"Google refused. {PLACE}: status {status}.")
    assert details == {"request": PLACE, "status": status}


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"metricHeaders": [', b"NaN", b"\xff"])
def test_an_answer_that_is_no_json_is_a_failed_read(
    room: WrapperRoom, google: GoogleAnalytics, body: bytes
) -> None:
    google.scripted = [(200, {"content-type": "application/json"}, body)]
    text, _ = told(room)
    assert PLACE in text
    assert "no JSON" in text


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"error": {"code": 403, "status": "PERMISSION_DENIED"}},
        {"rows": []},
        {"metricHeaders": []},
        {**HEADERS, "rows": {}},
        {**HEADERS, "rows": [{}]},
        {**HEADERS, "rows": [{"metricValues": [{"value": 31}]}]},
        {**HEADERS, "rows": [{"metricValues": [{"value": "31"}]}]},
        {**HEADERS, "rows": [{"metricValues": [{"value": "1"}] * 2,
                              "dimensionValues": [{"value": "Norway"}]}]},
        {**HEADERS, "rows": [{"metricValues": [{"value": "1"}],
                              "dimensionValues": [{"value": "Norway"}] * 2}]},
        {**HEADERS, "rowCount": "3"},
        {**HEADERS, "rowCount": -1},
    ],
)  # fmt: skip
def test_a_report_in_another_form_is_a_failed_read(
    room: WrapperRoom, google: GoogleAnalytics, value: object
) -> None:
    google.scripted = [replied(value)]
    text, details = told(room)
    assert text.startswith(f"Google's answer to {PLACE} is not in its documented form:")
    assert text.endswith(UNKNOWN)
    assert details == {"request": PLACE}


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("get_property", {}),
        ("get_property", {**PROPERTY, "name": "properties/5"}),
        ("get_property", {"name": "properties/123456789"}),
        ("get_metadata", {}),
        ("get_metadata", {"name": "properties/5/metadata", "dimensions": [{"apiName": "a"}]}),
        ("get_metadata", METADATA),
        ("get_metadata", {**METADATA, "dimensions": [], "metrics": []}),
        ("get_metadata", {**METADATA, "dimensions": [{"apiName": "country"}]}),
    ],
)
def test_what_is_not_what_was_asked_for_is_a_failed_read(
    room: WrapperRoom, google: GoogleAnalytics, tool: str, value: object
) -> None:
    google.scripted = [replied(value)]
    text, _ = told(room, tool, SHOP)
    assert "not in its documented form" in text


def test_an_error_in_the_place_of_accounts_is_a_failed_read(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    google.scripted = [replied({"error": {"code": 500}})]
    text, _ = told(room, "list_account_summaries", {})
    assert "not in its documented form" in text


@pytest.mark.parametrize("trouble", [Cut(b'{"metricHeaders": []}'), Hang()])
def test_an_answer_that_does_not_come_is_a_failed_read(
    google: GoogleAnalytics, trouble: Exception
) -> None:
    google.scripted = [trouble]
    secrets = {SERVICE_ACCOUNT: account()}
    with opened(create_server, secrets, HOSTS, google, limits=Limits(fetch_seconds=1)) as room:
        text, _ = told(room)
    assert PLACE in text


def test_a_token_that_an_api_does_not_take_is_not_used_again(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    google.scripted = [failed(401, "UNAUTHENTICATED", "Revoked.")]

    async def work(client: Any) -> list[bool]:
        results = [await client.call_tool("get_property", SHOP) for _ in range(3)]
        return [result["isError"] for result in results]

    assert room.run(work) == [True, False, False]
    assert google.tokens.requests == 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (token_failed(400, "invalid_grant", "Invalid JWT Signature."), "invalid_grant"),
        (token_failed(401, "unauthorized_client", "Unauthorized."), "unauthorized_client"),
        ((503, HTML, b"<html>busy</html>"), "refused"),
        (replied({"token_type": "Bearer"}), "bad_answer"),
    ],
)
def test_without_a_token_nothing_is_asked(
    room: WrapperRoom, google: GoogleAnalytics, answer: Any, code: str
) -> None:
    google.tokens.scripted = [answer]
    text, details = told(room)
    assert details["code"] == code
    assert text.endswith(UNKNOWN)
    assert {request.host for request in room.requests} == {"oauth2.googleapis.com"}


def test_a_key_that_google_does_not_know_is_told(
    room: WrapperRoom, google: GoogleAnalytics
) -> None:
    google.tokens.keys = {"0123456789abcdef": private_key(number=9)}
    text, details = told(room)
    assert details == {"code": "invalid_grant", "status": 400}
    assert "POST https://oauth2.googleapis.com/token: status 400, invalid_grant" in text


def test_a_scope_that_was_not_granted_is_told(room: WrapperRoom, google: GoogleAnalytics) -> None:
    google.tokens.scopes = frozenset()
    assert told(room)[1]["code"] == "invalid_scope"
    google.tokens.scopes = frozenset({READ})
    assert room.answer("get_property", SHOP) == PROPERTY


@pytest.mark.parametrize(
    ("secret", "words"),
    [
        ("", "GA4_SERVICE_ACCOUNT is not set"),
        ("no JSON", "no JSON"),
        (account(token_uri="https://evil.test/token"), '"token_uri"'),
        (account(private_key=private_key(1024)), "1024 bits"),
        (account(private_key=private_key().replace("\n", "\\n")), "escaped once too often"),
    ],
)
def test_without_a_usable_account_nothing_is_sent(
    room: WrapperRoom, secret: str, words: str
) -> None:
    room.secrets[SERVICE_ACCOUNT] = secret
    text, _ = told(room)
    assert words in text
    assert "evil" not in text
    assert room.requests == []


def test_no_secret_is_in_the_log(
    room: WrapperRoom, google: GoogleAnalytics, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    room.answer("get_property", SHOP)
    google.scripted = [(500, HTML, b"no")]
    told(room)
    google.tokens.scripted = [token_failed(400, "invalid_grant", "No.")]
    told(room)
    assert "ya29." not in caplog.text
    assert "PRIVATE KEY" not in caplog.text
