"""The exceptions of this distribution and the numbers that JSON-RPC and MCP give to failures."""

from __future__ import annotations

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # handshake revisions only: 2026-07-28 forbids it
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022


class FairwinsMcpError(Exception):
    """Stand for every failure that this distribution raises on purpose."""


class SnapshotError(FairwinsMcpError):
    """Say that the vendored snapshot cannot be served."""


class SchemaError(FairwinsMcpError):
    """Say that a JSON Schema cannot be compiled: malformed, or in need of something outside."""


class RpcError(FairwinsMcpError):
    """Answer a request with a JSON-RPC error: ``code``, ``message`` and optional ``data``."""

    def __init__(self, code: int, message: str, data: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ArgumentError(FairwinsMcpError):
    """Say which arguments of a call do not fit: ``faults`` holds (JSON pointer, sentence) pairs."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__(f"{len(faults)} argument fault(s)")
        self.faults = faults


class ApiError(FairwinsMcpError):
    """Say why the Member API gave no usable answer.

    ``code`` is the API's own code or one of this server's (``api_unconfigured``, ``token_missing``,
    ``token_unusable``, ``api_timeout``, ``api_unreachable``, ``invalid_response``, ``unreadable``,
    ``http_<status>``); ``reason`` is a sentence without its full stop; ``retry_after`` counts
    seconds. ``is_sent`` is False when the request certainly never left. ``body`` is an answer that
    says more than its reason, as it came.
    """

    def __init__(
        self,
        code: str,
        reason: str,
        retry_after: int | None = None,
        is_sent: bool = True,
        body: str = "",
    ) -> None:
        super().__init__(code)
        self.code = code
        self.reason = reason
        self.retry_after = retry_after
        self.is_sent = is_sent
        self.body = body

    def describe(self, what: str) -> str:
        """Say that ``what`` did not succeed, with all that is known of why."""
        text = f"{what} did not succeed: {self.code} — {self.reason.rstrip('.')}."
        if self.retry_after is not None:
            text += f" Retry after {self.retry_after} s."
        if self.body:
            text += f" The API's answer: {self.body.strip()}"
        return text


class CancelledCallError(FairwinsMcpError):
    """End a call whose caller no longer wants the answer."""


def shorten(text: str, limit: int = 80) -> str:
    """Make foreign text fit for a message: one line, printable, at most ``limit`` code points.

    Lone surrogates become visible escapes, since some clients drop a line that holds one.
    """
    clipped = text if len(text) <= limit else text[: limit - 1] + "…"
    printable = "".join(char if char.isprintable() else " " for char in escape_surrogates(clipped))
    return " ".join(printable.split())


def escape_surrogates(text: str) -> str:
    """Spell lone surrogates as backslash escapes and leave every other character alone."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
