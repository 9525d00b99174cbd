"""Why a request is refused before it reaches the server, and why a server does not start."""

from __future__ import annotations

import json

from haia_trace_mcp.errors import HaiaTraceError


class HttpSetupError(HaiaTraceError):
    """Say which option or address cannot be used, and why."""


class HttpFault(HaiaTraceError):
    """Refuse a request with a status, a code for machines and a sentence for people."""

    def __init__(self, status: int, code: str, reason: str, *fields: tuple[bytes, bytes]) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code
        self.reason = reason
        self.fields = fields

    def body(self) -> bytes:
        """Return the refusal as JSON, with the members of RFC 6750's errors."""
        told = {"error": self.code, "error_description": self.reason}
        return json.dumps(told, ensure_ascii=False).encode("utf-8")
