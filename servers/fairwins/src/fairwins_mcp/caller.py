"""Who asks: the credential that one caller brought along, and nothing about anyone else's."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairwins_mcp.payments import Payment
    from fairwins_mcp.shapes import HeaderField

TOKEN_VARIABLE = "FAIRWINS_API_TOKEN"  # noqa: S105 - a variable's name, not a token
MAX_TOKEN_LENGTH = 8192  # the Member API refuses longer ones


class Secret:
    """Carry a token without showing it: neither repr nor str nor a format string reveals it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """Return the token, for the one place that puts it in a header."""
        return self._value


class Caller:
    """Stand for the origin of a request.

    ``token`` is opaque and None when there is none to send; ``token_gap`` then says why.
    ``payment`` is good for this one request. ``receipts`` collects the header fields that the API
    wants the payer to see; it is None where the transport has no headers to give them back in.
    """

    __slots__ = ("payment", "receipts", "token", "token_gap")

    def __init__(
        self,
        token: Secret | None,
        token_gap: str,
        payment: Payment | None = None,
        receipts: list[HeaderField] | None = None,
    ) -> None:
        self.token = token
        self.token_gap = token_gap
        self.payment = payment
        self.receipts = receipts

    @property
    def can_pay(self) -> bool:
        """Tell whether its transport has headers, in which a payment could come."""
        return self.receipts is not None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Caller:
        """Take the token of a local member from ``FAIRWINS_API_TOKEN``, checking its form only."""
        value = environment.get(TOKEN_VARIABLE, "")
        if not value:
            return cls(None, f"this read needs a member token and {TOKEN_VARIABLE} is not set")
        if not is_sendable(value):
            return cls(
                None,
                f"{TOKEN_VARIABLE} is set but is not sent: a token is at most {MAX_TOKEN_LENGTH} "
                "visible ASCII characters without spaces",
            )
        return cls(Secret(value), "")


def is_sendable(token: str) -> bool:
    """Tell whether a token can stand in a header: visible ASCII, not empty, not too long."""
    return 0 < len(token) <= MAX_TOKEN_LENGTH and all("!" <= char <= "~" for char in token)
