"""One request to the Member API, one answer: within its time, and as one member."""

from __future__ import annotations

import time
from contextlib import contextmanager

from fairwins_mcp import __version__
from fairwins_mcp.answers import read_answer
from fairwins_mcp.deadlines import Deadlines
from fairwins_mcp.errors import ApiError, CancelledCallError
from fairwins_mcp.pool import BrokenAnswerError, Pool, StaleLinkError, explain
from fairwins_mcp.redaction import Redaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from fairwins_mcp.answers import Answer, RawAnswer
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.pool import Link
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.settings import BaseUrl, Settings


class Api:
    """Send requests to the API that the settings name, from any thread.

    The answer has a size limit, the exchange a time limit, and no redirect is followed: the token
    would travel with it. Connections are kept between exchanges, and callers are not: each request
    carries the credential of its own.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._deadlines = Deadlines()
        base = settings.base
        self._pool = None if base is None else Pool(base, self._deadlines.add)

    def check(self, request: ApiRequest, caller: Caller) -> Pool:
        """Refuse what cannot be sent, before anything waits for it; return where it would go.

        Raises:
            ApiError: ``api_unconfigured`` without a base URL; ``token_missing`` or
                ``token_unusable`` without a token that the request needs.
        """
        if self._pool is None:
            raise ApiError("api_unconfigured", self._settings.base_gap, is_sent=False)
        if request.bearer and caller.token is None:
            raise ApiError(caller.gap_code, caller.token_gap, is_sent=False)
        return self._pool

    def send(self, request: ApiRequest, caller: Caller, cancellation: Cancellation) -> Answer:
        """Send a request and read its answer; the caller gets the receipts, whatever it says.

        An API that echoes the caller's token or payment is quoted without it, in data too: nothing
        needs it there, and a result ends up in a conversation.

        Raises:
            ApiError: there is no usable answer; the code says why.
            CancelledCallError: the caller gave up.
        """
        pool = self.check(request, caller)
        headers = _write_headers(pool.base, request, caller)
        exchange = _Exchange(request, headers, self._settings.timeout, cancellation)
        try:
            raw = self._exchange(pool, exchange)
        except (OSError, UnicodeError, BrokenAnswerError) as error:
            if cancellation.requested:
                raise CancelledCallError from error
            raise _explain(error, exchange) from error
        if caller.receipts is not None:
            caller.receipts.extend(raw.receipts)
        raw.body = Redaction(caller).clean_json(raw.body)
        return read_answer(raw, request.unreadable)

    def close(self) -> None:
        """Close the connections that no call uses, and keep none from now on."""
        if self._pool is not None:
            self._pool.close()

    def _exchange(self, pool: Pool, exchange: _Exchange) -> RawAnswer:
        """Converse over a kept connection where there is one, else over a new one.

        That a kept connection has ended may show only when a request is on its way, and then
        nobody knows whether it arrived. So a request that must not arrive twice gets a new one.
        """
        kept = pool.take() if exchange.request.is_repeatable else None
        if kept is not None:
            try:
                return self._converse(pool, kept, exchange)
            except StaleLinkError:
                if exchange.is_over:
                    raise
        return self._converse(pool, pool.open(exchange.left()), exchange)

    def _converse(self, pool: Pool, link: Link, exchange: _Exchange) -> RawAnswer:
        request, is_sound = exchange.request, False
        exchange.is_sent = True
        try:
            with _interruptible(link, self._deadlines, exchange):
                raw = link.converse(
                    request.method,
                    pool.base.path + request.target,
                    request.body,
                    exchange.headers,
                    exchange.left(),
                )
            # Interrupts are taken back by now, and one that came shows here: the connection is of
            # no more use, and an interrupted body can look like a complete one.
            exchange.left()
            is_sound = not exchange.is_over
            return raw
        finally:
            if is_sound:
                pool.give(link)
            else:
                link.close()


class _Exchange:
    """A request under way, with the time that is left for it.

    ``is_sent`` is False as long as it certainly has not left.
    """

    def __init__(
        self,
        request: ApiRequest,
        headers: dict[str, str],
        limit: float,
        cancellation: Cancellation,
    ) -> None:
        self.request = request
        self.headers = headers
        self.limit = limit
        self.end = time.monotonic() + limit
        self.cancellation = cancellation
        self.is_sent = False

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            TimeoutError: there are none.
        """
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    @property
    def is_over(self) -> bool:
        """Tell whether nobody waits for an answer any more."""
        return self.cancellation.requested or time.monotonic() >= self.end


@contextmanager
def _interruptible(link: Link, deadlines: Deadlines, exchange: _Exchange) -> Generator[None]:
    """End what waits on a connection when time is up or the caller gives up.

    A socket's own timeout starts anew with every byte, so it bounds no whole exchange.
    """
    deadline = deadlines.add(exchange.end, link.interrupt)
    exchange.cancellation.on_request(link.interrupt)
    try:
        yield
    finally:
        exchange.cancellation.on_request(None)
        deadline.cancel()


def _write_headers(base: BaseUrl, request: ApiRequest, caller: Caller) -> dict[str, str]:
    headers = {
        "Host": base.authority,
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": f"fairwins-mcp/{__version__}",
    }
    if request.body is not None:
        headers["Content-Type"] = "application/json"
    if request.bearer and caller.token is not None:
        headers["Authorization"] = f"Bearer {caller.token.reveal()}"
    if request.payment is not None:
        headers[request.payment.name] = request.payment.reveal()
    return headers


def _explain(error: OSError | UnicodeError | BrokenAnswerError, exchange: _Exchange) -> ApiError:
    if isinstance(error, TimeoutError) or exchange.is_over:
        reason = f"no complete answer came within {exchange.limit:g} s"
        return ApiError("api_timeout", reason, is_sent=exchange.is_sent)
    if isinstance(error, BrokenAnswerError):
        return ApiError("invalid_response", error.reason)
    if isinstance(error, UnicodeError):  # of the resolver, for a name that it cannot encode
        reason = "the API's host name could not be resolved"
        return ApiError("api_unreachable", reason, is_sent=exchange.is_sent)
    return ApiError("api_unreachable", explain(error), is_sent=exchange.is_sent)
