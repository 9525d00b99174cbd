"""JSON-RPC 2.0 framing: read one message, write one reply, whatever the bytes are."""

from __future__ import annotations

import json

from fairwins_mcp.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    FairwinsMcpError,
    RpcError,
)
from fairwins_mcp.values import is_object, is_request_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    from fairwins_mcp.shapes import JsonObject, RequestId

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


MAX_DIGITS = 4000  # below the limit on conversions between integers and text
MAX_FLOAT = 1.7976931348623157e308


class Verbatim:
    """JSON text on one line, to stand in a message as it is: its numbers keep their spelling."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Request:
    """A request: ``id`` as the peer wrote it, ``method``, and ``params`` (empty when left out)."""

    __slots__ = ("id", "method", "params")

    def __init__(self, request_id: RequestId, method: str, params: JsonObject) -> None:
        self.id = request_id
        self.method = method
        self.params = params


class Notification:
    """A notification: never answered, not even with an error."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: JsonObject) -> None:
        self.method = method
        self.params = params


class MessageError(FairwinsMcpError):
    """Refuse what is no message.

    ``request_id`` is the id to answer, or None where it could not be read: MCP has no null id, and
    real clients disagree on an error without one, so such a message can only be dropped.
    """

    def __init__(self, request_id: RequestId | None, error: RpcError) -> None:
        super().__init__(error.message)
        self.request_id = request_id
        self.error = error


def decode(line: bytes) -> object:
    """Parse one line of UTF-8 JSON.

    Refuses what Python's parser lets through and JSON does not have: NaN, the infinities, and
    numbers that only fit a float as infinity.

    Raises:
        MessageError: the line is no such JSON.
    """
    try:
        return parse(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        sentence = (
            "Parse error: nested too deeply"
            if isinstance(error, RecursionError)
            else "Parse error: not JSON in UTF-8, or with a number out of range"
        )
        from fairwins_mcp.salvage import find_id  # most clients never send a broken line

        found = find_id(line.decode("utf-8", "replace"))
        raise MessageError(found, RpcError(PARSE_ERROR, sentence)) from error


def parse(text: str) -> object:
    """Parse JSON text strictly; raise ValueError or RecursionError when that is not possible."""
    value: object = _decode(text)
    return value


def parse_leniently(text: str) -> object:
    """Parse JSON text to look at it: numbers that Python cannot hold become other huge ones.

    Raises what ``parse`` raises, except for a number's size.
    """
    value: object = _decode_leniently(text)
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _read_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("number out of range")
    return value


def _read_integer_roughly(text: str) -> int:
    """Read an integer; one that is too long for Python's limit keeps its sign and first digits."""
    if len(text) <= MAX_DIGITS:
        return int(text)
    return int(text[:MAX_DIGITS])


def _read_float_roughly(text: str) -> float:
    return max(-MAX_FLOAT, min(MAX_FLOAT, float(text)))


# Made once: ``json.loads`` would make it for every message.
_decode = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_read_float).decode
_decode_leniently = json.JSONDecoder(
    parse_constant=_refuse_constant,
    parse_float=_read_float_roughly,
    parse_int=_read_integer_roughly,
).decode


def classify(message: object) -> Request | Notification | None:
    """Tell what a parsed message is; None stands for a response, which nobody here waits for.

    Raises:
        MessageError: it is none of these. The id is given when it is a string or an integer.
    """
    if not is_object(message):
        raise MessageError(None, RpcError(INVALID_REQUEST, "Invalid request: not an object"))
    request_id: object = message.get("id")
    readable = request_id if _is_id(request_id) else None
    if "method" not in message and ("result" in message or "error" in message):
        return None
    fault = _find_fault(message)
    if fault is not None:
        raise MessageError(readable, RpcError(INVALID_REQUEST, f"Invalid request: {fault}"))
    params: object = message.get("params", {})
    if not is_object(params):
        raise MessageError(readable, RpcError(INVALID_PARAMS, "Invalid params: not an object"))
    if "id" not in message:
        return Notification(message["method"], params)
    return Request(message["id"], message["method"], params)


def _find_fault(fields: JsonObject) -> str | None:
    if fields.get("jsonrpc") != "2.0":
        return 'member "jsonrpc" is not "2.0"'
    if "id" in fields and not _is_id(fields["id"]):
        return "id is neither a string nor an integer"
    if not isinstance(fields.get("method"), str):
        return "method is not a string"
    return None


def _is_id(value: object) -> TypeGuard[RequestId]:
    return is_request_id(value)


def encode(value: object) -> bytes:
    """Write JSON in UTF-8, on one line and without needless escapes.

    A lone surrogate can only stand in a string, where its backslash form is a JSON escape, so the
    bytes stay valid UTF-8 and valid JSON. A member of an object may be ``Verbatim``, if that object
    is the value itself.
    """
    return _write(value).encode("utf-8", "backslashreplace")


def _write(value: object) -> str:
    if not is_object(value) or not any(isinstance(item, Verbatim) for item in value.values()):
        return _encode(value)
    members = (
        f"{_encode(key)}:{item.text if isinstance(item, Verbatim) else _encode(item)}"
        for key, item in value.items()
    )
    return "{" + ",".join(members) + "}"


def encode_result(request_id: RequestId, result: bytes) -> bytes:
    """Wrap an encoded result in a response."""
    return b'{"jsonrpc":"2.0","id":' + encode(request_id) + b',"result":' + result + b"}"


def encode_error(request_id: RequestId | None, error: RpcError) -> bytes:
    """Write an error response.

    None, written as null, is for a transport that has to answer whatever came: JSON-RPC has it for
    requests whose id could not be read.
    """
    body: JsonObject = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return encode({"jsonrpc": "2.0", "id": request_id, "error": body})
