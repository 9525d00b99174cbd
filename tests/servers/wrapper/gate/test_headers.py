"""Which header fields a call may have."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import hostile_vectors
import pytest

pytestmark = pytest.mark.anyio

URL = "https://shop.test/v1/x"


@pytest.mark.parametrize("row", hostile_vectors.rows("headers"))
async def test_the_recorded_fields_are_decided_as_recorded(
    recording: Callable[..., Any], row: dict[str, Any]
) -> None:
    # A mapping cannot have a field twice; the recorded lists can.
    fields = SimpleNamespace(items=lambda: [tuple(line) for line in row["headers"]])
    async with recording() as recorded:
        if row["verdict"] == "deny":
            assert recorded.denial(URL, headers=fields).code == "header"
            return
        await recorded.fetch(URL, headers=fields)
    (sent,) = recorded.network.sent
    for name, value in row["headers"]:
        assert sent.all(name.lower()) == [value]


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "HOST",
        "Connection",
        "Content-Length",
        "Transfer-Encoding",
        "Upgrade",
        "TE",
        "Trailer",
        "Expect",
        "Keep-Alive",
        "HTTP2-Settings",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Proxy-X",
        "Forwarded",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-HTTP-Method",
        "X-HTTP-Method-Override",
        "x-http_method-override",
        "X_HTTP_METHOD_OVERRIDE",
        "X-Method-Override",
        "X-Original-URL",
        "X-Original-Path",
        "X-Rewrite-URL",
        "X-Envoy-Original-Path",
        "X-Forwarded-For",
        "X-Forwarded-Uri",
        "X-HTTP-Path-Override",
        "X-Method",
        "X-Host",
        "X-Override-URL",
        "Via",
    ],
)
def test_a_field_that_is_not_a_callers_is_refused_by_name(recorded: Any, name: str) -> None:
    denied = recorded.denial(URL, headers={"Accept": "*/*", name: "secret-value"})
    assert denied.code == "header"
    assert name.lower().replace("_", "-") in str(denied)
    assert "secret-value" not in str(denied)


@pytest.mark.parametrize("name", ["", " ", "a b", "a:", ":path", "a\n", "ä", "a\x00", "(a)", "a,b"])
def test_a_name_that_is_no_token_is_refused(recorded: Any, name: str) -> None:
    assert recorded.denial(URL, headers={name: "x"}).code == "header"


@pytest.mark.parametrize(
    "value",
    ["a\r\nb: c", "a\n", "\ra", "a\x00", "a\x0b", " a", "a ", "\ta", "ä", "a\x7f", "\ud800"],
)
def test_a_value_that_is_not_sent_as_it_is_is_refused(recorded: Any, value: str) -> None:
    denied = recorded.denial(URL, headers={"Authorization": value})
    assert denied.code == "header"
    assert denied.detail.startswith("the value of authorization is not")


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": b"x"},
        {"Authorization": None},
        {b"Authorization": "x"},
        {1: "x"},
        ["Authorization"],
        "Authorization",
        7,
        SimpleNamespace(items=lambda: [("a", "b", "c")]),
        SimpleNamespace(items=7),
    ],
)
def test_what_is_no_mapping_of_text_to_text_is_refused(recorded: Any, headers: Any) -> None:
    assert recorded.denial(URL, headers=headers).code == "header"


def test_a_name_in_two_spellings_is_refused(recorded: Any) -> None:
    headers = {"Authorization": "Bearer one", "authorization": "Bearer two"}
    denied = recorded.denial(URL, headers=headers)
    assert (denied.code, denied.detail) == ("header", "authorization is there twice")


async def test_fields_go_out_as_given_beside_those_of_the_gate(
    recording: Callable[..., Any],
) -> None:
    headers = {"Authorization": "Bearer a b\tc", "x-empty": "", "user-agent": "mine/1"}
    async with recording() as recorded:
        await recorded.fetch(URL, headers=headers)
        await recorded.fetch(URL)
    first, second = recorded.network.sent
    assert sorted(first.fields) == [
        ("accept", "*/*"),
        ("accept-encoding", "gzip, deflate"),
        ("authorization", "Bearer a b\tc"),
        ("host", "shop.test"),
        ("user-agent", "mine/1"),
        ("x-empty", ""),
    ]
    # Nothing of one call is in the next.
    assert sorted(second.fields) == [
        ("accept", "*/*"),
        ("accept-encoding", "gzip, deflate"),
        ("host", "shop.test"),
        ("user-agent", "mcp-wrapper-scaffold"),
    ]


async def test_a_cookie_that_an_answer_sets_does_not_come_back(
    recording: Callable[..., Any],
) -> None:
    async with recording() as recorded:
        recorded.network.answer = (
            b"HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/\r\nContent-Length: 0\r\n\r\n"
        )
        await recorded.fetch(URL)
        await recorded.fetch(URL)
    assert [sent.all("cookie") for sent in recorded.network.sent] == [[], []]


async def test_fields_are_read_once(recording: Callable[..., Any]) -> None:
    readings: list[str] = []

    def items() -> list[tuple[str, str]]:
        readings.append("")
        return [("Accept", "*/*")] if len(readings) == 1 else [("Host", "evil.test")]

    async with recording() as recorded:
        await recorded.fetch(URL, headers=SimpleNamespace(items=items))
    assert len(readings) == 1
    assert recorded.network.sent[0].all("host") == ["shop.test"]
