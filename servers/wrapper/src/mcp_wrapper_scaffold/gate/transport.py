"""The one module that knows the HTTP library: its parser, its requests, its connections.

The parser that decides is the parser that sends. No client of the library is used: it would keep
cookies across callers, write URLs with their queries to the log, and bring mounts, event hooks,
proxies from the environment and redirects along.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypedDict, cast

import anyio

# The former names, httpx and httpcore, fit here too.
import httpcore2 as httpcore
import httpx2 as httpx

from mcp_wrapper_scaffold.errors import FetchError, GatedFetchDenied
from mcp_wrapper_scaffold.gate.addresses import Resolve, is_address, is_public

URL = httpx.URL
InvalidURL = httpx.InvalidURL
Request = httpx.Request
Network = httpcore.AsyncNetworkBackend
NetworkStream = httpcore.AsyncNetworkStream
# What a network raises.
ConnectError = httpcore.ConnectError
WriteError = httpcore.WriteError
# To its types it is another class where anyio is not installed.
SystemNetwork = cast("type[httpcore.AsyncNetworkBackend]", httpcore.AnyIOBackend)

# What Accept-Encoding asks for; with any other the body would be passed on undecoded.
_CODINGS: Final = frozenset({"", "deflate", "gzip", "identity"})
_KEPT_SECONDS: Final = 5.0
_KEPT_CONNECTIONS: Final = 20
# While there is another address to try; the last one has all the time of the call.
_ATTEMPT_SECONDS: Final = 3.0


class Place(TypedDict):
    """What may be told of a request in a message."""

    method: str
    origin: str
    path: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: status, field lines, decoded body."""

    status: int
    lines: tuple[tuple[str, str], ...]
    content: bytes


class AddressRefused(Exception):
    """Say that a name has an address that is not public."""


class TooLarge(Exception):
    """Say that the body of an answer is beyond its limit."""


class CodingUnknown(Exception):
    """Say that an answer is in a content coding that was not asked for."""


def origin_of(url: httpx.URL) -> str:
    """Return scheme, host and port as they go to the wire."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def path_of(url: httpx.URL) -> str:
    """Return the path as it goes to the wire, without the query."""
    return url.raw_path.partition(b"?")[0].decode("ascii")


class Transport(httpx.AsyncBaseTransport):
    """Send requests, each judged once more, over connections that are kept by origin.

    An origin has connections of its own, so that a slow one takes none away from another.
    """

    def __init__(
        self,
        judge: Callable[[httpx.Request], None],
        *,
        max_response_bytes: int,
        max_connections: int,
        ssl_context: ssl.SSLContext | None = None,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        """Connect nowhere yet; ``judge`` raises GatedFetchDenied for what is not to be sent."""
        if max_response_bytes <= 0 or max_connections <= 0:
            raise ValueError("max_response_bytes and max_connections are numbers above 0")
        self._judge = judge
        self._max_response_bytes = max_response_bytes
        self._max_connections = max_connections
        self._ssl_context = ssl_context
        self._network = _Dialing(network or SystemNetwork())
        self._pools: dict[str, httpcore.AsyncConnectionPool] = {}
        self._is_closed = False

    @staticmethod
    def place(request: httpx.Request) -> Place:
        """Return what may be told of a request in a message."""
        url = request.url
        return {"method": request.method, "origin": origin_of(url), "path": path_of(url)}

    async def exchange(self, request: httpx.Request) -> Answer:
        """Send a request and read the whole answer; nothing stays open that was not read.

        Raises:
            GatedFetchDenied: the request is none that the gate lets through.
            FetchError: there is no usable answer.
        """
        with _told(self.place(request), self._max_response_bytes):
            response = await self.handle_async_request(request)
            try:
                content = await self._read(request, response)
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()
        lines = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        )
        return Answer(response.status_code, lines, content)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Judge a request and send it; the body of the answer is still to be read.

        Extensions stay here: one of them replaces the target, another the name of the TLS
        greeting.

        Raises:
            GatedFetchDenied: the request is none that the gate lets through.
        """
        self._judge(request)
        url = request.url
        answer = await self._pool(request).handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        body = _Body(answer, self._max_response_bytes)
        return httpx.Response(answer.status, headers=answer.headers, stream=body)

    async def aclose(self) -> None:
        """Close every connection; nothing is sent after that."""
        self._is_closed = True
        while self._pools:
            _, pool = self._pools.popitem()
            await pool.aclose()

    def _pool(self, request: httpx.Request) -> httpcore.AsyncConnectionPool:
        if self._is_closed:
            raise FetchError("closed", **self.place(request))
        origin = origin_of(request.url)
        if origin not in self._pools:
            if self._ssl_context is None and request.url.scheme == "https":
                self._ssl_context = httpx.create_ssl_context(trust_env=False)
            self._pools[origin] = httpcore.AsyncConnectionPool(
                ssl_context=self._ssl_context,
                max_connections=self._max_connections,
                max_keepalive_connections=_KEPT_CONNECTIONS,
                keepalive_expiry=_KEPT_SECONDS,
                network_backend=self._network,
            )
        return self._pools[origin]

    async def _read(self, request: httpx.Request, response: httpx.Response) -> bytes:
        fields = response.headers
        codings = fields.get("content-encoding", "").lower().split(",")
        if not {coding.strip() for coding in codings} <= _CODINGS:
            raise CodingUnknown
        length = fields.get("content-length", "")
        if request.method != "HEAD" and length.isdigit():
            _check_size(int(length), self._max_response_bytes)
        size, parts = 0, list[bytes]()
        async with aclosing(response.aiter_bytes()) as stream:
            async for part in stream:
                size += len(part)
                _check_size(size, self._max_response_bytes)
                parts.append(part)
        return b"".join(parts)


class _Body(httpx.AsyncByteStream):
    """The encoded body of an answer; closing it ends its connection if anything is unread."""

    def __init__(self, answer: httpcore.Response, limit: int) -> None:
        self._answer = answer
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        stream = self._answer.stream
        assert isinstance(stream, AsyncIterable)
        size = 0
        async for part in stream:
            # Counted here too: much may come that is nothing when decoded.
            size += len(part)
            _check_size(size, self._limit)
            yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


class _Dialing(httpcore.AsyncNetworkBackend):
    """Open connections that do not stay open where the call ends amid a TLS greeting.

    The library closes them where the greeting fails, and not where it is cancelled.
    """

    def __init__(self, network: httpcore.AsyncNetworkBackend) -> None:
        self._network = network

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,  # the library gives no public name to the type
    ) -> httpcore.AsyncNetworkStream:
        return _Dialed(
            await self._network.connect_tcp(host, port, timeout, local_address, socket_options)
        )


class _Dialed(httpcore.AsyncNetworkStream):
    """A connection without TLS, or before it."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()
            raise

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class PublicNetwork(httpcore.AsyncNetworkBackend):
    """Connect to names whose addresses are all public; a name is resolved once a connection.

    The connection goes to an address that was checked, while the name stays in the TLS greeting
    and in the Host field. A host that is written as an address was declared as one, and is let
    through.
    """

    def __init__(
        self, resolve: Resolve, network: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        self._resolve = resolve
        self._network: httpcore.AsyncNetworkBackend = network or SystemNetwork()

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
            raise httpcore.ConnectError(error) from error
        if not addresses:
            raise httpcore.ConnectError("the name has no address")
        if not all(map(is_public, addresses)):
            raise AddressRefused
        return addresses


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise TooLarge


@contextmanager
def _told(place: Place, limit: int) -> Generator[None]:
    """Turn what the library raises into faults of ours."""
    try:
        yield
    except AddressRefused:
        raise GatedFetchDenied("address", **place) from None
    except TooLarge:
        raise FetchError("too_large", **place, detail=f"more than {limit} bytes") from None
    except (CodingUnknown, httpx.DecodingError) as error:
        raise FetchError("undecodable", **place) from error
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        is_tls = bool(error.args) and isinstance(error.args[0], ssl.SSLError)
        raise FetchError("tls" if is_tls else "unreachable", **place) from error
    except (httpcore.NetworkError, httpcore.TimeoutException) as error:
        raise FetchError("broken", **place) from error
    except httpcore.ProtocolError:
        # Not chained: the library quotes what has come.
        raise FetchError("broken", **place) from None
