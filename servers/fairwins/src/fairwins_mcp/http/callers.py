"""Who sent a request: its own token and payment, read from its header fields alone."""

from __future__ import annotations

from fairwins_mcp.caller import Caller, Secret, find_fault
from fairwins_mcp.errors import INVALID_REQUEST, RpcError
from fairwins_mcp.payments import PAYMENT_FIELDS, Payment, is_sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.http.heads import Head

_GAP = (
    "this read needs a member token, and the request has none: send it as Authorization: Bearer "
    "with the request"
)
_BROKEN = (
    "this read needs a member token, and the one in the request's Authorization header is not "
    "sent: {fault}"
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
        payment = _read_payment(head)
        value = head.fields.get("authorization")
        if value is None:
            if self._shared is None:
                return Caller(None, _GAP, payment, [])
            shared = self._shared
            return Caller(shared.token, shared.token_gap, payment, [], shared.has_unusable_token)
        if "authorization" in head.repeated:
            raise _refuse("two_tokens", "a request has one Authorization header")
        token, fault = _read_token(value)
        if fault is not None:
            return Caller(None, _BROKEN.format(fault=fault), payment, [], has_unusable_token=True)
        return Caller(Secret(token), "", payment, [])


def _read_token(value: str) -> tuple[str, str | None]:
    """Return the token of an Authorization header, and what is wrong with it, if anything is.

    The value is quoted nowhere, not even its first word: without a scheme that is the token.
    """
    scheme, _, rest = value.partition(" ")
    token = rest.strip(" ")
    if not value:
        return "", "the header is empty"
    if scheme.lower() != "bearer":
        return "", "the header does not begin with Bearer and a space"
    fault = find_fault(token)
    return token, None if fault is None else f"what follows Bearer {fault}"


def _read_payment(head: Head) -> Payment | None:
    names = [name for name in PAYMENT_FIELDS if name.lower() in head.fields]
    if not names:
        return None
    (name, *others) = names
    if others or name.lower() in head.repeated:
        raise _refuse("two_payments", "a request has one payment, in one header")
    value = head.fields[name.lower()]
    if not is_sendable(value):
        raise _refuse("payment_malformed", f"{name} is empty or not visible ASCII")
    return Payment(name, value)


def _refuse(code: str, sentence: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"Invalid request: {sentence}", {"code": code})
