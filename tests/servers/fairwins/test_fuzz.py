"""Bytes that nobody chose, over both transports: no crash, and no answer that is none."""

from __future__ import annotations

import json
import os
from typing import Any

import hypothesis.strategies as st
from hypothesis import example, given, settings

from fairwins_mcp.caller import Caller
from fairwins_mcp.http.callers import Callers
from fairwins_mcp.http.connection import Connection
from fairwins_mcp.http.connections import Connections
from fairwins_mcp.http.endpoint import Endpoint
from fairwins_mcp.http.gates import Gate
from fairwins_mcp.http.limits import Limits
from fairwins_mcp.protocol import Protocol
from fairwins_mcp.settings import Settings
from fairwins_mcp.stdio import Connection as StdioConnection
from fairwins_mcp.surface import Surface, load_snapshot
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier

MODERN = "2026-07-28"
# `nox -s fuzz` tries many more.
EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "50"))
SURFACE = Surface(load_snapshot())
METHODS = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "notifications/cancelled",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "server/discover",
    "tools/call",
    "tools/list",
]
FIELDS = [
    "Accept",
    "Authorization",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "Expect",
    "Host",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
    "Origin",
    "PAYMENT-SIGNATURE",
    "Transfer-Encoding",
    "X-PAYMENT",
]
NOTES: list[str] = []
PROTOCOL = Protocol(SURFACE, Settings.from_environment({}), NOTES.append)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
keys = st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
versions = st.sampled_from([MODERN, "2025-11-25"])
metas = st.one_of(
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "io.modelcontextprotocol/protocolVersion": st.sampled_from([MODERN, "2025-11-25"])
            | values,
            "io.modelcontextprotocol/clientCapabilities": st.just({}) | values,
            "x402/payment": values,
        },
    ),
)
params = st.one_of(
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["get_wagers", "get_token_news", "wager-review"]) | values,
            "uri": st.sampled_from(["fairwins://guide", "fairwins://status"]) | values,
            "arguments": values,
            "ref": st.just({"type": "ref/prompt", "name": "wager-review"}) | values,
            "argument": st.just({"name": "chainId", "value": ""}) | values,
            "cursor": values,
            "protocolVersion": values,
            "_meta": metas,
        },
    ),
)
messages = st.one_of(
    values,
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS) | values},
        optional={"id": st.integers() | st.text(max_size=5) | values, "params": params},
    ),
)
bodies = st.one_of(
    st.binary(max_size=60),
    messages.map(lambda message: json.dumps(message).encode()),
    st.lists(messages, max_size=4).map(lambda items: json.dumps(items).encode()),
    messages.map(lambda message: json.dumps(message).encode()[:-1]),
)
fields = st.dictionaries(
    st.sampled_from(FIELDS),
    st.sampled_from(
        [MODERN, "2025-03-26", "tools/list", "chunked", "close", "0", "5", "localhost", "null"]
    )
    | st.text(st.characters(min_codepoint=0, max_codepoint=255), max_size=12),
    max_size=5,
)


class Output:
    """Collect what the stdio transport writes."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: memoryview, /) -> int:
        self.written += data
        return len(data)

    def fileno(self) -> int:
        raise AssertionError("nothing here waits for a call")


class Source:
    """Hand out lines as a binary stream does."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = [line + b"\n" for line in lines]

    def readline(self, limit: int = -1) -> bytes:
        return self._lines.pop(0) if self._lines else b""


class Transport:
    """Collect what the HTTP transport writes."""

    def __init__(self) -> None:
        self.written = b""
        self.is_over = False

    def write(self, data: bytes) -> None:
        assert not self.is_over
        self.written += data

    def end(self) -> None:
        self.is_over = True

    write_eof = close = abort = end

    def pause_reading(self) -> None:
        """Nothing is read anyway."""

    resume_reading = pause_reading


def check_reply(reply: Any) -> None:
    assert reply["jsonrpc"] == "2.0"
    assert ("result" in reply) != ("error" in reply)
    assert "id" in reply


def feed_http(chunks: list[bytes]) -> Transport:
    limits = Limits()
    endpoint = Endpoint(PROTOCOL, SURFACE, Callers(None), Gate([], [], True), limits)
    connections = Connections(
        endpoint,
        limits,
        lambda: 0.0,
        lambda call, deliver: deliver(call, BlockingCarrier().run(call.steps())),
        NOTES.append,
    )
    connection, transport = Connection(connections), Transport()
    connection.connection_made(transport)
    for chunk in chunks:
        connection.data_received(chunk)
    connection.eof_received()
    connection.connection_lost(None)
    return transport


def check_http(written: bytes) -> None:
    """Take responses apart by their own lengths; what they hold is JSON, or nothing."""
    while written:
        head, gap, written = written.partition(b"\r\n\r\n")
        assert gap
        lines = head.decode("latin-1").split("\r\n")
        assert lines[0].startswith("HTTP/1.1 ")
        told = dict(line.lower().split(": ", 1) for line in lines[1:])
        if lines[0] == "HTTP/1.1 100 Continue":
            continue
        assert told["cache-control"] == "no-store"
        size = int(told["content-length"])
        body, written = written[:size], written[size:]
        if body and not written.startswith(b"HTTP/1.1 "):
            document = json.loads(body)
            for reply in document if isinstance(document, list) else [document]:
                if "jsonrpc" in reply:
                    check_reply(reply)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(bodies, max_size=4))
@example([b"\xff", b"[]", b"{}", b"[1]"])
def test_lines_that_nobody_chose_get_replies_or_nothing(lines: list[bytes]) -> None:
    NOTES.clear()
    output, caller = Output(), Caller.from_environment({})
    connection = StdioConnection(PROTOCOL, caller, output, NOTES.append, lambda _: None)
    ping = b'{"jsonrpc":"2.0","id":"last","method":"ping"}'
    one_a_line = [line.translate(None, b"\r\n") for line in lines]
    source: Any = Source([*one_a_line, ping])
    connection.serve(source)
    replies = [json.loads(line) for line in output.written.splitlines()]
    for reply in replies:
        for item in reply if isinstance(reply, list) else [reply]:
            check_reply(item)
    assert replies[-1]["id"] == "last"
    assert not [note for note in NOTES if note.startswith("internal error")]


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.binary(max_size=80), max_size=5))
@example([b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"])
def test_bytes_that_nobody_chose_get_responses_or_nothing(chunks: list[bytes]) -> None:
    NOTES.clear()
    check_http(feed_http(chunks).written)
    assert NOTES == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(bodies, fields, st.sampled_from([1, 7, 4096]), st.booleans())
def test_posts_that_nobody_chose_get_responses(
    body: bytes, odd: dict[str, str], step: int, is_modern: bool
) -> None:
    NOTES.clear()
    told = {"Host": "localhost", "Content-Type": "application/json"}
    told["Content-Length"] = str(len(body))
    if is_modern:
        told |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
    told |= odd
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    data = f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body
    transport = feed_http([data[start : start + step] for start in range(0, len(data), step)])
    check_http(transport.written)
    if not odd:
        assert transport.written.startswith(b"HTTP/1.1 ")
    assert NOTES == []
