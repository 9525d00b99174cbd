"""Who asks: the credential that one caller brought along, and nothing about anyone else's."""

from __future__ import annotations

from io import FileIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairwins_mcp.payments import Payment
    from fairwins_mcp.shapes import HeaderField

TOKEN_VARIABLE = "FAIRWINS_API_TOKEN"  # noqa: S105 - a variable's name, not a token
TOKEN_FILE_VARIABLE = "FAIRWINS_API_TOKEN_FILE"  # noqa: S105 - likewise
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

    ``token`` is opaque and None when there is none to send; ``token_gap`` then says why. With
    ``has_unusable_token`` one came that cannot be sent, which is another thing than none.
    ``payment`` is good for this one request. ``receipts`` collects the header fields that the API
    wants the payer to see; it is None where the transport has no headers to give them back in.
    """

    __slots__ = ("has_unusable_token", "payment", "receipts", "token", "token_gap")

    def __init__(
        self,
        token: Secret | None,
        token_gap: str,
        payment: Payment | None = None,
        receipts: list[HeaderField] | None = None,
        has_unusable_token: bool = False,
    ) -> None:
        self.token = token
        self.token_gap = token_gap
        self.payment = payment
        self.receipts = receipts
        self.has_unusable_token = has_unusable_token

    @property
    def can_pay(self) -> bool:
        """Tell whether its transport has headers, in which a payment could come."""
        return self.receipts is not None

    @property
    def is_anonymous(self) -> bool:
        """Tell whether no token came at all."""
        return self.token is None and not self.has_unusable_token

    @property
    def gap_code(self) -> str:
        """Return the code of a call that needs a token and has none to send."""
        return "token_unusable" if self.has_unusable_token else "token_missing"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Caller:
        """Take the token of a local member from a variable or a file, checking its form only.

        ``FAIRWINS_API_TOKEN`` goes before the file that ``FAIRWINS_API_TOKEN_FILE`` names.
        """
        value, source = environment.get(TOKEN_VARIABLE, ""), f"{TOKEN_VARIABLE} is set but"
        if not value:
            path = environment.get(TOKEN_FILE_VARIABLE, "")
            if not path:
                return cls(None, f"this read needs a member token and {TOKEN_VARIABLE} is not set")
            source = f"{TOKEN_FILE_VARIABLE} is set but"
            try:
                value = read_token_file(path)
            except OSError as error:
                gap = f"{source} its file cannot be read: {error.strerror}"
                return cls(None, gap, has_unusable_token=True)
        fault = find_fault(value)
        if fault is not None:
            gap = f"{source} is not sent: its value {fault}"
            return cls(None, gap, has_unusable_token=True)
        return cls(Secret(value), "")


def has_own_token(environment: Mapping[str, str]) -> bool:
    """Tell whether a process was given a member's token, usable or not."""
    return bool(environment.get(TOKEN_VARIABLE) or environment.get(TOKEN_FILE_VARIABLE))


def read_token_file(path: str) -> str:
    """Return what a file holds, without one line end; at most a little more than a token.

    Raises:
        OSError: it cannot be read.
    """
    with FileIO(path) as file:
        raw = file.read(MAX_TOKEN_LENGTH + 3)
    return raw.decode("latin-1").removesuffix("\n").removesuffix("\r")


def find_fault(token: str) -> str | None:
    """Say why a token cannot stand in a header, without a part of it; None when it can.

    A token is visible ASCII, not empty and not too long.
    """
    if not token:
        return "is empty"
    if len(token) > MAX_TOKEN_LENGTH:
        return f"is longer than {MAX_TOKEN_LENGTH} characters"
    if " " in token:
        return "has a space in it"
    if any(char < " " or char == "\x7f" for char in token):
        return "has a line end, a tab or another control character in it"
    return None if token.isascii() else "has a character in it that is not ASCII"
