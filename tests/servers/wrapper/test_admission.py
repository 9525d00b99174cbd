"""Who is let in: by token, by host, by origin, and with what kind of body."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from asked import BEARER, JSON, PING, ask, echo
from wrapped import TOKEN, wrap

from mcp_wrapper_scaffold import CallableSecret, Limits
from mcp_wrapper_scaffold.testing.client import exchange


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN}\xfc"},
        {"x-authorization": f"Bearer {TOKEN}"},
        {"cookie": f"token={TOKEN}"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_without_the_token_every_request_gets_the_same_refusal(
    fields: dict[str, str], method: str
) -> None:
    answer = ask(b"{", {**JSON, **fields}, bare=True, method=method)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.body == ask(bare=True).body
    assert TOKEN not in answer.body.decode()


def test_a_token_in_the_query_is_of_no_use() -> None:
    assert ask(bare=True, path=f"/mcp?access_token={TOKEN}").status in (401, 404)


def test_two_authorization_fields_are_refused_even_if_both_are_right() -> None:
    async def talk(times: int) -> int:
        lines = [*JSON.items(), *[*BEARER.items()] * times]
        body = json.dumps(PING).encode()
        return (await exchange(wrap(echo), "POST", "/mcp", lines, body)).status

    assert [asyncio.run(talk(times)) for times in (0, 1, 2)] == [401, 200, 401]


@pytest.mark.parametrize("value", [None, "", "tökén"])
def test_a_source_without_a_token_lets_nobody_in(value: str | None) -> None:
    source = CallableSecret(lambda: value, label="the token")
    assert ask(agent_token=source).status == 401
    assert ask(fields={"authorization": "Bearer "}, agent_token=source).status == 401


def test_whoever_has_no_token_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    for value in (None, "two words"):

        async def talk(value: str | None = value) -> None:
            app = wrap(echo, agent_token=CallableSecret(lambda: value, label="the token"))
            for _ in range(50):
                await exchange(app, "POST", "/mcp", {**JSON, **BEARER}, b"{}")

        caplog.clear()
        asyncio.run(talk())
        assert len(caplog.records) == 1


def test_either_of_two_tokens_lets_in() -> None:
    both = [CallableSecret(lambda: "the-next-token"), CallableSecret(lambda: TOKEN)]
    assert ask(agent_token=both).status == 200
    fields = {"authorization": "Bearer the-next-token"}
    assert ask(fields=fields, agent_token=both).status == 200


def test_health_needs_no_token_and_tells_nothing_else() -> None:
    answer = ask(bare=True, path="/healthz", method="GET")
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
    assert (
        ask(bare=True, path="/healthz", method="GET", fields={"host": "10.0.0.7:8321"}).status
        == 200
    )
    assert ask(bare=True, path="/healthz", method="POST").status == 405


@pytest.mark.parametrize("path", ["/", "/mcp/", "/MCP", "/mcp/x", "/metrics", "/.well-known/x"])
def test_other_paths_are_not_there(path: str) -> None:
    assert ask(path=path).status == 404


# Host and Origin


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8321", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]:80"]
)
def test_loopback_names_are_served(host: str) -> None:
    assert ask(fields={"host": host}).status == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.test", 421),
        ("evil.test:8321", 421),
        ("localhost.evil.test", 421),
        ("127.0.0.1.evil.test", 421),
        ("10.0.0.1", 421),
        ("[::2]", 421),
        ("localhost@evil.test", 400),
        ("", 400),
        ("local host", 400),
    ],
)
def test_other_hosts_are_refused_before_the_token_is_looked_at(host: str, status: int) -> None:
    assert ask(fields={"host": host}).status == status
    assert ask(fields={"host": host}, bare=True).status == status


def test_allowed_hosts_and_origins_are_served() -> None:
    allowed: Any = {
        "allowed_hosts": ["Mcp.Example.com"],
        "allowed_origins": ["https://console.example.com"],
    }
    for host in ("mcp.example.com", "mcp.example.com:443", "MCP.EXAMPLE.COM."):
        assert ask(fields={"host": host}, **allowed).status == 200
    assert ask(fields={"host": "other.example.com"}, **allowed).status == 421
    for origin, status in (
        ("https://console.example.com", 200),
        ("https://console.example.com:443", 200),
        ("http://console.example.com", 403),
        ("https://console.example.com:8443", 403),
        ("https://evil.test", 403),
        ("null", 403),
        ("http://localhost:3000", 200),
        ("http://localhost.evil.test", 403),
    ):
        assert ask(fields={"origin": origin}, **allowed).status == status, origin
    assert ask(fields={"host": "any.thing"}, allowed_hosts=["*"]).status == 200


def test_no_answer_opens_itself_to_pages_or_caches() -> None:
    answer = ask(fields={"origin": "http://localhost:3000"})
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not any(name.startswith("access-control") for name in answer.headers)


# Media, methods, sizes


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_the_endpoint_takes_post_only(method: str) -> None:
    answer = ask(method=method)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"content-type": "application/json; charset=utf-8"}, 200),
        ({"content-type": "APPLICATION/JSON"}, 200),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/json; charset=latin-1"}, 415),
        ({"content-type": "application/jsonp"}, 415),
        ({"content-encoding": "gzip"}, 415),
        ({"accept": "*/*"}, 200),
        ({"accept": "text/event-stream"}, 200),
        ({"accept": "application/json, text/event-stream"}, 200),
        ({"accept": "application/json;q=0"}, 406),
        ({"accept": "*/*;q=0.0"}, 406),
    ],
)
def test_media_types_are_judged_by_what_they_exclude(fields: dict[str, str], status: int) -> None:
    assert ask(fields=fields).status == status


def test_a_body_beyond_the_limit_is_refused() -> None:
    limits = Limits(request_bytes=1000)
    assert ask({**PING, "params": {"x": "y" * 800}}, limits=limits).status == 200
    assert ask({**PING, "params": {"x": "y" * 1200}}, limits=limits).status == 413
    assert ask(fields={"content-length": "1001"}, limits=limits).status == 413
    assert ask(fields={"content-length": "9" * 30}, limits=limits).status == 413


def test_a_body_that_does_not_come_is_given_up() -> None:
    async def talk() -> int:
        app = wrap(echo, limits=Limits(request_seconds=0.01))
        found: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        async def receive() -> Any:
            await asyncio.Event().wait()

        fields = {**JSON, **BEARER, "host": "localhost"}
        headers = [(name.encode(), value.encode()) for name, value in fields.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
        await app(scope, receive, send)
        return found[0]

    assert asyncio.run(talk()) == 408
