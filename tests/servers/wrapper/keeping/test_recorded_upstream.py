"""The recorded upstream: what it answers, what it remembers, what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from mcp_wrapper_scaffold import AllowEntry, FetchError
from mcp_wrapper_scaffold.gate import Fetch, FetchResponse, Gate
from mcp_wrapper_scaffold.testing import RecordedUpstream, UpstreamFault

URL = "https://api.example.com/v1/notes"
ALLOWLIST = [
    AllowEntry("https://api.example.com", "GET", "/v1/*"),
    AllowEntry("https://api.example.com", "POST", "/v1/*"),
    AllowEntry("https://api.example.com", "HEAD", "/v1/*"),
    AllowEntry("http://127.0.0.1:8080", "GET", "/v1/*"),
]


def through(
    upstream: RecordedUpstream, ask: Callable[[Fetch], Coroutine[Any, Any, FetchResponse]]
) -> FetchResponse:
    """Ask through a gate that is closed again."""

    async def run() -> FetchResponse:
        gate = Gate(ALLOWLIST, network=upstream.network)
        try:
            return await ask(gate.fetch(lambda denied: None))
        finally:
            await gate.aclose()

    return asyncio.run(run())


def get(upstream: RecordedUpstream, url: str = URL, **options: Any) -> FetchResponse:
    return through(upstream, lambda fetch: fetch(url, **options))


def test_an_answer_comes_as_declared() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", URL, status=429, headers={"Retry-After": "3"}, json={"a": [1]})
    answer = get(upstream)
    assert (answer.status, answer.json()) == (429, {"a": [1]})
    assert (answer.headers["retry-after"], answer.headers["content-type"]) == (
        "3",
        "application/json",
    )
    upstream.check()


def test_a_request_is_remembered_as_it_left() -> None:
    upstream = RecordedUpstream()
    upstream.answer("POST", URL, json={})
    get(upstream, f"{URL}?b=2&a=%20", method="POST", json={"x": 1}, headers={"X-A": "1"})
    (request,) = upstream.requests
    assert (request.method, request.origin, request.path) == (
        "POST",
        "https://api.example.com",
        "/v1/notes",
    )
    assert request.url == URL
    assert request.query == (("b", "2"), ("a", " "))
    assert request.json() == {"x": 1}
    assert (request.headers["x-a"], request.server_name) == ("1", "api.example.com")
    assert str(request) == f"POST {URL}?b=2&a= "


def test_a_request_without_tls_and_with_a_port() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", "http://127.0.0.1:8080/v1/notes", content="hello")
    assert get(upstream, "http://127.0.0.1:8080/v1/notes").text == "hello"
    assert upstream.requests[0].server_name is None


def test_head_has_no_body() -> None:
    upstream = RecordedUpstream()
    upstream.answer("HEAD", URL, content="hello")
    answer = get(upstream, method="HEAD")
    assert (answer.content, answer.headers["content-length"]) == (b"", "5")


def test_answers_are_used_in_their_order() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", URL, content="first", times=2)
    upstream.answer("GET", URL, content="then", times=None)
    assert [get(upstream).text for _ in range(4)] == ["first", "first", "then", "then"]
    upstream.check()


def test_a_query_tells_answers_apart_in_any_order() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", f"{URL}?page=2&size=1", content="two")
    upstream.answer("GET", URL, query={"page": "1"}, content="one")
    assert get(upstream, f"{URL}?page=1").text == "one"
    assert get(upstream, f"{URL}?size=1&page=2").text == "two"
    upstream.check()


UNEXPECTED: dict[str, tuple[str, dict[str, str]]] = {
    "another path": ("https://api.example.com/v1/other", {}),
    "another method": (URL, {"method": "POST"}),
    "another query": (f"{URL}?page=3", {}),
}


@pytest.mark.parametrize("name", UNEXPECTED)
def test_what_nobody_expected_is_refused_and_told(name: str) -> None:
    url, options = UNEXPECTED[name]
    upstream = RecordedUpstream()
    upstream.answer("GET", URL, query={"page": "1"}, times=None)
    with pytest.raises(FetchError):
        get(upstream, url, **options)
    with pytest.raises(UpstreamFault, match="nobody expected"):
        upstream.check()


def test_an_answer_is_given_no_more_often_than_declared() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", URL)
    get(upstream)
    with pytest.raises(FetchError):
        get(upstream)


def test_what_nobody_asked_for_is_told() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", URL)
    upstream.fail("POST", URL, "broken")
    with pytest.raises(UpstreamFault) as fault:
        upstream.check()
    assert str(fault.value).splitlines() == [
        f"nobody asked for GET {URL}",
        f"nobody asked for POST {URL}",
    ]


FAILURES = {"unreachable": "unreachable", "broken": "broken", "cut": "broken"}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_comes_as_declared(failure: Any) -> None:
    upstream = RecordedUpstream()
    upstream.fail("GET", URL, failure)
    upstream.answer("GET", URL, content="again")
    with pytest.raises(FetchError) as error:
        get(upstream)
    assert error.value.code == FAILURES[failure]
    assert get(upstream).text == "again"
    upstream.check()


def test_an_upstream_that_is_down_answers_nothing() -> None:
    upstream = RecordedUpstream()
    upstream.answer("GET", URL, times=None)
    upstream.down()
    with pytest.raises(FetchError) as error:
        get(upstream)
    assert error.value.code == "unreachable"
    assert upstream.requests == []
    upstream.check()


@pytest.mark.parametrize("url", ["/v1/notes", "ftp://x/y", "api.example.com/v1"])
def test_a_declaration_needs_an_absolute_url(url: str) -> None:
    with pytest.raises(ValueError, match="no absolute"):
        RecordedUpstream().answer("GET", url)


def test_a_query_is_declared_in_one_way_only() -> None:
    with pytest.raises(ValueError, match="not both"):
        RecordedUpstream().answer("GET", f"{URL}?a=1", query={"b": "2"})
