"""The one module that knows the HTTP library: its parser, its requests, its connections.

The parser that decides is the parser that sends. No client of the library is used: it would keep
cookies across callers, write URLs with their queries to the log, and bring mounts, event hooks,
proxies from the environment and redirects along.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anyio

# The former names httpx and httpcore fit here too.
import httpcore2 as httpcore
import httpx2 as httpx

from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate.addresses import Resolve, is_address, is_public

URL = httpx.URL
InvalidURL = httpx.InvalidURL
Request = httpx.Request
Network = httpcore.AsyncNetworkBackend

Recheck = Callable[[httpx.Request], None]

_KEPT_SECONDS = 15.0
_KEPT_CONNECTIONS = 20
# While there is another address to try; the last one has all the time of the call.
_ATTEMPT_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: status, field lines, decoded body."""

    status: int
    lines: tuple[tuple[str, str], ...]
    content: bytes


class AddressRefused(Exception):
    """Say that a name has an address that is not public."""


class Transport(httpx.AsyncBaseTransport):
    """Send requests, each checked once more, over connections kept by origin.

    An origin has connections of its own, so that a slow one takes none away from another.
    """

    def __init__(
        self,
        recheck: Recheck,
        *,
        network: Network | None = None,
        ssl_context: ssl.SSLContext | None = None,
        max_connections: int = 100,
    ) -> None:
        """Connect nowhere yet.

        Args:
            recheck: raises GatedFetchDenied for a request that is not to be sent.
            network: opens connections; the system's network where it is None.
            ssl_context: whom to trust; the system's authorities where it is None.
            max_connections: how many an origin may have; further calls wait.
        """
        self._recheck = recheck
        self._network = network
        self._ssl_context = ssl_context
        self._max_connections = max_connections
        self._pools: dict[tuple[bytes, bytes, int | None], httpcore.AsyncConnectionPool] = {}
        self._is_closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Check a request and send it; the body of the answer is still to be read.

        Raises:
            GatedFetchDenied: the request is none that the gate lets through.
        """
        self._recheck(request)
        url = request.url
        answer = await self._pool(url).handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    async def aclose(self) -> None:
        """Close every connection; nothing is sent after that."""
        self._is_closed = True
        while self._pools:
            _, pool = self._pools.popitem()
            await pool.aclose()

    def _pool(self, url: httpx.URL) -> httpcore.AsyncConnectionPool:
        place = (url.raw_scheme, url.raw_host, url.port)
        pool = self._pools.get(place)
        if pool is None:
            if self._is_closed:
                raise FetchError("closed")
            if self._ssl_context is None and url.scheme == "https":
                self._ssl_context = httpx.create_ssl_context(trust_env=False)
            pool = self._pools[place] = httpcore.AsyncConnectionPool(
                ssl_context=self._ssl_context,
                max_connections=self._max_connections,
                max_keepalive_connections=_KEPT_CONNECTIONS,
                keepalive_expiry=_KEPT_SECONDS,
                network_backend=self._network,
            )
        return pool


class _Body(httpx.AsyncByteStream):
    """The encoded body of an answer; closing it ends its connection if anything is unread."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        stream = self._answer.stream
        assert isinstance(stream, AsyncIterable)
        async for part in stream:
            yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


class PublicNetwork(httpcore.AsyncNetworkBackend):
    """Connect to names whose addresses are all public; a name is resolved once a connection.

    The connection goes to an address that was checked, while the name stays in the TLS greeting
    and in the Host field. A host that is written as an address was declared as one, and is let
    through.
    """

    def __init__(self, resolve: Resolve, network: Network | None = None) -> None:
        self._resolve = resolve
        self._network = network or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers.

        Raises:
            AddressRefused: one of the addresses is not public; none was connected to.
        """
        *others, last = await self._addresses(host, port)
        for address in others:
            try:
                return await self._network.connect_tcp(
                    address, port, _ATTEMPT_SECONDS, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._network.connect_tcp(last, port, timeout, local_address, socket_options)

    async def _addresses(self, host: str, port: int) -> list[str]:
        if is_address(host):
            return [host]
        try:
            addresses = list(await self._resolve(host, port))
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        if not addresses:
            raise httpcore.ConnectError("the name has no address")
        if not all(map(is_public, addresses)):
            raise AddressRefused(host)
        return addresses


async def exchange(transport: Transport, request: httpx.Request, limit: int) -> Answer:
    """Send a request and read the whole answer.

    Raises:
        GatedFetchDenied: the transport does not let it through.
        FetchError: there is no answer, or none of at most ``limit`` bytes.
    """
    method, origin = request.method, f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"
    path = request.url.raw_path.partition(b"?")[0].decode("ascii")
    with _failures(method, origin, path):
        response = await transport.handle_async_request(request)
        try:
            content = await _read(response, limit)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()
    if content is None:
        detail = f"more than {limit} bytes"
        raise FetchError("too_large", method=method, origin=origin, path=path, detail=detail)
    lines = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw
    )
    return Answer(response.status_code, lines, content)


async def _read(response: httpx.Response, limit: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
    return b"".join(parts)


@contextmanager
def _failures(method: str, origin: str, path: str) -> Iterator[None]:
    try:
        yield
    except AddressRefused as error:
        raise GatedFetchDenied("address", method=method, origin=origin, path=path) from error
    except httpx.DecodingError as error:
        raise FetchError("undecodable", method=method, origin=origin, path=path) from error
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        code = "tls" if isinstance(error.__cause__, ssl.SSLError) else "unreachable"
        raise FetchError(code, method=method, origin=origin, path=path) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
        raise FetchError("broken", method=method, origin=origin, path=path) from error
