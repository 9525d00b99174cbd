"""What a handler can read of an answer."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from mcp_wrapper_scaffold.errors import FetchError
from mcp_wrapper_scaffold.gate import AnswerHeaders, FetchResponse


def response(content: bytes = b"", kind: str = "", status: int = 200) -> FetchResponse:
    headers = AnswerHeaders([("Content-Type", kind)] if kind else [])
    return FetchResponse(status, headers, content, "GET", "https://shop.test", "/v1/x")


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        ("ü".encode(), "", "ü"),
        ("ü".encode(), "text/plain", "ü"),
        ("ü".encode("latin-1"), "text/plain; charset=ISO-8859-1", "ü"),
        ("ü".encode("utf-16"), 'text/plain; Charset="utf-16"', "ü"),
        ("ü".encode(), "text/plain; charset=no-such", "ü"),
        ("ü".encode(), "text/plain; charset=hex", "ü"),
        ("ü".encode(), "text/plain; charset=rot13", "ü"),
        ("ü".encode(), "text/plain; charset=undefined", "ü"),
        ("ü".encode(), "text/plain; charset=idna", "ü"),
        (b"\\x41\\z", "text/plain; charset=unicode_escape", "\\x41\\z"),
        ("ü".encode("cp1252"), "text/plain; charset=windows-1252", "ü"),
        ("日本".encode("shift_jis"), "text/plain; charset=Shift_JIS", "日本"),
        (b"\xff", "", "\ufffd"),
        (b"", "", ""),
    ],
)
def test_text_is_read_in_the_charset_it_names(content: bytes, kind: str, text: str) -> None:
    assert response(content, kind).text == text


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'{"a": [1, 2.5, null, "\xc3\xbc"]}', {"a": [1, 2.5, None, "ü"]}),
        (b"null", None),
        (b" [] \n", []),
        ("[1]".encode("utf-16"), [1]),
        (b"\xef\xbb\xbf[1]", [1]),
    ],
)
def test_json_is_read(content: bytes, value: Any) -> None:
    assert response(content).json() == value


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>s3cr3t</html>",
        b'{"a": s3cr3t}',
        b"[NaN]",
        b"[Infinity]",
        b"[-Infinity]",
        b'"\xff"',
        b"[" * 100_000,
        b"1" * 5000,
        b"{} {}",
    ],
)
def test_a_body_that_is_no_json_is_a_fault_without_the_body(content: bytes) -> None:
    with pytest.raises(FetchError) as caught:
        response(content, status=502).json()
    fault = caught.value
    assert str(fault) == ("GET https://shop.test/v1/x: the answer is no JSON text (status 502)")
    # Nor in what a log would show of where it came from.
    assert fault.__cause__ is None
    assert fault.__suppress_context__


@pytest.mark.parametrize(
    ("status", "ok"), [(200, True), (204, True), (299, True), (199, False), (300, False)]
)
def test_ok_is_a_status_of_success(status: int, ok: bool) -> None:
    assert response(status=status).ok is ok


def test_headers_are_found_in_any_case_and_joined() -> None:
    headers = AnswerHeaders([("X-A", "1"), ("Retry-After", "3"), ("x-a", "2")])
    assert headers["x-A"] == "1, 2"
    assert headers.get("retry-after") == "3"
    assert "RETRY-AFTER" in headers
    assert headers.get("absent") is None
    assert 7 not in headers
    assert (list(headers), len(headers)) == (["x-a", "retry-after"], 2)
    assert repr(headers) == "AnswerHeaders(x-a, retry-after)"


def test_an_answer_does_not_change() -> None:
    made = response(b"x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.status = 500  # type: ignore[misc] # what is tried here
    with pytest.raises(TypeError):
        made.headers["x"] = "y"  # type: ignore[index] # what is tried here
    assert copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_an_answer_shows_no_content() -> None:
    assert repr(response(b"s3cr3t")) == "<FetchResponse 200 GET https://shop.test/v1/x: 6 bytes>"


def test_an_answer_can_be_made_for_tests_of_handlers() -> None:
    made = FetchResponse(200, {"content-type": "application/json"}, b'{"data": []}')
    assert (made.ok, made.json(), made.headers["content-type"]) == (
        True,
        {"data": []},
        "application/json",
    )
    assert FetchResponse(404).headers.get("x") is None
