"""Responses of the HTTP transport as bytes."""

from __future__ import annotations

import time
from email.utils import formatdate

from fairwins_mcp.jsonrpc import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwins_mcp.http.faults import HttpFault
    from fairwins_mcp.shapes import HeaderField

JSON = "application/json"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_PHRASES = {
    200: "OK",
    202: "Accepted",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    417: "Expectation Failed",
    421: "Misdirected Request",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}
# Answers are one member's data: no cache keeps them, and no browser guesses what they are. There
# is no CORS field on purpose, so no page reads them either.
_ALWAYS = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"


class Reply:
    """A response: ``status``, JSON ``body`` (empty for none), further header ``fields``."""

    __slots__ = ("body", "fields", "status")

    def __init__(self, status: int, body: bytes, fields: Sequence[HeaderField] = ()) -> None:
        self.status = status
        self.body = body
        self.fields = fields

    @classmethod
    def of(cls, fault: HttpFault) -> Reply:
        """Make the response that says why a request was refused."""
        body = encode({"error": {"code": fault.code, "reason": fault.reason}})
        return cls(fault.status, body, fault.fields)

    def render(self, is_last: bool, is_bodiless: bool = False) -> bytes:
        """Write the response.

        ``is_last`` announces the end of the connection; ``is_bodiless`` leaves out the body of an
        answer to HEAD.
        """
        lines = [f"HTTP/1.1 {self.status} {_PHRASES[self.status]}\r\n", _ALWAYS, _Clock.date()]
        if self.body:
            lines.append(f"Content-Type: {JSON}\r\n")
        lines.append(f"Content-Length: {len(self.body)}\r\n")
        lines += [f"{name}: {value}\r\n" for name, value in self.fields]
        lines.append("Connection: close\r\n\r\n" if is_last else "\r\n")
        head = "".join(lines).encode("latin-1")
        return head if is_bodiless else head + self.body


class _Clock:
    """Write the Date field, anew every second."""

    _second = 0
    _field = ""

    @classmethod
    def date(cls) -> str:
        now = int(time.time())
        if now != cls._second:
            cls._field = f"Date: {formatdate(now, usegmt=True)}\r\n"
            cls._second = now
        return cls._field
