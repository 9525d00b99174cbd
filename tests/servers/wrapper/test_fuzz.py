"""Random requests: whatever comes, an answer of the protocol goes, and no fault of the server."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wrapped import ANY, REVISIONS, TOKEN, tool, wrap

from mcp_wrapper_scaffold import Context
from mcp_wrapper_scaffold.testing.client import Answer, exchange

EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "100"))
STATUSES = {200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 421}
METHODS = [
    "initialize", "ping", "server/discover", "tools/list", "tools/call", "prompts/list",
    "prompts/get", "resources/list", "resources/templates/list", "resources/read",
    "completion/complete", "logging/setLevel", "subscriptions/listen", "no/such",
    "notifications/initialized", "notifications/cancelled",
]  # fmt: skip
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["echo", "other"]) | JUNK
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "_meta": st.just(META) | JUNK,
        "name": NAMES,
        "arguments": st.dictionaries(st.text(max_size=4), JUNK, max_size=3) | JUNK,
        "cursor": JUNK,
        "protocolVersion": st.sampled_from(REVISIONS) | JUNK,
        "capabilities": st.just({}) | JUNK,
        "clientInfo": st.just({"name": "c", "version": "1"}) | JUNK,
        "uri": JUNK,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS)},
    optional={"id": st.integers() | st.text(max_size=8) | JUNK, "params": PARAMS | JUNK},
)
BODIES = (
    MESSAGES.map(json.dumps).map(str.encode)
    | st.lists(MESSAGES, max_size=4).map(json.dumps).map(str.encode)
    | JUNK.map(json.dumps).map(str.encode)
    | st.binary(max_size=40)
)
VALUES = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=12)
FIELDS = st.fixed_dictionaries(
    {"content-type": st.just("application/json") | VALUES},
    optional={
        "mcp-protocol-version": st.sampled_from(REVISIONS) | VALUES,
        "mcp-method": st.sampled_from(METHODS) | VALUES,
        "mcp-name": st.just("echo") | VALUES,
        "accept": VALUES,
        "origin": VALUES,
        "host": st.just("localhost") | VALUES,
        "authorization": VALUES,
        "mcp-param-a": VALUES,
    },
)


async def echo(args: dict[str, Any], ctx: Context) -> object:
    return {"got": args}


APP = wrap(
    tool(echo, input_schema={**ANY, "properties": {"a": {"x-mcp-header": "A", "type": "string"}}})
)


def send(fields: dict[str, str], body: bytes) -> Answer:
    return asyncio.run(exchange(APP, "POST", "/mcp", fields, body))


def assert_answered(answer: Answer) -> None:
    assert answer.status in STATUSES
    if answer.status == 202:
        assert answer.body == b""
        return
    document = answer.json()
    replies = document if isinstance(document, list) else [document]
    assert replies
    for reply in replies:
        if reply.get("jsonrpc") == "2.0":
            assert ("result" in reply) != ("error" in reply)
        else:
            assert set(reply["error"]) == {"code", "reason"}
            assert answer.status != 200


@settings(max_examples=EXAMPLES)
@given(FIELDS, BODIES)
def test_any_request_of_an_allowed_caller_is_answered(fields: dict[str, str], body: bytes) -> None:
    assert_answered(send({**fields, "authorization": f"Bearer {TOKEN}"}, body))


@settings(max_examples=EXAMPLES)
@given(FIELDS, BODIES)
def test_no_request_without_the_token_gets_further(fields: dict[str, str], body: bytes) -> None:
    answer = send(fields, body)
    assert answer.status in (400, 401, 403, 421)
    assert_answered(answer)


@settings(max_examples=EXAMPLES)
@given(MESSAGES, st.sampled_from(REVISIONS))
def test_messages_with_the_fields_that_go_with_them_are_answered(
    message: dict[str, Any], version: str
) -> None:
    fields = {
        "content-type": "application/json",
        "mcp-protocol-version": version,
        "mcp-method": message["method"],
        "mcp-name": "echo",
        "authorization": f"Bearer {TOKEN}",
    }
    assert_answered(send(fields, json.dumps(message).encode()))


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog: pytest.LogCaptureFixture) -> Any:
    yield
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
