"""Who sent a request: its own token and payment, read from its header fields alone."""

from __future__ import annotations

from fairwins_mcp.caller import TOKEN_VARIABLE, Caller, Secret
from fairwins_mcp.caller import is_sendable as is_sendable_token
from fairwins_mcp.errors import INVALID_REQUEST, RpcError
from fairwins_mcp.payments import PAYMENT_FIELDS, Payment
from fairwins_mcp.payments import is_sendable as is_sendable_payment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.http.heads import Head

_GAP = (
    "this read needs a member token, and the request has none: send it as Authorization: Bearer "
    "with the request"
)
_BROKEN = (
    "this read needs a member token, and the request's Authorization header is not Bearer with "
    f"a token of visible ASCII characters; {TOKEN_VARIABLE} does not stand in for it"
)


class Callers:
    """Tell callers apart by request.

    ``shared`` is who acts where a request has no Authorization header; None where nobody does. As
    soon as there is such a header, whatever it holds, the request stands for itself.
    """

    def __init__(self, shared: Caller | None) -> None:
        self._shared = shared

    def identify(self, head: Head) -> Caller:
        """Return the caller of one request.

        Raises:
            RpcError: -32600, the request has more than one token or payment, or a payment that
                could not be passed on as it is.
        """
        token, gap = self._read_token(head)
        return Caller(token, gap, _read_payment(head), [])

    def _read_token(self, head: Head) -> tuple[Secret | None, str]:
        value = head.fields.get("authorization")
        if value is None:
            if self._shared is None:
                return None, _GAP
            return self._shared.token, self._shared.token_gap
        if "authorization" in head.repeated:
            raise _refuse("two_tokens", "a request has one Authorization header")
        scheme, _, rest = value.partition(" ")
        token = rest.strip(" ")
        if scheme.lower() != "bearer" or not is_sendable_token(token):
            return None, _BROKEN
        return Secret(token), ""


def _read_payment(head: Head) -> Payment | None:
    names = [name for name in PAYMENT_FIELDS if name.lower() in head.fields]
    if not names:
        return None
    (name, *others) = names
    if others or name.lower() in head.repeated:
        raise _refuse("two_payments", "a request has one payment, in one header")
    value = head.fields[name.lower()]
    if not is_sendable_payment(value):
        raise _refuse("payment_malformed", f"{name} holds something other than visible ASCII")
    return Payment(name, value)


def _refuse(code: str, sentence: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"Invalid request: {sentence}", {"code": code})
