"""The transport judges by itself what is about to be sent, whoever brings it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import hostile_vectors
import httpx2
import pytest
from gate_rows import ALLOWED, ALLOWLIST, REFUSED
from recording_network import RecordingNetwork

from mcp_wrapper_scaffold.allowlist import Allowlist
from mcp_wrapper_scaffold.errors import GatedFetchDenied
from mcp_wrapper_scaffold.gate.request import judge_request, read_call
from mcp_wrapper_scaffold.gate.transport import Transport

pytestmark = pytest.mark.anyio

URL = "https://shop.test/v1/x"


@asynccontextmanager
async def transport(entries: Any = ALLOWLIST) -> AsyncIterator[tuple[Transport, RecordingNetwork]]:
    allowlist, network = Allowlist(entries), RecordingNetwork()
    made = Transport(
        lambda request: judge_request(allowlist, request),
        max_response_bytes=1000,
        max_connections=10,
        network=network,
    )
    try:
        yield made, network
    finally:
        await made.aclose()


async def denial(request: httpx2.Request) -> GatedFetchDenied:
    async with transport() as (made, network):
        with pytest.raises(GatedFetchDenied) as caught:
            await made.handle_async_request(request)
        assert network.connections == []
        return caught.value


def request_of(method: str, url: str) -> httpx2.Request | None:
    try:
        return httpx2.Request(method, url)
    except (httpx2.InvalidURL, UnicodeError):
        return None


@pytest.mark.parametrize(("url", "method"), [row[:2] for row in REFUSED])
async def test_what_reaches_the_transport_is_sent_only_if_it_is_declared(
    url: str, method: str
) -> None:
    # Not every row is refused here: the library has already resolved dots and folded digits, and
    # the judgement is about what it made of them.
    request = request_of(method, url)
    async with transport() as (made, network):
        if request is None or request.url.scheme not in ("http", "https"):
            return
        try:
            await made.handle_async_request(request)
        except GatedFetchDenied:
            assert network.connections == []
            return
    (sent,) = network.sent
    scheme = "http" if sent.server_name is None else "https"
    origin = f"{scheme}://{sent.all('host')[0]}"
    methods = Allowlist(ALLOWLIST).methods(origin, sent.target.partition("?")[0])
    assert methods is not None
    assert sent.method in methods
    assert sent.all("authorization") == []


@pytest.mark.parametrize("row", hostile_vectors.rows("cases"))
async def test_no_recorded_url_passes_the_transport_to_another_place(row: dict[str, Any]) -> None:
    request = request_of(row["method"], hostile_vectors.url_of(row))
    entries = hostile_vectors.allowlist()
    async with transport(entries) as (made, network):
        if request is None:
            return
        try:
            await made.handle_async_request(request)
        except GatedFetchDenied:
            assert row["verdict"] == "deny"
            assert network.connections == []
            return
    (sent,) = network.sent
    scheme = "http" if sent.server_name is None else "https"
    path = sent.target.partition("?")[0]
    methods = Allowlist(entries).methods(f"{scheme}://{sent.all('host')[0]}", path)
    assert methods is not None
    assert sent.method in methods


@pytest.mark.parametrize("row", ALLOWED[:12])
async def test_a_declared_request_passes_both_checks(row: Any) -> None:
    async with transport() as (made, network):
        response = await made.handle_async_request(httpx2.Request(row[1].upper(), row[0]))
        assert response.status_code == 200
        await response.aclose()
    assert network.sent[0].target == row[2][0]


@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        ({"Host": "evil.test"}, "host is not that of the URL"),
        ({"Transfer-Encoding": "chunked"}, "transfer-encoding is not a caller's to set"),
        ({"X-HTTP-Method-Override": "DELETE"}, "x-http-method-override is not a caller's to set"),
        ({"Content-Length": "1, 2"}, "content-length is no number"),
        ([("Host", "shop.test"), ("Host", "shop.test")], "host is not there once"),
    ],
)
async def test_a_field_that_came_in_later_is_refused(headers: Any, detail: str) -> None:
    denied = await denial(httpx2.Request("GET", URL, headers=headers))
    assert (denied.code, denied.detail) == ("header", detail)


async def test_a_request_without_a_host_is_refused() -> None:
    request = httpx2.Request("GET", URL)
    del request.headers["host"]
    assert (await denial(request)).detail == "host is not there once"


@pytest.mark.parametrize("name", ["target", "sni_hostname", "trace"])
async def test_an_extension_is_refused(name: str) -> None:
    denied = await denial(httpx2.Request("GET", URL, extensions={name: "x"}))
    assert denied.code == "extensions"


async def test_a_user_is_refused() -> None:
    assert (await denial(httpx2.Request("GET", "https://u@shop.test/v1/x"))).code == "userinfo"


@pytest.mark.parametrize("url", ["https://shop.test/v1/%2e%2e", "https://shop.test/v1/a%2Fb"])
async def test_a_path_of_two_meanings_is_refused(url: str) -> None:
    assert (await denial(httpx2.Request("GET", url))).code == "ambiguous_path"


async def turn_away(request: httpx2.Request) -> None:
    request.url = httpx2.URL("https://evil.test/v1/x")


async def test_a_client_whose_hook_changes_the_url_gets_nowhere() -> None:
    async with transport() as (made, network):
        client = httpx2.AsyncClient(transport=made, event_hooks={"request": [turn_away]})
        client.headers.clear()
        async with client:
            request = httpx2.Request("GET", URL)
            with pytest.raises(GatedFetchDenied):
                await client.send(request)
    assert network.connections == []


@pytest.mark.parametrize("row", hostile_vectors.rows("redirects"))
async def test_a_client_that_follows_redirects_is_stopped_at_the_second_request(
    row: dict[str, Any],
) -> None:
    method, url = row.get("from_method", "GET"), URL
    if method == "POST":
        url = "https://shop.test/reports/a:run"
    async with transport() as (made, network):
        network.answer = (
            f"HTTP/1.1 {row['status']} Moved\r\nLocation: {row['location']}\r\n"
            "Content-Length: 0\r\n\r\n"
        ).encode("latin-1")
        client = httpx2.AsyncClient(transport=made, follow_redirects=True, max_redirects=3)
        client.headers.clear()
        async with client:
            with pytest.raises((GatedFetchDenied, httpx2.TransportError, httpx2.TooManyRedirects)):
                await client.send(httpx2.Request(method, url))
    assert {sent.host for sent in network.sent} == {"shop.test"}
    assert {host for host, _ in network.connections} == {"shop.test"}


async def test_a_request_altered_between_the_call_and_the_sending_is_refused(
    recording: Callable[..., Any],
) -> None:
    async with recording() as recorded:
        pending = recorded.fetch(URL)
        call = pending.cr_frame.f_locals["call"]
        # Python lets a handler reach this far; the URL is judged once more.
        call.target.url._uri_reference = httpx2.URL("https://evil.test/v1/x")._uri_reference
        with pytest.raises(GatedFetchDenied) as caught:
            await pending
        assert (caught.value.code, caught.value.origin) == ("origin", "https://evil.test")
        assert recorded.denials == [caught.value]
        assert recorded.network.connections == []


def test_the_url_that_was_judged_is_the_object_that_is_sent(recorded: Any) -> None:
    call = read_call(recorded.gate.allowlist, "https://SHOP.test/v1/x?a=b", "get", None, {})
    request = call.request(None, ())
    assert request.url is call.target.url
    judge_request(recorded.gate.allowlist, request)
