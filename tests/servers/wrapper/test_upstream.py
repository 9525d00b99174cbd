"""What is handed on of an upstream's refusal."""

from __future__ import annotations

import pytest

from mcp_wrapper_scaffold.gate import AnswerHeaders, FetchResponse
from mcp_wrapper_scaffold.upstream import bounded_text, describe_refusal, retry_after

NOW = 1_780_000_000.25  # Thu, 28 May 2026 20:26:40 GMT, and a quarter of a second


def answer(status: int, **headers: str) -> FetchResponse:
    lines = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return FetchResponse(
        status,
        AnswerHeaders(lines),
        b"secret body",
        method="GET",
        origin="https://api.example.com",
        path="/v1/orders",
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("17", 17),
        (" 17 ", 17),
        ("999999999", 999_999_999),
        ("Thu, 28 May 2026 20:26:40 GMT", 0),
        ("Thu, 28 May 2026 20:27:41 GMT", 61),
        ("Thursday, 28-May-26 20:27:41 GMT", 61),
        ("Thu, 28 May 2026 22:27:41 +0200", 61),
        ("Thu May 28 20:27:41 2026", 61),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1e3", None),
        ("١٧", None),
        ("9999999999", None),
        ("soon", None),
        ("Thu, 99 May 2026 20:27:41 GMT", None),
        ("17, 18", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str, seconds: int | None) -> None:
    assert retry_after(AnswerHeaders([("Retry-After", value)]), NOW) == seconds


def test_an_upstream_that_does_not_say_when_to_come_back_says_nothing() -> None:
    assert retry_after(AnswerHeaders([]), NOW) is None


def test_a_refusal_names_request_status_code_message_and_time() -> None:
    refusal = describe_refusal(
        answer(429, retry_after="30"), code="rate_limited", message="Too many requests.", now=NOW
    )
    assert refusal.text == (
        "GET https://api.example.com/v1/orders: status 429, rate_limited: Too many requests. "
        "It asks to be left alone for 30 seconds."
    )
    assert refusal.details == {
        "request": "GET https://api.example.com/v1/orders",
        "status": 429,
        "code": "rate_limited",
        "message": "Too many requests.",
        "retryAfter": 30,
    }
    assert refusal.retry_after == 30


def test_the_field_goes_before_what_is_said_elsewhere() -> None:
    assert describe_refusal(answer(429, retry_after="30"), wait=5, now=NOW).retry_after == 30
    assert describe_refusal(answer(429), wait=5, now=NOW).retry_after == 5


def test_a_refusal_without_words_has_only_request_and_status() -> None:
    refusal = describe_refusal(answer(502), now=NOW)
    assert refusal.text == "GET https://api.example.com/v1/orders: status 502."
    assert refusal.details == {"request": "GET https://api.example.com/v1/orders", "status": 502}


def test_a_refusal_without_a_time_reads_dates_by_the_systems_clock() -> None:
    refusal = describe_refusal(answer(503, retry_after="Sun, 06 Nov 1994 08:49:37 GMT"))
    assert refusal.retry_after == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("two\r\nlines\tand  more ", "two lines and more"),
        ("\x1b[31mred\x00", "[31mred"),
        ("a\u202egnihton\u2069b", "a gnihton b"),
        ("zero\u200bwidth\ufeff", "zero width"),
        ("half \ud800 pair", "half ? pair"),
        ("Ærlig talt 🍋", "Ærlig talt 🍋"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        ("x" * 10_000_000, "x" * 199 + "…"),
        (" " * 10_000_000, ""),
    ],
)
def test_a_foreign_text_becomes_one_printable_line(text: str, line: str) -> None:
    assert bounded_text(text) == line
    assert bounded_text(text).isprintable()
