"""The one MCP path: POSTs made fit for the SDK's transport, which serves all revisions.

The transport runs without sessions and answers in JSON. What it refuses although clients in use
rely on it, or the oldest revisions have it, is made up for here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INVALID_REQUEST, PARSE_ERROR
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from haia_trace_mcp.http.bodies import BODY_BYTES, ClientGone, read_body, replay
from haia_trace_mcp.http.eras import (
    BATCH_MEMBERS,
    EraFault,
    check_id,
    check_version,
    first_object,
    rpc_error,
    takes_batches,
)
from haia_trace_mcp.http.errors import HttpFault
from haia_trace_mcp.http.replies import guarded, read_headers, send_fault, send_reply
from haia_trace_mcp.oauth.strict_json import is_array

_ACCEPT: Final = b"application/json, text/event-stream"
_ZERO = re.compile(r"q=0(?:\.0{0,3})?")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Endpoint:
    """Answer POSTs of admitted callers, while ``manager`` runs. It is an ASGI application."""

    def __init__(self, server: Server[Any]) -> None:
        self.manager: Final = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=BODY_BYTES
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = read_headers(scope)
        try:
            if scope["method"] != "POST":
                reason = "this path takes POST only"
                raise HttpFault(405, "method_not_allowed", reason, (b"allow", b"POST"))
            if _excludes_json(headers.get("accept", "")):
                raise HttpFault(406, "not_acceptable", "answers are application/json")
            body = await read_body(headers, receive)
            message = _decode(body)
            check_version(headers, first_object(message))
            check_id(message)
        except HttpFault as fault:
            await send_fault(send, fault)
        except EraFault as fault:
            await send_reply(send, 400, _encode(fault.error))
        except ClientGone:
            return
        else:
            await self._serve(_acceptable(scope), headers, body, message, receive, send)

    async def _serve(
        self,
        scope: Scope,
        headers: Headers,
        body: bytes,
        message: object,
        receive: Receive,
        send: Send,
    ) -> None:
        if is_array(message) and takes_batches(headers):
            await self._serve_batch(scope, message, receive, send)
        else:
            await self.manager.asgi_app(scope, replay(body, receive), guarded(send))

    async def _serve_batch(
        self, scope: Scope, messages: list[object], receive: Receive, send: Send
    ) -> None:
        if not 0 < len(messages) <= BATCH_MEMBERS:
            reason = f"a batch has 1 to {BATCH_MEMBERS} messages"
            await send_reply(send, 400, _encode(rpc_error(None, INVALID_REQUEST, reason)))
            return
        answers: list[bytes] = []
        for message in messages:
            collected = _Collected()
            body = _encode(message)
            await self.manager.asgi_app(_sized(scope, body), replay(body, receive), collected.send)
            if collected.body and collected.is_json:
                answers.append(bytes(collected.body))
            elif collected.status >= 400:
                answers.append(_encode(rpc_error(message, INVALID_REQUEST, "Invalid request")))
        if answers:
            await send_reply(send, 200, b"[" + b",".join(answers) + b"]")
        else:
            await send_reply(send, 202, b"")


class _Collected:
    """One response, kept instead of sent."""

    def __init__(self) -> None:
        self.status = 0
        self.is_json = False
        self.body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            kind = dict(message.get("headers", ())).get(b"content-type", b"")
            self.is_json = kind.startswith(b"application/json")
        else:
            self.body += message.get("body", b"")


def _decode(body: bytes) -> object:
    """Return the JSON value of a body.

    Raises:
        EraFault: it is no JSON in UTF-8, is nested too deeply, or has a half of a surrogate pair,
            which no answer could repeat.
    """
    try:
        value: object = json.loads(body.decode("utf-8"))
        if _SURROGATE.search(body):
            _encode(value)
    except (ValueError, RecursionError) as error:
        raise EraFault(None, PARSE_ERROR, "Parse error") from error
    return value


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _acceptable(scope: Scope) -> Scope:
    """Return a request as the transport wants it: one whose Accept names both of its media types.

    Many clients name neither, or only one, and take JSON nevertheless.
    """
    kept = [pair for pair in scope["headers"] if pair[0].lower() != b"accept"]
    return {**scope, "headers": [*kept, (b"accept", _ACCEPT)]}


def _sized(scope: Scope, body: bytes) -> Scope:
    kept = [pair for pair in scope["headers"] if pair[0].lower() != b"content-length"]
    return {**scope, "headers": [*kept, (b"content-length", str(len(body)).encode())]}


def _excludes_json(accept: str) -> bool:
    """Tell whether a client says that it does not take JSON; not naming it says nothing."""
    weights: dict[str, bool] = {}
    for item in accept.lower().split(","):
        kind, *parameters = (part.strip(" \t") for part in item.split(";"))
        weights[kind] = any(_ZERO.fullmatch(parameter) for parameter in parameters)
    for kind in ("application/json", "application/*", "*/*"):
        if kind in weights:
            return weights[kind]
    return False
