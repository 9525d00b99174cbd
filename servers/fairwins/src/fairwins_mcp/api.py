"""The only module that opens a network connection: one request to the Member API, one answer."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead

from fairwins_mcp import __version__
from fairwins_mcp.answers import RawAnswer, read_answer
from fairwins_mcp.deadlines import Deadlines
from fairwins_mcp.errors import ApiError, CancelledCallError
from fairwins_mcp.payments import RECEIPT_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Generator

    from fairwins_mcp.answers import Answer
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.settings import BaseUrl, Settings
    from fairwins_mcp.shapes import HeaderField

MAX_BODY_BYTES = 4 << 20


class Api:
    """Send requests to the API that the settings name.

    The answer has a size limit, the exchange a time limit, and no redirect is followed: the token
    would travel with it. Every exchange has a connection of its own.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tls: ssl.SSLContext | None = None
        self._deadlines = Deadlines()

    def check(self, request: ApiRequest, caller: Caller) -> BaseUrl:
        """Refuse what cannot be sent, before anything waits for it; return where it would go.

        Raises:
            ApiError: ``api_unconfigured`` without a base URL, ``token_missing`` without a token
                that the request needs.
        """
        base = self._settings.base
        if base is None:
            raise ApiError("api_unconfigured", self._settings.base_gap, is_sent=False)
        if request.bearer and caller.token is None:
            raise ApiError("token_missing", caller.token_gap, is_sent=False)
        return base

    def send(self, request: ApiRequest, caller: Caller, cancellation: Cancellation) -> Answer:
        """Send a request and read its answer; the caller gets the receipts, whatever it says.

        Raises:
            ApiError: there is no usable answer; the code says why.
            CancelledCallError: the caller gave up.
        """
        base = self.check(request, caller)
        headers = _write_headers(base, request, caller)
        clock = _Clock(self._settings.timeout)
        is_sent = False
        try:
            with self._connect(base, clock) as sock:
                is_sent = True
                with _interruptible(sock, self._deadlines, clock, cancellation):
                    raw = _converse(sock, base, request, headers)
            if clock.left() <= 0:  # an interrupted body can look like a complete one
                raise TimeoutError
        except (OSError, HTTPException) as error:
            if cancellation.requested:
                raise CancelledCallError from error
            failure = _explain(error, clock)
            failure.is_sent = is_sent
            raise failure from error
        if caller.receipts is not None:
            caller.receipts.extend(raw.receipts)
        return read_answer(raw)

    def _connect(self, base: BaseUrl, clock: _Clock) -> socket.socket:
        sock = socket.create_connection((base.host, base.port), timeout=clock.limit)
        if base.scheme == "http":
            return sock
        try:
            if self._tls is None:
                import ssl  # slow to import, and of no use for a gateway on this machine

                self._tls = ssl.create_default_context()
            # The handshake waits for the peer, so it comes later, where it can be interrupted.
            return self._tls.wrap_socket(
                sock, server_hostname=base.host, do_handshake_on_connect=False
            )
        except BaseException:
            sock.close()
            raise


class _Clock:
    """Count down the seconds of one exchange; ``limit`` is what it started with."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.end = time.monotonic() + limit

    def left(self) -> float:
        return self.end - time.monotonic()


@contextmanager
def _interruptible(
    sock: socket.socket, deadlines: Deadlines, clock: _Clock, cancellation: Cancellation
) -> Generator[None]:
    """End what waits on a socket when time is up or the caller gives up.

    A socket's own timeout starts anew with every byte, so it bounds no whole exchange.
    """

    def interrupt() -> None:
        try:
            # The plain method on purpose: the one of a TLS socket also drops its TLS state, which
            # the thread that reads from it is using.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already

    deadline = deadlines.add(clock.end, interrupt)
    cancellation.on_request(interrupt)
    try:
        yield
    finally:
        cancellation.on_request(None)
        deadline.cancel()


def _write_headers(base: BaseUrl, request: ApiRequest, caller: Caller) -> dict[str, str]:
    headers = {
        "Host": base.authority,
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": f"fairwins-mcp/{__version__}",
    }
    if request.body is not None:
        headers["Content-Type"] = "application/json"
    if request.bearer and caller.token is not None:
        headers["Authorization"] = f"Bearer {caller.token.reveal()}"
    if request.payment is not None:
        headers[request.payment.name] = request.payment.reveal()
    return headers


def _converse(
    sock: socket.socket, base: BaseUrl, request: ApiRequest, headers: dict[str, str]
) -> RawAnswer:
    if base.scheme == "https":
        _shake_hands(sock)
    connection = HTTPConnection(base.host, base.port)
    connection.sock = sock  # connected already, and speaking TLS where it should
    connection.request(request.method, base.path + request.target, request.body, headers)
    with connection.getresponse() as response:
        body = response.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            reason = f"the API's answer is larger than {MAX_BODY_BYTES >> 20} MiB"
            raise ApiError("invalid_response", reason)
        if response.length:
            raise ConnectionError("the connection ended inside the answer")
        receipts = _list_receipts(response)
        return RawAnswer(response.status, response.getheader("Retry-After"), body, receipts)


def _list_receipts(response: HTTPResponse) -> list[HeaderField]:
    """Return the receipts, without any that would end a line of the response they go into."""
    fields = [
        (name, value.strip(" \t"))
        for name in RECEIPT_FIELDS
        for value in response.headers.get_all(name, [])
    ]
    return [(name, value) for name, value in fields if not any(c < " " for c in value)]


def _shake_hands(sock: socket.socket) -> None:
    import ssl

    assert isinstance(sock, ssl.SSLSocket)  # _connect has made it one
    sock.do_handshake()


def _explain(error: Exception, clock: _Clock) -> ApiError:
    """Turn an exception into a failure, without its own text: that may quote what was sent."""
    if isinstance(error, TimeoutError) or clock.left() <= 0:
        return ApiError("api_timeout", f"no complete answer came within {clock.limit:g} s")
    if isinstance(error, ConnectionRefusedError):
        return ApiError("api_unreachable", "the API's host refused the connection")
    if isinstance(error, socket.gaierror):
        return ApiError("api_unreachable", "the API's host name could not be resolved")
    if type(error).__name__ == "SSLCertVerificationError":
        return ApiError("api_unreachable", "the API's certificate could not be verified")
    if isinstance(error, (OSError, IncompleteRead)):
        return ApiError("api_unreachable", "the connection to the API failed")
    return ApiError("invalid_response", "the API's answer is not valid HTTP")
