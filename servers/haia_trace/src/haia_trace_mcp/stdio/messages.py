"""Lines and messages."""

from __future__ import annotations

import json
import logging
from typing import Final, cast

from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

LOG = logging.getLogger(__name__)
BATCHED: Final = "2025-03-26"
"""The one revision whose servers have to take several messages in one line."""

_UNREADABLE: Final = (
    "The message cannot be read: it is no request of JSON-RPC 2.0, is nested too deeply, or holds "
    "text that UTF-8 cannot express"
)


class UnreadableError(Exception):
    """Say that a line is no message: ``reply`` is the answer, where it can be told for whom."""

    def __init__(self, reply: JSONRPCError | None) -> None:
        super().__init__("a line is no message")
        self.reply = reply


def read_message(line: bytes | str) -> JSONRPCMessage:
    """Return the message of a line.

    Raises:
        UnreadableError: it is none.
    """
    try:
        message: JSONRPCMessage = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        request_id = _id_of(line)
        if request_id is None:
            raise UnreadableError(None) from error
        raise UnreadableError(failure(request_id, INVALID_REQUEST, _UNREADABLE)) from error
    return message


def read_batch(line: bytes) -> list[object] | None:
    """Return the members of a batch; None if the line is anything else."""
    if not line.lstrip().startswith(b"["):
        return None
    value = _decode(line)
    return cast("list[object]", value) or None if isinstance(value, list) else None


def is_modern(message: JSONRPCRequest) -> bool:
    """Tell whether a request brings its own revision with it, and needs no handshake."""
    meta: object = (message.params or {}).get("_meta")
    return (
        message.method != "initialize"
        and isinstance(meta, dict)
        and PROTOCOL_VERSION_META_KEY in meta
    )


def encode(message: JSONRPCMessage) -> bytes:
    """Return a message as a line. A result that cannot be encoded becomes an error."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:  # what pydantic raises for lone surrogates and for too deep values
        LOG.exception("an answer cannot be encoded")
        if not isinstance(message, JSONRPCResponse):
            raise
        return encode(failure(message.id, INTERNAL_ERROR, "Internal error"))


def failure(request_id: int | str, code: int, text: str) -> JSONRPCError:
    """Return an error in answer to a request."""
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text))


def _id_of(line: bytes | str) -> int | str | None:
    """Return the id of what should have been a request, if a client could find its answer by it."""
    value = _decode(line)
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, object]", value)
    request_id = members.get("id")
    if "method" not in members or isinstance(request_id, bool):
        return None
    if isinstance(request_id, str) and not request_id.isascii():
        return request_id if _is_utf8(request_id) else None
    return request_id if isinstance(request_id, int | str) else None


def _decode(line: bytes | str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_utf8(text: str) -> bool:
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False
