"""One request to the Member API, one answer: as one member, whoever carries them."""

from __future__ import annotations

from fairwins_mcp import __version__
from fairwins_mcp.answers import read_answer
from fairwins_mcp.errors import ApiError, CancelledCallError
from fairwins_mcp.redaction import Redaction
from fairwins_mcp.upstream.dialing import explain
from fairwins_mcp.upstream.dialogue import BrokenAnswerError
from fairwins_mcp.upstream.exchange import Exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.answers import Answer
    from fairwins_mcp.caller import Caller
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.settings import BaseUrl, Settings
    from fairwins_mcp.shapes import Steps


class Api:
    """Ask the API that the settings name.

    It connects to nothing: each exchange is handed to whoever takes the steps. No redirect is
    followed: the token would travel with it. Callers are not kept: each request carries the
    credential of its own.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def check(self, request: ApiRequest, caller: Caller) -> BaseUrl:
        """Refuse what cannot be sent, before anything waits for it; return where it would go.

        Raises:
            ApiError: ``api_unconfigured`` without a base URL; ``token_missing`` or
                ``token_unusable`` without a token that the request needs.
        """
        base = self._settings.base
        if base is None:
            raise ApiError("api_unconfigured", self._settings.base_gap, is_sent=False)
        if request.bearer and caller.token is None:
            raise ApiError(caller.gap_code, caller.token_gap, is_sent=False)
        return base

    def send(
        self, request: ApiRequest, caller: Caller, cancellation: Cancellation
    ) -> Steps[Answer]:
        """Send a request and read its answer; the caller gets the receipts, whatever it says.

        An API that echoes the caller's token or payment is quoted without it, in data too: nothing
        needs it there, and a result ends up in a conversation.

        Raises:
            ApiError: there is no usable answer; the code says why.
            CancelledCallError: the caller gave up.
        """
        base = self.check(request, caller)
        headers = _write_headers(base, request, caller)
        exchange = Exchange(base, request, headers, self._settings.timeout, cancellation)
        try:
            raw = yield exchange
        except (OSError, UnicodeError, BrokenAnswerError) as error:
            if cancellation.requested:
                raise CancelledCallError from error
            raise _explain(error, exchange) from error
        if caller.receipts is not None:
            caller.receipts.extend(raw.receipts)
        raw.body = Redaction(caller).clean_json(raw.body)
        return read_answer(raw, request.unreadable)


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


def _explain(error: OSError | UnicodeError | BrokenAnswerError, exchange: Exchange) -> ApiError:
    if isinstance(error, TimeoutError) or exchange.is_over:
        reason = f"no complete answer came within {exchange.limit:g} s"
        return ApiError("api_timeout", reason, is_sent=exchange.is_sent)
    if isinstance(error, BrokenAnswerError):
        return ApiError("invalid_response", error.reason)
    if isinstance(error, UnicodeError):  # of the resolver, for a name that it cannot encode
        reason = "the API's host name could not be resolved"
        return ApiError("api_unreachable", reason, is_sent=exchange.is_sent)
    return ApiError("api_unreachable", explain(error), is_sent=exchange.is_sent)
