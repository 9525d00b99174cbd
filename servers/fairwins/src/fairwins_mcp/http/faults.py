"""Requests that are answered on the level of HTTP, before any message is read."""

from __future__ import annotations

from fairwins_mcp.errors import FairwinsMcpError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.shapes import HeaderField


class HttpFault(FairwinsMcpError):
    """Refuse a request: HTTP ``status``, a ``code`` for programs, a ``reason`` for people."""

    def __init__(
        self, status: int, code: str, reason: str, fields: tuple[HeaderField, ...] = ()
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code
        self.reason = reason
        self.fields = fields
