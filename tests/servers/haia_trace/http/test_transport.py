"""The endpoint behind the door: every revision, and what clients in use send."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from rpc_post import LATEST, post, request, send, stateless, stateless_fields

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CALL = {"name": "list_operations", "arguments": {}}


def read_rows(result: Mapping[str, Any]) -> list[str]:
    told = json.loads(result["content"][0]["text"])
    return [row["operation_id"] for row in told["operations"]]


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_handshake_settles_the_revision_that_was_asked_for(unguarded: str, version: str) -> None:
    hello = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    answer = post(unguarded, request("initialize", hello))
    assert answer.json["result"]["protocolVersion"] == version
    assert answer.json["result"]["serverInfo"]["name"] == "haia-trace-mcp"
    assert "mcp-session-id" not in answer.fields
    fields = {"MCP-Protocol-Version": version}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert post(unguarded, note, fields).status == 202
    called = post(unguarded, request("tools/call", CALL), fields)
    assert called.status == 200
    assert read_rows(called.json["result"]) == ["op-2", "op-1"]


def test_the_newest_revision_needs_no_handshake(unguarded: str) -> None:
    found = post(unguarded, stateless("server/discover"), stateless_fields("server/discover"))
    assert set(found.json["result"]["supportedVersions"]) >= {LATEST}
    fields = stateless_fields("tools/call", **{"Mcp-Name": "list_operations"})
    called = post(unguarded, stateless("tools/call", CALL), fields)
    assert called.json["result"]["resultType"] == "complete"
    assert read_rows(called.json["result"]) == ["op-2", "op-1"]


@pytest.mark.parametrize(
    "fields",
    [
        {"Mcp-Method": "tools/list"},
        {"Mcp-Name": "explain"},
        {"MCP-Protocol-Version": "2025-11-25"},
    ],
)
def test_fields_that_differ_from_the_body_are_a_mismatch(
    unguarded: str, fields: dict[str, str]
) -> None:
    given = {**stateless_fields("tools/call", **{"Mcp-Name": "list_operations"}), **fields}
    assert post(unguarded, stateless("tools/call", CALL), given).code == (400, -32020)


def test_a_version_in_the_body_alone_or_twice_in_the_fields_is_a_mismatch(unguarded: str) -> None:
    assert post(unguarded, stateless("tools/list")).code == (400, -32020)
    body = json.dumps(request("tools/list")).encode()
    twice = [("Content-Type", "application/json")] + [("MCP-Protocol-Version", "2025-11-25")] * 2
    assert send(unguarded, body, twice).code == (400, -32020)


def test_a_revision_that_is_not_served_is_refused_with_those_that_are(unguarded: str) -> None:
    message = json.loads(json.dumps(stateless("tools/list")).replace(LATEST, "2031-01-01"))
    fields = {**stateless_fields("tools/list"), "MCP-Protocol-Version": "2031-01-01"}
    answer = post(unguarded, message, fields)
    assert answer.code == (400, -32022)
    assert LATEST in answer.json["error"]["data"]["supported"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"Accept": "*/*"},
        {"Accept": "application/json"},
        {"Accept": "text/event-stream"},
        {"Accept": "application/json, text/event-stream"},
        {"Accept": "text/html"},
    ],
)
@pytest.mark.parametrize("version", [None, LATEST])
def test_clients_are_served_whatever_they_forget_to_accept(
    unguarded: str, fields: dict[str, str], version: str | None
) -> None:
    message = request("tools/list") if version is None else stateless("tools/list")
    given = {} if version is None else stateless_fields("tools/list")
    answer = post(unguarded, message, {**given, **fields})
    assert (answer.status, answer.fields["content-type"]) == (200, "application/json")
    assert answer.fields["cache-control"] == "no-store"
    assert answer.fields["x-content-type-options"] == "nosniff"


def test_a_client_that_takes_no_json_gets_none(unguarded: str) -> None:
    fields = {"Accept": "application/json;q=0, text/event-stream"}
    assert post(unguarded, request("tools/list"), fields).status == 406


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_the_endpoint_takes_post_only(unguarded: str, method: str) -> None:
    answer = send(unguarded, method=method)
    assert (answer.status, answer.fields["allow"]) == (405, "POST")


def test_a_body_beyond_the_limit_is_refused(unguarded: str) -> None:
    large = request("tools/call", {"name": "explain", "arguments": {"x": "y" * (1 << 20)}})
    assert post(unguarded, large).status == 413
    chunked = [("Content-Type", "application/json"), ("Content-Length", "9" * 30)]
    assert send(unguarded, b"", chunked, method="PUT").status in (400, 405)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b"[" * 50_000,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}',
        b"7",
        b"null",
        b'"x"',
        b"[]",
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
        b'{"id":1,"method":"ping"}',
    ],
)
@pytest.mark.parametrize("fields", [{}, {"MCP-Protocol-Version": LATEST}])
def test_what_is_no_message_is_refused_and_harms_nobody(
    unguarded: str, body: bytes, fields: dict[str, str]
) -> None:
    answer = post(unguarded, body, fields)
    assert answer.status == 400
    assert b"Traceback" not in answer.body
    assert post(unguarded, request("ping")).json["result"] == {}


def test_arrays_are_served_where_the_revision_has_them(unguarded: str) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [request("ping", id="a"), note, request("tools/call", CALL, id=2), 7]
    for fields in ({}, {"MCP-Protocol-Version": "2025-03-26"}):
        answer = post(unguarded, batch, fields)
        assert answer.status == 200
        first, second, third = answer.json
        assert (first["id"], first["result"]) == ("a", {})
        assert read_rows(second["result"]) == ["op-2", "op-1"]
        assert third["error"]["code"] in (-32600, -32602)
        assert post(unguarded, [note], fields).status == 202
        assert post(unguarded, [], fields).status == 400
        assert post(unguarded, [request("ping")] * 21, fields).status == 400
    for version in ("2025-06-18", "2025-11-25", LATEST):
        assert post(unguarded, batch, {"MCP-Protocol-Version": version}).status == 400


@pytest.mark.parametrize("version", [*HANDSHAKES, LATEST])
def test_no_revision_offers_a_way_to_approve(unguarded: str, version: str) -> None:
    if version == LATEST:
        answer = post(unguarded, stateless("tools/list"), stateless_fields("tools/list"))
    else:
        answer = post(unguarded, request("tools/list"), {"MCP-Protocol-Version": version})
    names = {tool["name"] for tool in answer.json["result"]["tools"]}
    assert names == {
        "check_before_pay", "explain", "get_receipt", "get_review_status", "list_operations",
    }  # fmt: skip


@pytest.mark.parametrize("fields", [{}, {"MCP-Protocol-Version": "2025-11-25"}])
def test_failures_tell_nothing_of_the_inside(unguarded: str, fields: dict[str, str]) -> None:
    unknown = post(unguarded, request("tools/call", {"name": "approve", "arguments": {}}), fields)
    assert unknown.json["error"]["code"] == -32602
    wrong = post(unguarded, request("tools/call", {"name": "explain", "arguments": {}}), fields)
    assert wrong.json["result"]["isError"] is True
    assert post(unguarded, request("nothing/here"), fields).json["error"]["code"] == -32601
