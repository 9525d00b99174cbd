"""The gate: what it lets through is sent, and nothing else is."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, Final, Protocol

import anyio

from mcp_wrapper_scaffold.allowlist import Allowlist, Entry
from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate.addresses import Resolve, resolve_host
from mcp_wrapper_scaffold.gate.headers import FieldLines
from mcp_wrapper_scaffold.gate.request import (
    NO_JSON,
    Call,
    judge_request,
    read_body,
    read_call,
    read_seconds,
)
from mcp_wrapper_scaffold.gate.response import AnswerHeaders, FetchResponse
from mcp_wrapper_scaffold.gate.transport import Network, PublicNetwork, Request, Transport

OnDenied = Callable[[GatedFetchDenied], None]
IsOver = Callable[[], bool]

DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_MAX_RESPONSE_BYTES: Final = 8 * 1024 * 1024


class Fetch(Protocol):
    """Send one permitted request and return its whole answer."""

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
        """Send one permitted request and return its whole answer.

        There are no other options, and positional ones neither.

        Args:
            url: an absolute URL, with its query.
            method: GET, HEAD or POST, in any case.
            headers: fields beside those that the gate writes itself.
            content: the body; text goes out as UTF-8.
            json: the body as a value of JSON, None too.
            timeout: seconds for the whole exchange; it can only shorten the wrapper's own.

        Raises:
            GatedFetchDenied: no entry of the allowlist permits the request. The call itself
                raises it, before anything is awaited or sent; only ``address``, which takes a
                look at the name servers, is raised while awaiting.
            FetchError: while awaiting, that there is no usable answer.
        """
        ...


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
            max_response_bytes: the largest body of an answer, as it comes and decoded.
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
        self._timeout = read_seconds(timeout)
        self._transport = Transport(
            lambda request: judge_request(self.allowlist, request),
            max_response_bytes=max_response_bytes,
            max_connections=max_connections,
            ssl_context=ssl_context,
            network=PublicNetwork(resolve, network) if public_only else network,
        )

    def fetch(self, on_denied: OnDenied, is_over: IsOver = lambda: False) -> Fetch:
        """Return the function that one call of a tool is given.

        Args:
            on_denied: is told of each denial before it is raised, so that a handler that swallows
                the exception does not hide it.
            is_over: tells whether the call has ended. From then on nothing is sent, not even what
                was asked for in time and put aside.
        """

        def fetch(
            url: str,
            *,
            method: str = "GET",
            headers: Mapping[str, str] | None = None,
            content: bytes | str | None = None,
            json: object = NO_JSON,
            timeout: float | None = None,
            **options: object,
        ) -> Coroutine[Any, Any, FetchResponse]:
            try:
                _check_time(is_over)
                call = read_call(self.allowlist, url, method, headers, options)
            except GatedFetchDenied as denied:
                on_denied(denied)
                raise
            body, lines = read_body(content, json, call.lines)
            seconds = self._timeout if timeout is None else read_seconds(timeout)
            return send(call, body, lines, min(seconds, self._timeout))

        async def send(
            call: Call, body: bytes | None, lines: FieldLines, seconds: float
        ) -> FetchResponse:
            try:
                _check_time(is_over)
                return await self._send(call.request(body, lines), seconds)
            except GatedFetchDenied as denied:
                on_denied(denied)
                raise

        return fetch

    async def aclose(self) -> None:
        """Close every connection; a later fetch fails."""
        await self._transport.aclose()

    async def _send(self, request: Request, seconds: float) -> FetchResponse:
        place = self._transport.place(request)
        try:
            with anyio.fail_after(seconds):
                answer = await self._transport.exchange(request)
        except TimeoutError as error:
            raise FetchError("timed_out", **place, detail=f"{seconds:g} s") from error
        return FetchResponse(answer.status, AnswerHeaders(answer.lines), answer.content, **place)


def _check_time(is_over: IsOver) -> None:
    if is_over():
        raise GatedFetchDenied("call_over")
