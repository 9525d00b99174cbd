"""Requests and answers as the rest of the package sees them: no HTTP library in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairwins_gateway.errors import Refusal
from fairwins_gateway.jsontext import JsonObject, dump


@dataclass(frozen=True)
class Inbound:
    """A request.

    Attributes:
        path: values of the path's parameters.
        query: names and values in the order in which they came.
        headers: names in lower case, with the very bytes that came; may hold a credential.
        body: the body as it came.
        host: the Host header, as far as it may be believed.
        address: the address that the request came from.
    """

    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Sequence[tuple[str, str]] = ()
    headers: Sequence[tuple[str, bytes]] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    host: str = "127.0.0.1"
    address: str = "127.0.0.1"

    def header(self, name: str) -> list[str]:
        """Return every value of a header, byte for character."""
        return [value.decode("latin-1") for known, value in self.headers if known == name]


@dataclass(frozen=True)
class Reply:
    """An answer: HTTP status, JSON body, and headers beside those that every answer has."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def data(document: JsonObject) -> Reply:
    """Answer with data."""
    return Reply(200, dump(document))


def envelope(refusal: Refusal) -> Reply:
    """Write a refusal as the Member API does: one object ``error`` with ``code``, ``reason``."""
    headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
    body = dump({"error": {"code": refusal.code, "reason": refusal.reason}})
    return Reply(refusal.status, body, headers)
