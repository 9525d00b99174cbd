"""The way to a server, whatever carries it."""

from __future__ import annotations

from typing import Protocol

from counterfoil.wire.errors import Reporter
from counterfoil.wire.messages import JsonObject
from counterfoil.wire.targets import StdioTarget, Target


class Channel(Protocol):
    """Carry requests to one server, in one revision, one at a time."""

    @property
    def reporter(self) -> Reporter:
        """Return what makes the errors of this channel."""
        ...

    def request(self, method: str, params: JsonObject) -> JsonObject:
        """Send a request and return its result, or raise WireError."""
        ...

    def notify(self, method: str) -> None:
        """Send a notification, or raise WireError."""
        ...

    def close(self) -> None:
        """Let the server go."""
        ...


def open_channel(target: Target, revision: str) -> Channel:
    """Start or address the server; nothing is asked yet.

    Only the carrier in question is imported: a server on stdio needs no ``http`` and ``ssl``.

    Raises:
        WireError: when the target cannot be used.
    """
    if isinstance(target, StdioTarget):
        from counterfoil.wire.stdio import StdioChannel

        return StdioChannel(target, revision)
    from counterfoil.wire.streamable import HttpChannel

    return HttpChannel(target, revision)
