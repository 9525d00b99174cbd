"""How a denial is told: at the call, to the recorder, and without anything secret."""

from __future__ import annotations

import gc
import inspect
import logging
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from gate_rows import REFUSED

from mcp_wrapper_scaffold.errors import (
    DENIALS,
    FAILURES,
    FetchError,
    GatedFetchDenied,
    WrapperError,
)
from mcp_wrapper_scaffold.gate import Gate

pytestmark = pytest.mark.anyio

SECRET = "s3cr3t-t0ken"


def test_a_denial_is_raised_by_the_call_itself_and_leaves_nothing_to_await(recorded: Any) -> None:
    # There is no event loop here at all, and warnings are errors.
    assert not inspect.iscoroutinefunction(recorded.fetch)
    denied = recorded.denial("https://evil.test/v1/x")
    assert (denied.code, denied.method) == ("origin", "GET")
    gc.collect()


async def test_a_call_that_passes_does_nothing_before_it_is_awaited(
    recording: Callable[..., Any],
) -> None:
    async with recording() as recorded:
        pending = recorded.fetch("https://shop.test/v1/x")
        assert inspect.iscoroutine(pending)
        assert recorded.network.connections == []
        await pending
        assert recorded.network.connections == [("shop.test", 443)]


def test_a_denial_is_recorded_even_where_the_handler_swallows_it(recorded: Any) -> None:
    for url, method, _ in REFUSED[:5]:
        try:
            recorded.fetch(url, method=method)
        except GatedFetchDenied:
            continue
    assert [denied.code for denied in recorded.denials] == ["method"] * 5


def test_each_call_of_a_tool_has_a_record_of_its_own(recorded: Any) -> None:
    other: list[GatedFetchDenied] = []
    fetch = recorded.gate.fetch(other.append)
    assert fetch is not recorded.fetch
    recorded.denial("https://evil.test/")
    assert other == []
    with pytest.raises(GatedFetchDenied):
        fetch("https://evil.test/")
    assert len(other) == len(recorded.denials) == 1


@pytest.mark.parametrize(
    ("url", "options"),
    [
        (f"https://evil.test/v1/x?key={SECRET}", {}),
        (f"https://shop.test/v2/x?key={SECRET}#{SECRET}", {}),
        (f"https://{SECRET}:{SECRET}@shop.test/v1/x", {}),
        (f"https://{SECRET}@evil.test/v1/x", {}),
        (f"https://shop.test/v1/../x?key={SECRET}", {}),
        (f"https://shop.test/v1/x?key={SECRET} ", {}),
        (f"https://shop.test\\{SECRET}@evil.test/", {}),
        (f"ftp://{SECRET}@shop.test/", {}),
        (f"https://1.2.3.400/?key={SECRET}", {}),
        ("https://shop.test/v1/x", {"headers": {"Host": SECRET}}),
        ("https://shop.test/v1/x", {"headers": {"Authorization": f"Bearer {SECRET}\n"}}),
        ("https://shop.test/v1/x", {"headers": {f"Bearer {SECRET}": "Authorization"}}),
        ("https://shop.test/v1/x", {"auth": ("user", SECRET)}),
        ("https://evil.test/v1/x", {"headers": {"Authorization": f"Bearer {SECRET}"}}),
        ("https://evil.test/v1/x", {"method": "POST", "content": SECRET}),
        ("https://shop.test/v1/x", {"method": f"GET {SECRET}"}),
    ],
)
def test_a_denial_holds_no_secret(
    recorded: Any, url: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        denied = recorded.denial(url, **options)
    parts = [str(denied), repr(denied), *denied.args, caplog.text]
    parts += [denied.code, denied.method, denied.origin, denied.path, denied.detail]
    cause = denied.__cause__
    while cause is not None:
        parts.append(str(cause))
        cause = cause.__cause__
    assert SECRET not in "\n".join(parts)


def test_a_denial_names_method_origin_and_path_once_they_are_sound(recorded: Any) -> None:
    denied = recorded.denial("https://Shop.test:443/v2/x?a=b#c", method="post")
    assert (denied.method, denied.origin, denied.path) == ("POST", "https://shop.test", "/v2/x")
    assert str(denied) == ("POST https://shop.test/v2/x: no entry of the allowlist has this path")


def test_a_denial_of_what_cannot_be_shown_is_a_sentence_all_the_same(recorded: Any) -> None:
    denied = recorded.denial("https://user@shop.test/v1/x", method="HEAD")
    assert str(denied) == "HEAD: the URL has a user before the host"
    assert (denied.origin, denied.path) == ("", "")


@pytest.mark.parametrize("kind", [GatedFetchDenied, FetchError])
def test_every_code_has_a_sentence_and_survives_a_copy(kind: Any) -> None:
    table = {GatedFetchDenied: DENIALS, FetchError: FAILURES}[kind]
    for code, sentence in table.items():
        fault = kind(code, method="GET", origin="https://a.test", path="/x", detail="why")
        assert isinstance(fault, WrapperError)
        assert str(fault) == f"GET https://a.test/x: {sentence} (why)"
        copy = pickle.loads(pickle.dumps(fault))
        assert (type(copy), vars(copy), str(copy)) == (kind, vars(fault), str(fault))
        assert str(kind(code)) == f"a request: {sentence}"


def test_every_code_of_a_denial_at_the_call_is_shown_by_a_row() -> None:
    shown = {code for _, _, code in REFUSED}
    # Rows of their own: options and fields; addresses; what the server adds.
    elsewhere = {"extensions", "header", "address", "call_over"}
    assert shown | elsewhere == set(DENIALS)
    assert not shown & elsewhere


async def test_a_closed_gate_sends_nothing(recording: Callable[..., Any]) -> None:
    async with recording() as recorded:
        pending = recorded.fetch("https://shop.test/v1/x")
        await recorded.gate.aclose()
        with pytest.raises(FetchError) as caught:
            await pending
    assert caught.value.code == "closed"
    assert caught.value.path == "/v1/x"
    assert recorded.network.connections == []
    recorded.denial("https://evil.test/")


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0},
        {"timeout": float("inf")},
        {"max_response_bytes": 0},
        {"max_connections": 0},
    ],
)
def test_a_gate_without_sound_limits_is_not_made(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Gate([], **options)
