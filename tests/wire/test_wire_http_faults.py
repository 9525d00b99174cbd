"""The wire client against servers that break HTTP itself."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from counterfoil.wire import HttpTarget, WireError, read_surface

Outcome = Callable[[dict[str, Any]], dict[str, Any]]
ServeRaw = Callable[..., str]
MODERN = "2026-07-28"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def failure(url: str, timeout: float = 30) -> WireError:
    with pytest.raises(WireError) as caught:
        read_surface(HttpTarget(url, timeout=timeout), MODERN)
    return caught.value


def bodies(outcome: Outcome) -> list[bytes]:
    """Return the answers to the two requests that read a server with only tools."""
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}
    methods = ["server/discover", "tools/list"]
    messages = [
        {"id": number, "method": method, "params": meta}
        for number, method in enumerate(methods, start=1)
    ]
    return [json.dumps(outcome(message)).encode() for message in messages]


def sized(head: bytes, body: bytes) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"


def slowly(data: bytes) -> Iterator[bytes]:
    """Yield single bytes at a pace that no timeout on one operation would notice."""
    pace = threading.Event()
    for at in range(min(len(data), 200)):
        yield data[at : at + 1]
        pace.wait(0.05)


def test_an_idle_connection_that_the_server_closed_is_opened_again(
    serve_raw: ServeRaw, outcome: Outcome
) -> None:
    url = serve_raw(*(sized(HEAD, body) for body in bodies(outcome)))
    assert read_surface(HttpTarget(url), MODERN).tools


def test_a_connection_is_kept_over_chunked_streams(serve_raw: ServeRaw, outcome: Outcome) -> None:
    answers = [
        EVENTS + CHUNKED + chunk(b"data: " + body[:40]) + chunk(body[40:] + b"\n\n") + b"0\r\n\r\n"
        for body in bodies(outcome)
    ]
    assert read_surface(HttpTarget(serve_raw(*answers, hold=True)), MODERN).tools


def test_a_stream_that_is_left_open_does_not_hold_the_next_request(
    serve_raw: ServeRaw, outcome: Outcome
) -> None:
    answers = [EVENTS + CHUNKED + chunk(b"data: " + body + b"\n\n") for body in bodies(outcome)]
    assert read_surface(HttpTarget(serve_raw(*answers, hold=True)), MODERN).tools


def test_a_body_that_ends_with_the_connection_is_read(
    serve_raw: ServeRaw, outcome: Outcome
) -> None:
    head = HEAD.replace(b"1.1", b"1.0") + b"\r\n"
    url = serve_raw(*(head + body for body in bodies(outcome)))
    assert read_surface(HttpTarget(url), MODERN).tools


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "malformed", "is not HTTP"),
        (b"", "ended", "before the answer to server/discover was whole"),
        (HEAD + b"Content-Length: 100\r\n\r\n{", "ended", "was whole"),
        (HEAD + CHUNKED + b"5\r\n{", "ended", "was whole"),
        (HEAD + CHUNKED + b"zz\r\n{", "ended", "was whole"),
        (HEAD + b"X: y\r\n" * 200 + b"\r\n", "malformed", "is not HTTP"),
        (HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n", "malformed", "is not HTTP"),
    ],
    ids=["ssh", "nothing", "short", "short chunk", "bad chunk", "many headers", "long header"],
)
def test_an_answer_that_is_not_whole_http_is_an_error(
    serve_raw: ServeRaw, answer: bytes, kind: str, said: str
) -> None:
    error = failure(serve_raw(answer))
    assert error.kind == kind
    assert said in error.what


@pytest.mark.parametrize(
    "answer",
    [b"", HEAD, HEAD + b"Content-Length: 10\r\n\r\n{", EVENTS + CHUNKED + chunk(b": wait\n\n")],
    ids=["nothing", "headers", "body", "stream"],
)
def test_an_answer_that_stops_is_given_up_in_time(serve_raw: ServeRaw, answer: bytes) -> None:
    assert failure(serve_raw(answer, hold=True), timeout=0.3).kind == "timed-out"


@pytest.mark.parametrize(
    "answer",
    [HEAD + b"X: " + b"y" * 500, HEAD + b"\r\n" + b" " * 500, EVENTS + b"\r\n" + b":\n" * 500],
    ids=["headers", "body", "stream"],
)
def test_an_answer_that_drips_is_given_up_in_time(serve_raw: ServeRaw, answer: bytes) -> None:
    # Were the deadline one for each read, the drip would last, and then the connection end.
    start, drip = answer[:-450], answer[-450:]

    def parts() -> Iterator[bytes]:
        yield start
        yield from slowly(drip)

    assert failure(serve_raw(parts()), timeout=0.4).kind == "timed-out"


def test_events_without_end_are_given_up_in_time(serve_raw: ServeRaw) -> None:
    def parts() -> Iterator[bytes]:
        yield EVENTS + b"\r\n"
        for _ in slowly(b" " * 200):
            yield b'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'

    assert failure(serve_raw(parts()), timeout=0.4).kind == "timed-out"


@pytest.mark.parametrize("head", [HEAD, EVENTS], ids=["body", "stream"])
def test_an_answer_is_bounded(serve_raw: ServeRaw, head: bytes) -> None:
    def parts() -> Iterator[bytes]:
        yield head + b"\r\n"
        for _ in range(70):
            yield b" " * (1 << 20)

    error = failure(serve_raw(parts()))
    assert error.kind == "too-large"
    assert "exceeds 64 MiB" in error.what
