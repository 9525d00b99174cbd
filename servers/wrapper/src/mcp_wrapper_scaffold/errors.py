"""What can go wrong in a wrapper; every exception of this distribution comes from one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

DENIALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "call_over": "the call of the tool that this fetch belonged to has ended",
        "extensions": "the call has an option that the gate does not take",
        "header": "the call has a header field that the gate does not send",
        "method": "no entry of the allowlist permits this method here",
        "too_long": "the URL is longer than 8192 characters",
        "bad_characters": "the URL has characters that are not sent as they are written",
        "not_absolute_http": "the URL is no absolute http or https URL",
        "userinfo": "the URL has a user before the host",
        "bad_authority": "the URL has no plain host and port",
        "ambiguous_path": "servers read this path in more than one way",
        "unparsable": "the client cannot parse the URL",
        "origin": "no entry of the allowlist has this origin",
        "path": "no entry of the allowlist has this path",
        "address": "the host has an address that is not public",
    }
)
"""The codes of a denial, in the order of the checks, and what each says."""

FAILURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unreachable": "no connection could be made",
        "tls": "no trusted TLS connection could be made",
        "timed_out": "it took longer than the call has",
        "broken": "the connection broke, or what came is no HTTP",
        "too_large": "the answer is larger than the gate takes",
        "undecodable": "the body of the answer cannot be decoded",
        "not_json": "the answer is no JSON text",
        "closed": "the gate has been closed",
    }
)
"""The codes of a failed exchange, and what each says."""


_SHOWN = 200


class WrapperError(Exception):
    """Be the base of every exception of this distribution."""


class DeclarationError(WrapperError):
    """Say which entry of an allowlist cannot be declared, and why.

    Attributes:
        entry: the entry in words.
        reason: what is wrong, and with which of its fields.
        number: the place of the entry in its list, from 1; None for an entry alone.
    """

    def __init__(self, entry: str, reason: str, number: int | None = None) -> None:
        super().__init__(entry, reason, number)
        self.entry = entry
        self.reason = reason
        self.number = number

    def __str__(self) -> str:
        place = "" if self.number is None else f" {self.number}"
        return f"allowlist entry{place} ({self.entry}): {self.reason}"


class RequestFault(WrapperError):
    """Say what became of one request.

    No query, user, header value or body is in it: each may hold a credential. A part that was
    not yet found sound when the fault was found is empty.

    Attributes:
        code: a key of the class's table of sentences.
        method: GET, HEAD or POST.
        origin: scheme, host and port.
        path: the path without a query.
        detail: one clause more, or nothing.
    """

    sentences: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self, code: str, *, method: str = "", origin: str = "", path: str = "", detail: str = ""
    ) -> None:
        super().__init__(code, method, origin, path, detail)
        self.code = code
        self.method = method
        self.origin = origin
        self.path = path
        self.detail = detail

    def __str__(self) -> str:
        path = self.path if len(self.path) <= _SHOWN else f"{self.path[:_SHOWN]}..."
        place = " ".join(filter(None, (self.method, self.origin + path))) or "a request"
        clause = f" ({self.detail})" if self.detail else ""
        return f"{place}: {self.sentences[self.code]}{clause}"

    def __reduce__(self) -> tuple[object, ...]:
        state = {"code": self.code, "method": self.method, "origin": self.origin}
        return (_restore, (type(self), {**state, "path": self.path, "detail": self.detail}))


class GatedFetchDenied(RequestFault):
    """Say that the gate did not let a request through: nothing was sent."""

    sentences = DENIALS


class FetchError(RequestFault):
    """Say that a permitted request had no usable answer."""

    sentences = FAILURES


def _restore(kind: type[RequestFault], state: dict[str, str]) -> RequestFault:
    return kind(state.pop("code"), **state)
