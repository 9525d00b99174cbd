"""The gate: what it lets through is sent, and nothing else is."""

from __future__ import annotations

import json as json_text
import math
import re
import ssl
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import anyio

from mcp_wrapper_scaffold.allowlist import METHODS, Allowlist, Entry
from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate.addresses import Resolve, resolve_host
from mcp_wrapper_scaffold.gate.headers import FieldLines, has_field, read_headers
from mcp_wrapper_scaffold.gate.response import AnswerHeaders, FetchResponse
from mcp_wrapper_scaffold.gate.transport import (
    Network,
    PublicNetwork,
    Request,
    Transport,
    exchange,
)
from mcp_wrapper_scaffold.gate.url import Target, read_target

OnDenied = Callable[[GatedFetchDenied], None]

DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_MAX_RESPONSE_BYTES: Final = 8 * 1024 * 1024

_WORD = re.compile(r"[A-Za-z]+")
_NO_JSON: Final = ...


class Fetch(Protocol):
    """Send one permitted request and return its whole answer.

    ``headers`` are the caller's own; ``json`` is any value of JSON, None too, and excludes
    ``content``; ``timeout`` is in seconds, covers the whole exchange, and can only shorten the
    wrapper's. Nothing else can be given.

    Raises:
        GatedFetchDenied: no entry of the allowlist permits the request. It is raised by the call
            itself, before anything is awaited or sent.
        FetchError: while awaiting, that there is no usable answer.
    """

    def __call__(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: bytes | str | None = None,
        json: object = ...,
        timeout: float | None = None,
    ) -> Coroutine[Any, Any, FetchResponse]:
        """Send one permitted request and return its whole answer."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call that passed every check."""

    method: str
    target: Target
    lines: FieldLines
    content: bytes | None
    timeout: float


class Gate:
    """Hold an allowlist and the connections it permits; a wrapper has one."""

    def __init__(
        self,
        allowlist: Allowlist | Iterable[Entry],
        *,
        public_only: bool = False,
        timeout: float = DEFAULT_TIMEOUT,
        max_response_bytes: int = DEFAULT_MAX_RESPONSE_BYTES,
        max_connections: int = 100,
        ssl_context: ssl.SSLContext | None = None,
        network: Network | None = None,
        resolve: Resolve = resolve_host,
    ) -> None:
        """Compile the allowlist; connect nowhere yet.

        Args:
            allowlist: what may be sent.
            public_only: refuse names with an address that is not public, at each connection.
            timeout: seconds that a whole exchange may take, waiting for a connection included.
            max_response_bytes: the largest body of an answer, decoded.
            max_connections: how many connections an origin may have; further calls wait.
            ssl_context: whom to trust; the system's authorities where it is None.
            network: opens connections: the seam of tests.
            resolve: finds addresses for ``public_only``: the seam of tests.

        Raises:
            DeclarationError: an entry of the allowlist is refused.
        """
        self.allowlist: Final = (
            allowlist if isinstance(allowlist, Allowlist) else Allowlist(allowlist)
        )
        self._timeout = _seconds(timeout)
        self._max_response_bytes = max_response_bytes
        self._transport = Transport(
            self._recheck,
            network=PublicNetwork(resolve, network) if public_only else network,
            ssl_context=ssl_context,
            max_connections=max_connections,
        )

    def fetch(self, on_denied: OnDenied) -> Fetch:
        """Return the function that one call of a tool is given.

        ``on_denied`` is told of each denial before it is raised, so that a handler that swallows
        the exception does not hide it.
        """

        def fetch(
            url: str,
            *,
            method: str = "GET",
            headers: Mapping[str, str] | None = None,
            content: bytes | str | None = None,
            json: object = _NO_JSON,
            timeout: float | None = None,
            **options: object,
        ) -> Coroutine[Any, Any, FetchResponse]:
            try:
                _refuse_options(options)
                lines = read_headers(headers)
                word = _read_method(method)
                target = read_target(url, word)
                self._decide(word, target)
            except GatedFetchDenied as denied:
                on_denied(denied)
                raise
            body, lines = _read_body(content, json, lines)
            seconds = self._timeout if timeout is None else min(_seconds(timeout), self._timeout)
            return self._send(Call(word, target, lines, body, seconds), on_denied)

        return fetch

    async def aclose(self) -> None:
        """Close every connection; a later fetch fails."""
        await self._transport.aclose()

    def _decide(self, method: str, target: Target) -> None:
        methods = self.allowlist.methods(target.origin, target.path)
        if methods is not None and method in methods:
            return
        code = "origin" if methods is None else "method" if methods else "path"
        raise GatedFetchDenied(code, method=method, origin=target.origin, path=target.path)

    def _recheck(self, request: Request) -> None:
        # What is sent is judged by itself, whatever was decided about the call.
        target = read_target(str(request.url), request.method)
        self._decide(_read_method(request.method), target)

    async def _send(self, call: Call, on_denied: OnDenied) -> FetchResponse:
        target = call.target
        request = Request(call.method, target.url, headers=list(call.lines), content=call.content)
        place = {"method": call.method, "origin": target.origin, "path": target.path}
        try:
            with anyio.fail_after(call.timeout):
                answer = await exchange(self._transport, request, self._max_response_bytes)
        except GatedFetchDenied as denied:
            on_denied(denied)
            raise
        except TimeoutError as error:
            detail = f"{call.timeout:g} s"
            raise FetchError("timed_out", **place, detail=detail) from error
        return FetchResponse(answer.status, AnswerHeaders(answer.lines), answer.content, **place)


def _refuse_options(options: Mapping[str, object]) -> None:
    if options:
        raise GatedFetchDenied("extensions", detail=", ".join(sorted(options))[:200])


def _read_method(method: object) -> str:
    if type(method) is str and _WORD.fullmatch(method):
        word = method.upper()
        if word in METHODS:
            return word
        raise GatedFetchDenied("method", method=word[:20])
    raise GatedFetchDenied("method")


def _read_body(
    content: bytes | str | None, json: object, lines: FieldLines
) -> tuple[bytes | None, FieldLines]:
    if json is _NO_JSON:
        return (content.encode() if isinstance(content, str) else content), lines
    if content is not None:
        raise TypeError("content and json exclude each other")
    body = json_text.dumps(json, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not has_field(lines, "content-type"):
        lines = (*lines, ("Content-Type", "application/json"))
    return body.encode(), lines


def _seconds(timeout: float) -> float:
    if isinstance(timeout, bool) or not (math.isfinite(timeout) and timeout > 0):
        raise ValueError("a timeout is a finite number of seconds above 0")
    return float(timeout)
