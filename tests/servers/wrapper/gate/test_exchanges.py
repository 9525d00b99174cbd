"""Exchanges with upstreams that behave well, badly, slowly or not at all."""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import hostile_vectors
import pytest
from loopback import Script, Upstream, Visit, upstream

from mcp_wrapper_scaffold.allowlist import AllowEntry
from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate import Fetch, Gate

pytestmark = pytest.mark.anyio


class Line:
    """A gate that may read and ask one upstream, and what it asked."""

    def __init__(self, server: Upstream, gate: Gate) -> None:
        self.server = server
        self.gate = gate
        self.denials: list[GatedFetchDenied] = []
        self.fetch: Fetch = gate.fetch(self.denials.append)

    def get(self, path: str = "/v1/x", **options: Any) -> Any:
        return self.fetch(self.server.origin + path, **options)

    async def failure(self, **options: Any) -> FetchError:
        with pytest.raises(FetchError) as caught:
            await self.get(**options)
        fault = caught.value
        assert (fault.method, fault.origin, fault.path) == ("GET", self.server.origin, "/v1/x")
        return fault


@asynccontextmanager
async def line(script: Script, **options: Any) -> AsyncIterator[Line]:
    async with upstream(script) as server:
        entries = [
            AllowEntry(server.origin, "GET", "/v1/*"),
            AllowEntry(server.origin, "HEAD", "/v1/*"),
            AllowEntry(server.origin, "POST", "/v1/*"),
        ]
        gate = Gate(entries, **options)
        try:
            yield Line(server, gate)
        finally:
            await gate.aclose()


async def answer(visit: Visit) -> None:
    await visit.answer("200 OK", b'{"a": 1}', "Content-Type: application/json")


async def hang(visit: Visit) -> None:
    await visit.hang()


def sends(*parts: bytes) -> Script:
    async def script(visit: Visit) -> None:
        await visit.send(*parts)
        visit.writer.close()

    return script


async def test_an_answer_comes_whole() -> None:
    async with line(answer) as it:
        response = await it.get("/v1/x?a=%2F#f")
        assert (response.status, response.ok, response.json()) == (200, True, {"a": 1})
        assert response.headers["Content-Type"] == "application/json"
        assert (response.method, response.path) == ("GET", "/v1/x")
        assert it.server.lines == ["GET /v1/x?a=%2F HTTP/1.1"]


@pytest.mark.parametrize(
    "status", ["204 No Content", "304 Not Modified", "404 Not Found", "500 No"]
)
async def test_every_status_is_an_answer(status: str) -> None:
    async with line(lambda visit: visit.answer(status)) as it:
        response = await it.get()
        assert response.status == int(status[:3])
        assert response.ok is status.startswith("2")


async def test_interim_answers_are_passed_over() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    async with line(sends(early, early, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")) as it:
        assert (await it.get()).content == b"x"


async def test_a_head_has_no_body_whatever_its_length_says() -> None:
    async with line(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")) as it:
        response = await it.get(method="HEAD")
        assert (response.status, response.content) == (200, b"")


_REDIRECTS = [
    {"id": str(status), "status": status, "location": location}
    for status, location in [
        (301, "/v1/y"),
        (302, "https://evil.test/"),
        (303, "//evil.test/"),
        (307, "http://user:pw@evil.test/"),
        (308, "file:///etc/passwd"),
        (300, "y"),
    ]
]


@pytest.mark.parametrize(
    "row", [*map(pytest.param, _REDIRECTS), *hostile_vectors.rows("redirects")]
)
async def test_a_redirect_is_an_answer_and_is_not_followed(row: dict[str, Any]) -> None:
    location = row["location"]
    method = row.get("from_method", "GET")

    async def redirect(visit: Visit) -> None:
        await visit.answer(f"{row['status']} Moved", b"", f"Location: {location}")

    body = {"content": b"secret"} if method == "POST" else {}
    async with line(redirect) as it:
        response = await it.get(method=method, headers={"x-api-key": "secret"}, **body)
        assert (response.status, response.headers["location"]) == (row["status"], location)
        assert not response.ok
        assert it.server.lines == [f"{method} /v1/x HTTP/1.1"]
        assert it.server.connections == 1
        # Following it by hand asks the gate.
        if location.startswith(("https:", "file:")):
            with pytest.raises(GatedFetchDenied):
                it.fetch(response.headers["location"])


async def test_an_upstream_that_never_answers_ends_with_the_timeout() -> None:
    async with line(hang) as it:
        fault = await it.failure(timeout=0.05)
        assert (fault.code, fault.detail) == ("timed_out", "0.05 s")
        await it.server.gone.wait()


async def test_a_timeout_covers_the_whole_exchange() -> None:
    async def drip(visit: Visit) -> None:
        await visit.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            # Each byte comes soon after the last one.
            await visit.send(b"1\r\nx\r\n")
            await asyncio.sleep(0.01)

    async with line(drip, timeout=0.1) as it:
        assert (await it.failure()).code == "timed_out"
        await it.server.gone.wait()


async def test_a_call_can_shorten_the_wrappers_timeout_and_not_lengthen_it() -> None:
    async with line(hang, timeout=0.05) as it:
        assert (await it.failure(timeout=3600)).detail == "0.05 s"


@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"],
        [b"HTTP/1.1 200 OK\r\nContent-Le"],
        [b""],
        [b"s3cr3t, and no HTTP\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: s3cr3t\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\ns3cr3t\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ns3cr3t\r\n"],
        [b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000],
    ],
)
async def test_what_breaks_off_or_is_no_http_is_no_answer(parts: list[bytes]) -> None:
    async with line(sends(*parts)) as it:
        fault = await it.failure()
        assert fault.code == "broken"
        chain: BaseException | None = fault
        while chain is not None:
            assert "s3cr3t" not in str(chain)
            chain = chain.__cause__
        assert it.denials == []


async def test_an_upstream_that_does_not_listen_is_unreachable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{closed.getsockname()[1]}"
        gate = Gate([AllowEntry(origin, "GET", "/v1/*")])
        with pytest.raises(FetchError) as caught:
            await gate.fetch(lambda denied: None)(f"{origin}/v1/x?key=s3cr3t")
        assert caught.value.code == "unreachable"
        assert str(caught.value) == f"GET {origin}/v1/x: no connection could be made"
        await gate.aclose()


async def flood(visit: Visit) -> None:
    await visit.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await visit.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")


async def bomb(visit: Visit) -> None:
    body = gzip.compress(b"\0" * 50_000_000)
    await visit.answer("200 OK", body, "Content-Encoding: gzip")


async def hollow(visit: Visit) -> None:
    # A stream of deflate that goes on in empty blocks: much comes, and nothing is in it.
    fields = b"Transfer-Encoding: chunked\r\nContent-Encoding: deflate\r\n\r\n"
    await visit.send(b"HTTP/1.1 200 OK\r\n" + fields, b"2\r\n\x78\x9c\r\n")
    while True:
        await visit.send(b"1f4\r\n" + b"\x00\x00\x00\xff\xff" * 100 + b"\r\n")


@pytest.mark.parametrize(
    "script",
    [
        flood,
        bomb,
        sends(b"HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n"),
        sends(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 19 + b"\r\n\r\n"),
    ],
)
async def test_an_answer_beyond_the_limit_is_cut_off(script: Script) -> None:
    async with line(script, max_response_bytes=100_000) as it:
        fault = await it.failure()
        assert (fault.code, fault.detail) == ("too_large", "more than 100000 bytes")
        await it.server.gone.wait()


async def test_an_answer_that_is_nothing_when_decoded_is_cut_off_too() -> None:
    async with line(hollow, max_response_bytes=100_000) as it:
        assert (await it.failure()).code == "too_large"
        await it.server.gone.wait()


@pytest.mark.parametrize("size", [0, 1, 99_999, 100_000])
async def test_an_answer_within_the_limit_is_read(size: int) -> None:
    body = b"x" * size
    async with line(lambda visit: visit.answer("200 OK", body), max_response_bytes=100_000) as it:
        assert (await it.get()).content == body


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"text", mtime=0)),
        ("GZIP", gzip.compress(b"text", mtime=0)),
        ("deflate", zlib.compress(b"text")),
        ("identity", b"text"),
        ("deflate, gzip", gzip.compress(zlib.compress(b"text"), mtime=0)),
    ],
)
async def test_a_coded_body_is_decoded(coding: str, body: bytes) -> None:
    fields = f"Content-Encoding: {coding}"
    async with line(lambda visit: visit.answer("200 OK", body, fields)) as it:
        assert (await it.get()).content == b"text"


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"no gzip"),
        ("br", b"text"),
        ("zstd", b"text"),
        ("gzip, br", b"text"),
        ("x-own", b"text"),
        (", ".join(["gzip"] * 50), b"text"),
    ],
)
async def test_a_body_that_cannot_be_decoded_is_no_answer(coding: str, body: bytes) -> None:
    fields = f"Content-Encoding: {coding}"
    async with line(lambda visit: visit.answer("200 OK", body, fields)) as it:
        assert (await it.failure()).code == "undecodable"


@pytest.mark.parametrize("stop", [0, 1])
async def test_a_cancelled_call_closes_its_connection(stop: int) -> None:
    async def begin(visit: Visit) -> None:
        if stop:
            await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx")
        await visit.hang()

    async with line(begin) as it:
        task = asyncio.create_task(it.get())
        await it.server.came.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await it.server.gone.wait()


async def test_a_cancelled_scope_closes_the_connections_of_all_its_calls() -> None:
    async with line(hang) as it:
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(it.get)
            while it.server.connections < 5:
                it.server.came.clear()
                await it.server.came.wait()
            group.cancel_scope.cancel()
        await it.server.gone.wait()
        # The connections are free again.
        assert len(it.server.visits) == 5


async def test_a_call_whose_gate_closes_ends() -> None:
    async with line(hang) as it:
        task = asyncio.create_task(it.get())
        await it.server.came.wait()
        await it.gate.aclose()
        with pytest.raises(FetchError) as caught:
            await task
        assert caught.value.code == "broken"


async def test_a_connection_is_kept_for_the_next_call() -> None:
    async with line(answer) as it:
        for _ in range(3):
            assert (await it.get()).ok
        assert (it.server.connections, len(it.server.visits)) == (1, 3)


async def test_a_connection_is_not_kept_after_an_answer_that_was_cut_off() -> None:
    async with line(
        lambda visit: visit.answer("200 OK", b"x" * 300_000), max_response_bytes=100
    ) as it:
        for _ in range(2):
            assert (await it.failure()).code == "too_large"
        assert it.server.connections == 2


async def test_a_kept_connection_that_the_upstream_closed_is_not_used() -> None:
    async def once(visit: Visit) -> None:
        await answer(visit)
        visit.writer.close()

    async with line(once) as it:
        assert (await it.get()).ok
        await it.server.gone.wait()
        assert (await it.get()).ok
        assert it.server.connections == 2


async def test_many_calls_share_few_connections() -> None:
    async with line(answer, max_connections=4) as it:
        responses = await asyncio.gather(*(it.get() for _ in range(100)))
        assert all(response.ok for response in responses)
        assert it.server.connections <= 4


async def test_a_slow_upstream_takes_no_connection_from_another() -> None:
    async with upstream(hang) as slow, upstream(answer) as quick:
        entries = [AllowEntry(each.origin, "GET", "/v1/*") for each in (slow, quick)]
        gate = Gate(entries, max_connections=1)
        fetch = gate.fetch(lambda denied: None)
        stuck = [asyncio.create_task(fetch(f"{slow.origin}/v1/x")) for _ in range(20)]
        await slow.came.wait()
        assert (await fetch(f"{quick.origin}/v1/x")).ok
        for task in stuck:
            task.cancel()
        ends = await asyncio.gather(*stuck, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends)
        assert slow.connections == 1
        await gate.aclose()


async def test_waiting_for_a_connection_counts_as_time_of_the_call() -> None:
    async with line(hang, max_connections=1) as it:
        first = asyncio.create_task(it.get())
        await it.server.came.wait()
        assert (await it.failure(timeout=0.05)).code == "timed_out"
        assert it.server.connections == 1
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_the_environment_sends_no_call_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    async with upstream(answer) as proxy, line(answer) as it:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        assert (await it.get()).ok
        assert (proxy.connections, it.server.connections) == (0, 1)
        assert b"uthorization" not in it.server.visits[0].head


async def test_nothing_of_a_url_is_logged_above_debug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with line(answer) as it:
        with caplog.at_level("DEBUG"):
            await it.get("/v1/x?key=s3cr3t", headers={"Authorization": "Bearer s3cr3t"})
    assert [each.getMessage() for each in caplog.records if each.levelname != "DEBUG"] == []
    assert "s3cr3t" not in caplog.text


async def test_lines_of_one_field_are_joined() -> None:
    async def script(visit: Visit) -> None:
        await visit.answer("200 OK", b"", "X-A: 1", "x-a: 2", "X-B: caf\xe9")

    async with line(script) as it:
        headers: Callable[..., Any] = (await it.get()).headers.__getitem__
        assert (headers("X-A"), headers("x-b")) == ("1, 2", "caf\xe9")
