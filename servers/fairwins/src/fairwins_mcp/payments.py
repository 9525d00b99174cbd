"""Payments on their way to the Member API and receipts on their way back: carried, never made.

Both are header fields of x402. Their bytes are passed on as they came, since a payment that is
decoded and encoded again is no longer what was signed.
"""

from __future__ import annotations

import binascii

from fairwins_mcp.caller import Secret
from fairwins_mcp.errors import shorten
from fairwins_mcp.jsonrpc import encode, parse
from fairwins_mcp.values import is_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fairwins_mcp.shapes import HeaderField, JsonObject

PAYMENT_FIELDS = ("X-PAYMENT", "PAYMENT-SIGNATURE")
SETTLEMENT_FIELDS = ("X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE")
RECEIPT_FIELDS = (*SETTLEMENT_FIELDS, "PAYMENT-REQUIRED")
META_RECEIPT = "x402/payment-response"
MAX_SHOWN = 1000  # characters of a receipt that go into a text
_ARGUMENTS = frozenset(
    (
        "payment",
        "paymentheader",
        "paymentpayload",
        "paymentsignature",
        "x402",
        "x402payment",
        "xpayment",
    )
)

REFUSAL = (
    "{what} was not called: this server takes no payment in a message. A payment is good for one "
    "request, and travels as a header of that request over HTTP (X-PAYMENT or PAYMENT-SIGNATURE), "
    "never as an argument, in _meta or over stdio."
)
UNPRICED = (
    "{what} was not called, and the payment was sent nowhere: it has no price. Repeat the call "
    "without the payment header."
)


class Payment(Secret):
    """A payment under the header ``name`` that it came in; its value is never shown."""

    __slots__ = ("name",)

    def __init__(self, name: str, value: str) -> None:
        super().__init__(value)
        self.name = name


def is_sendable(value: str) -> bool:
    """Tell whether a payment can be passed on as it is: visible ASCII, and spaces inside.

    So neither a line end of any kind (CR, LF, U+2028, U+2029) nor half a character gets through.
    """
    return bool(value) and all(" " <= char <= "~" for char in value)


def find_argument(arguments: Iterable[str], declared: Iterable[str]) -> str | None:
    """Return the name of an argument that stands for a payment, unless the tool declares it."""
    known = frozenset(declared)
    for name in arguments:
        plain = "".join(char for char in name.lower() if char.isalnum())
        if plain in _ARGUMENTS and name not in known:
            return name
    return None


def read_receipt(receipts: Sequence[HeaderField]) -> JsonObject | None:
    """Return what the settlement among the fields says; None without one that can be read."""
    for name, value in receipts:
        if name in SETTLEMENT_FIELDS:
            return _decode(value)
    return None


def _decode(value: str) -> JsonObject | None:
    try:
        document = parse(binascii.a2b_base64(value, strict_mode=True).decode("utf-8"))
    except (ValueError, RecursionError):  # what is no ASCII, base64, UTF-8 or JSON is a ValueError
        return None
    return document if is_object(document) else None


def restate(receipts: Sequence[HeaderField], refused: JsonObject | None = None) -> str:
    """Say in words what became of the payment that went with a call.

    ``refused`` is the offer with which the API answered instead of data.
    """
    receipt = read_receipt(receipts)
    if receipt is not None:
        shown = f"Receipt of the payment: {shorten(encode(receipt).decode('utf-8'), MAX_SHOWN)}"
        if receipt.get("success") is True:
            return f"{shown} The payment was broadcast, not confirmed: only the chain confirms it."
        return f"{shown} It reports no success: as far as the API knows, nothing was settled."
    if refused is not None:
        return f"The payment that came with this call was not accepted: {_reason(refused)}."
    if any(name in SETTLEMENT_FIELDS for name, _ in receipts):
        return (
            "The API sent a receipt of the payment that this server cannot read; it stands in the "
            "header of the response as it came. A receipt means broadcast, not confirmed: only the "
            "chain confirms a payment."
        )
    return (
        "A payment went with this call and the API sent no receipt: whether it was taken is "
        "unknown. Find out before paying again."
    )


def _reason(offer: JsonObject) -> str:
    parts = (offer.get("error"), offer.get("errorReason"))
    said = [shorten(part, 200).rstrip(".") for part in parts if isinstance(part, str) and part]
    return " — ".join(said) or "the API gave no reason"
