"""Bodies of requests: read within bounds, then taken for JSON-RPC messages."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard, cast

from starlette.datastructures import Headers
from starlette.types import Receive

from mcp_wrapper_scaffold.http.fields import only
from mcp_wrapper_scaffold.http.replies import HttpFault

_ZERO = re.compile(r"q=0(?:\.0{0,3})?")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONGEST_ID = 256


class ClientGone(Exception):
    """Say that the client closed the connection before its request was there."""


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """A JSON-RPC request; a message without a method that can be answered is none."""

    id: str | int
    method: str
    params: dict[str, Any] | None


def check_media(headers: Headers) -> None:
    """Refuse a body that is no JSON, and a client that takes none.

    An Accept field that merely does not name JSON is no reason to refuse: many clients send one.

    Raises:
        HttpFault: 415, 406.
    """
    kind, _, parameters = (only(headers, "content-type") or "").lower().partition(";")
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", parameters)
    if kind.strip() != "application/json" or (charset and charset[1] not in ("utf-8", "utf8")):
        raise HttpFault(415, "unsupported_media_type", "a message is application/json in UTF-8")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise HttpFault(415, "unsupported_media_type", "a message comes without compression")
    if _excludes_json(headers.get("accept", "")):
        raise HttpFault(406, "not_acceptable", "answers are application/json")


def _excludes_json(accept: str) -> bool:
    weights: dict[str, bool] = {}
    for item in accept.lower().split(","):
        kind, *parameters = (part.strip(" \t") for part in item.split(";"))
        weights[kind] = any(_ZERO.fullmatch(parameter) for parameter in parameters)
    for kind in ("application/json", "application/*", "*/*"):
        if kind in weights:
            return weights[kind]
    return False


async def read_body(headers: Headers, receive: Receive, limit: int, seconds: float) -> bytes:
    """Read a whole body.

    Raises:
        HttpFault: 413 beyond the limit, which is judged by the announced length first; 408.
        ClientGone: the client closed the connection.
    """
    too_large = HttpFault(413, "too_large", f"a body has at most {limit} bytes")
    length = headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > limit):
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                part: bytes = message.get("body", b"")
                size += len(part)
                if size > limit:
                    raise too_large
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        reason = f"a body is there within {seconds:g} seconds"
        raise HttpFault(408, "too_slow", reason) from None


def decode(body: bytes) -> object:
    """Return the JSON value of a body.

    Raises:
        ValueError: it is no JSON in UTF-8, or has a half of a surrogate pair, which no answer
            could repeat.
        RecursionError: it is nested too deeply.
    """
    value: object = json.loads(body.decode("utf-8"), parse_constant=_refuse)
    if _SURROGATE.search(body):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list)


def read_id(value: object) -> str | int | None:
    """Return the id under which a message can be answered, however broken the rest of it is."""
    found: object = value.get("id") if is_object(value) else None
    if isinstance(found, bool) or not isinstance(found, str | int):
        return None
    return found if isinstance(found, int) or len(found) <= _LONGEST_ID else None


def read_request(value: object) -> RpcRequest | None:
    """Return a JSON-RPC request, or None for what is none."""
    if not is_object(value) or value.get("jsonrpc") != "2.0":
        return None
    request_id = read_id(value)
    method: object = value.get("method")
    params: object = value.get("params")
    if request_id is None or not isinstance(method, str):
        return None
    if params is None:
        # A member that is null is none for the handshake revisions' clients.
        return RpcRequest(request_id, method, None)
    return RpcRequest(request_id, method, params) if is_object(params) else None


def is_notification(value: object) -> bool:
    """Tell whether a message asks for no answer, or is the answer to a question never asked."""
    if not is_object(value) or value.get("jsonrpc") != "2.0":
        return False
    if "id" in value:
        return "method" not in value and ("result" in value or "error" in value)
    params = cast("object", value.get("params", {}))
    return isinstance(value.get("method"), str) and isinstance(params, dict | None)
