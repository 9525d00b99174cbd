"""Responses, and the reasons for which a request is refused before it is a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import Send

from mcp_wrapper_scaffold.envelope import encode as text_of
from mcp_wrapper_scaffold.errors import WrapperError

# Answers are for one caller: no cache keeps them, no browser guesses what they are. There is no
# CORS field on purpose.
_ALWAYS: Final = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


class HttpFault(WrapperError):
    """Refuse a request with a status, a code for machines and a sentence for people."""

    def __init__(
        self, status: int, code: str, reason: str, fields: tuple[tuple[bytes, bytes], ...] = ()
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code
        self.reason = reason
        self.fields = fields

    def body(self) -> bytes:
        """Return the refusal as JSON."""
        return encode({"error": {"code": self.code, "reason": self.reason}})


def encode(value: object) -> bytes:
    """Return a value as compact JSON in UTF-8."""
    return text_of(value).encode("utf-8")


def result_of(request_id: object, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON-RPC response to a request that was carried out."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_of(request_id: object, code: int, message: str, data: object = None) -> dict[str, Any]:
    """Return the JSON-RPC response to a request that failed; id None where none could be read."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


async def send_reply(
    send: Send, status: int, body: bytes, fields: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """Send a whole response; without a body, it has no content type either."""
    always = _ALWAYS if body else _ALWAYS[1:]
    length = (b"content-length", str(len(body)).encode())
    headers = [*always, length, *fields]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_fault(send: Send, fault: HttpFault) -> None:
    """Send a refusal."""
    await send_reply(send, fault.status, fault.body(), fault.fields)
