"""What else a call may have: a body and a timeout, and nothing besides."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import hostile_vectors
import pytest

pytestmark = pytest.mark.anyio

URL = "https://shop.test/v1/x"
REPORT = "https://shop.test/reports/a:run"


@pytest.mark.parametrize("row", hostile_vectors.rows("call_options"))
async def test_the_recorded_options_are_decided_as_recorded(
    recording: Callable[..., Any], row: dict[str, Any]
) -> None:
    url = REPORT if row["kwargs"].get("method") == "POST" else URL
    async with recording() as recorded:
        if row["verdict"] == "deny":
            assert recorded.denial(url, **row["kwargs"]).code == "extensions"
            return
        await recorded.fetch(url, **row["kwargs"])
    assert len(recorded.network.sent) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"extensions": {"target": "/admin"}},
        {"extensions": {"sni_hostname": "evil.test"}},
        {"extensions": None},
        {"params": {"a": "b"}},
        {"auth": ("user", "pass")},
        {"cookies": {"a": "b"}},
        {"follow_redirects": True},
        {"mounts": {}},
        {"proxy": "http://evil.test"},
        {"verify": False},
        {"allowlist": []},
        {"data": {"a": "b"}},
        {"body": "{}"},
        {"stream": True},
    ],
)
def test_an_unknown_option_is_refused_by_name(recorded: Any, options: dict[str, Any]) -> None:
    denied = recorded.denial(URL, **options)
    assert denied.code == "extensions"
    assert denied.detail == next(iter(options))


def test_options_have_no_place(recorded: Any) -> None:
    with pytest.raises(TypeError):
        recorded.fetch(URL, "GET")
    assert recorded.network.connections == []


@pytest.mark.parametrize(
    ("options", "body", "kind"),
    [
        ({"content": b"\x00\xff"}, b"\x00\xff", []),
        ({"content": "ü"}, "ü".encode(), []),
        ({"content": ""}, b"", []),
        ({"json": {"a": [1, None, "ü"]}}, '{"a":[1,null,"ü"]}'.encode(), ["application/json"]),
        ({"json": None}, b"null", ["application/json"]),
        (
            {"json": [], "headers": {"content-type": "application/vnd.api+json"}},
            b"[]",
            ["application/vnd.api+json"],
        ),
        (
            {"content": "a=b", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
            b"a=b",
            ["application/x-www-form-urlencoded"],
        ),
        ({}, b"", []),
    ],
)
async def test_a_body_goes_out_with_its_length(
    recording: Callable[..., Any], options: dict[str, Any], body: bytes, kind: list[str]
) -> None:
    async with recording() as recorded:
        await recorded.fetch(REPORT, method="POST", **options)
    (sent,) = recorded.network.sent
    assert sent.body == body
    assert sent.all("content-length") == [str(len(body))]
    assert sent.all("transfer-encoding") == []
    assert sent.all("content-type") == kind


async def test_a_read_has_no_body(recording: Callable[..., Any]) -> None:
    async with recording() as recorded:
        await recorded.fetch(URL)
    assert recorded.network.sent[0].all("content-length") == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"content": "x", "json": {}}, TypeError),
        ({"json": object()}, TypeError),
        ({"json": {1, 2}}, TypeError),
        ({"json": math.nan}, ValueError),
        ({"json": "\ud800"}, ValueError),
        ({"content": "\ud800"}, ValueError),
        ({"timeout": 0}, ValueError),
        ({"timeout": -1}, ValueError),
        ({"timeout": math.inf}, ValueError),
        ({"timeout": math.nan}, ValueError),
        ({"timeout": True}, ValueError),
        ({"timeout": "5"}, TypeError),
    ],
)
def test_a_mistake_in_a_body_or_timeout_is_raised_at_the_call(
    recorded: Any, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        recorded.fetch(REPORT, method="POST", **options)
    assert recorded.denials == []
    assert recorded.network.connections == []


def test_json_within_itself_is_raised_at_the_call(recorded: Any) -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="Circular"):
        recorded.fetch(REPORT, method="POST", json=value)


async def test_a_value_changed_after_the_call_is_not_sent(recording: Callable[..., Any]) -> None:
    value = {"a": 1}
    async with recording() as recorded:
        pending = recorded.fetch(REPORT, method="POST", json=value)
        value["a"] = 2
        await pending
    assert json.loads(recorded.network.sent[0].body) == {"a": 1}
