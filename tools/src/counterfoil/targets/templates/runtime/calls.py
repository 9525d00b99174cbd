"""What a handler gets besides its arguments, and what it may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mcp.types import ContentBlock
from pydantic import BaseModel


class Progress(Protocol):
    """Send one progress notification to whoever waits for the call."""

    async def __call__(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Send it, if the caller asked for progress."""
        ...


async def _tell_nobody(
    progress: float, total: float | None = None, message: str | None = None
) -> None:
    """Stand in where nobody waits, as in a test of a handler."""


@dataclass(frozen=True)
class CallContext:
    """What is known of a call besides its typed arguments.

    What may hold a credential is left out of the ``repr``.

    Attributes:
        name: the tool's name, or the URI of the resource that is read.
        protocol_version: the MCP revision that the caller speaks.
        arguments: the arguments as they came, which keep the input schema. They tell apart what
            the typed view cannot, such as ``1`` and ``1.0``.
        headers: headers of the HTTP request, found in any case; ``None`` over stdio.
        request_id: the id of the JSON-RPC request.
        meta: the request's ``_meta``, which the client writes and not the model.
        progress: where progress goes.
    """

    name: str
    protocol_version: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    request_id: str | int | None = None
    meta: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    progress: Progress = field(default=_tell_nobody, repr=False)

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the caller how far the call is; nothing is sent to a caller that did not ask.

        Args:
            progress: how much is done; it rises from report to report.
            total: how much there is, if known.
            message: a sentence for people.
        """
        await self.progress(progress, total, message)


@dataclass(frozen=True)
class ToolResult:
    """A whole result, where an answer is more than its structured content.

    Attributes:
        structured: the ``structuredContent``: a generated model, or a JSON object.
        content: the content blocks; without them, one text block with the JSON of ``structured``.
        is_error: says that the call failed. Such a result is not held to the output schema.
        meta: the result's ``_meta``.
    """

    structured: BaseModel | Mapping[str, object] | None = None
    content: Sequence[ContentBlock] | None = None
    is_error: bool = False
    meta: Mapping[str, object] | None = None


class ToolFailure(Exception):
    """Answer a call with ``isError: true`` and a text that the model can act on.

    Args:
        text: what failed, in words that may leave the server.
        structured: a JSON object to send as ``structuredContent``; it is not held to the output
            schema.
    """

    def __init__(self, text: str, structured: Mapping[str, object] | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.structured = structured
