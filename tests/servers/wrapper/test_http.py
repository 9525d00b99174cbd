"""Messages on the wire: JSON-RPC, and the fields that go with it, in every revision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from asked import BEARER, JSON, META, MODERN, PING, ask
from mcp.server import Server
from wrapped import TOKEN, wrap

from mcp_wrapper_scaffold import CallableSecret, Context, create_wrapper_server
from mcp_wrapper_scaffold.testing.client import Answer, WrapperClient, exchange

LEGACY = "2025-11-25"


def modern(method: str, params: Mapping[str, object] | None = None) -> Any:
    inner = {**(params or {}), "_meta": dict(META)}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": inner}


def modern_fields(method: str, **more: str) -> dict[str, str]:
    return {"mcp-protocol-version": MODERN, "mcp-method": method, **more}


def error_of(answer: Answer) -> tuple[int, int]:
    return answer.status, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff", -32700),
        (b'{"a": NaN}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}', -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"9" * 5000 + b"}", -32700),
        (b"5", -32600),
        (b'"ping"', -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
        (b'{"jsonrpc":"2.0","method":5}', -32600),
        (b"[]", -32600),
    ],
)
def test_what_is_no_request_is_refused_with_400(body: bytes, code: int) -> None:
    assert error_of(ask(body)) == (400, code)


@pytest.mark.parametrize("request_id", ["abc", "", 0, -1, 2**53, "ü"])
def test_the_answer_has_the_id_of_the_request(request_id: object) -> None:
    for version in (LEGACY, MODERN):
        body = {**modern("tools/list"), "id": request_id}
        if version == LEGACY:
            body.pop("params")
        fields = modern_fields("tools/list") if version == MODERN else {}
        assert ask(body, fields).json()["id"] == request_id


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/whatever", "params": None},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
    ],
)
def test_what_asks_for_no_answer_gets_none(message: object) -> None:
    for fields in ({}, {"mcp-protocol-version": LEGACY}, {"mcp-protocol-version": MODERN}):
        answer = ask(message, fields)
        assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize(
    ("version", "status"), [("2025-11-25", 200), ("2026-07-28", 404), (None, 200)]
)
def test_an_unknown_method_is_not_found(version: str | None, status: int) -> None:
    for method in ("logging/setLevel", "resources/subscribe", "no/such", "subscriptions/listen"):
        is_modern = version == MODERN
        body = modern(method) if is_modern else {**PING, "method": method}
        fields = modern_fields(method) if is_modern else {}
        if version == LEGACY:
            fields = {"mcp-protocol-version": version}
        assert error_of(ask(body, fields)) == (status, -32601), method


def test_resources_and_prompts_are_empty_and_not_absent() -> None:
    for method, member in (
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ):
        answer = ask(modern(method), modern_fields(method)).json()["result"]
        assert answer[member] == []
        refused = ask(modern(method, {"cursor": "x"}), modern_fields(method))
        assert error_of(refused) == (400, -32602)
    read = ask(
        modern("resources/read", {"uri": "a:b"}),
        modern_fields("resources/read", **{"mcp-name": "a:b"}),
    )
    assert error_of(read) == (400, -32602)
    assert read.json()["error"]["data"] == {"uri": "a:b"}
    old = {**PING, "method": "resources/read", "params": {"uri": "a:b"}}
    assert error_of(ask(old)) == (200, -32002)
    get = {**PING, "method": "prompts/get", "params": {"name": "x"}}
    assert error_of(ask(get)) == (200, -32602)


# Revisions and their fields


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_handshake_answers_in_the_revision_that_was_asked_for(version: str) -> None:
    info = {"name": "client", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    answer = ask({**PING, "method": "initialize", "params": params}).json()["result"]
    assert answer["protocolVersion"] == version
    assert answer["serverInfo"]["name"] == "mcp-wrapper"
    assert "mcp-session-id" not in ask().headers


@pytest.mark.parametrize("version", ["1999-01-01", MODERN])
def test_a_handshake_for_another_revision_is_answered_with_the_latest_one(version: str) -> None:
    info = {"name": "client", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    answer = ask({**PING, "method": "initialize", "params": params}).json()["result"]
    assert answer["protocolVersion"] == "2025-11-25"


CALL = modern("tools/call", {"name": "echo", "arguments": {"a": "b"}})
CALL_FIELDS = modern_fields("tools/call", **{"mcp-name": "echo", "mcp-param-a": "b"})


def test_a_call_whose_fields_agree_is_served() -> None:
    assert ask(CALL, CALL_FIELDS).json()["result"]["got"] == {"a": "b"}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"mcp-protocol-version": "2099-01-01"}, -32020),
        ({"mcp-protocol-version": LEGACY}, -32020),
        ({"mcp-method": "tools/list"}, -32020),
        ({"mcp-method": "Tools/Call"}, -32020),
        ({"mcp-name": "other"}, -32020),
        ({"mcp-name": "=?base64?!?="}, -32020),
        ({"mcp-param-a": "c"}, -32020),
    ],
)
def test_fields_that_differ_from_the_body_are_a_mismatch(fields: dict[str, str], code: int) -> None:
    assert error_of(ask(CALL, {**CALL_FIELDS, **fields})) == (400, code)


@pytest.mark.parametrize("name", ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-a"])
def test_a_field_that_is_missing_is_a_mismatch(name: str) -> None:
    fields = {key: value for key, value in CALL_FIELDS.items() if key != name}
    assert error_of(ask(CALL, fields)) == (400, -32020)


def test_an_encoded_name_is_decoded_before_it_is_compared() -> None:
    fields = {**CALL_FIELDS, "mcp-name": "=?base64?ZWNobw==?=", "mcp-param-a": " b "}
    assert ask(CALL, fields).status == 200


def test_an_envelope_that_lacks_its_parts_is_refused() -> None:
    for missing in META:
        body = modern("tools/list")
        del body["params"]["_meta"][missing]
        assert error_of(ask(body, modern_fields("tools/list"))) == (400, -32602)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert error_of(ask(body, modern_fields("tools/list"))) == (400, -32602)


def test_a_revision_that_is_not_served_is_refused_with_those_that_are() -> None:
    version = "2099-01-01"
    body = modern("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version
    fields = {**modern_fields("tools/list"), "mcp-protocol-version": version}
    answer = ask(body, fields)
    assert error_of(answer) == (400, -32022)
    assert answer.json()["error"]["data"] == {"supported": [MODERN], "requested": version}
    note = {"jsonrpc": "2.0", "method": "notifications/x"}
    assert error_of(ask(note, {"mcp-protocol-version": version})) == (400, -32022)


def test_arrays_are_served_where_the_revision_has_them() -> None:
    batch = [
        PING,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**PING, "id": "two", "method": "tools/call", "params": {"name": "echo"}},
        {**PING, "id": 3, "method": "no/such"},
        5,
    ]
    for fields in ({}, {"mcp-protocol-version": "2025-03-26"}):
        replies = ask(batch, fields).json()
        assert [reply["id"] for reply in replies] == [1, "two", 3, None]
        assert replies[1]["result"]["got"] == {}
        assert [reply.get("error", {}).get("code") for reply in replies[2:]] == [-32601, -32600]
    for version in ("2025-06-18", "2025-11-25", MODERN):
        assert error_of(ask(batch, {"mcp-protocol-version": version})) == (400, -32600)
    notes = [{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2
    assert ask(notes).status == 202
    assert error_of(ask([PING] * 21)) == (400, -32600)


def test_an_answer_is_owed_even_if_the_server_has_a_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def lookup(name: str) -> Any:
        if name == "echo":
            raise RuntimeError(f"a fault near {TOKEN}")

    async def talk() -> Answer:
        server: Any = Server("x", get_tool_input_schema=lookup)
        app = create_wrapper_server(
            bind=lambda context: server,
            agent_token=CallableSecret(lambda: TOKEN),
            allowlist=[],
        )
        body = json.dumps(CALL).encode()
        async with WrapperClient(app, TOKEN):
            return await exchange(app, "POST", "/mcp", {**JSON, **BEARER, **CALL_FIELDS}, body)

    answer = asyncio.run(talk())
    assert answer.status == 500
    assert answer.json()["error"] == {"code": -32603, "message": "Internal error"}
    assert answer.json()["id"] == 1
    assert "a request failed" in caplog.text
    assert TOKEN not in caplog.text


def test_a_handler_sees_neither_the_token_nor_the_request() -> None:
    seen: list[Any] = []

    async def look(args: dict[str, Any], ctx: Context) -> object:
        seen.append([getattr(ctx, name) for name in dir(ctx) if not name.startswith("__")])
        return {}

    async def talk() -> None:
        async with WrapperClient(wrap(look), TOKEN) as client:
            await client.call_tool("look")

    asyncio.run(talk())
    assert TOKEN not in repr(seen)
