"""Payments as they come: read, and held against the offer.

The sandbox has no elliptic curve. It judges everything about a payment but who signed it: of the
signature only the form, so a payment that a real wallet signed is taken as well as one that the
command `fairwins-gateway wallet pay` made up.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from jsonschema_rs import Draft202012Validator

from fairwins_gateway.errors import PaymentRefusal
from fairwins_gateway.jsontext import JsonObject, is_object, parse
from fairwins_gateway.messages import Inbound
from fairwins_gateway.payments.offers import VERSION

# Header of a payment, and header of its receipt.
HEADERS = {"x-payment": "X-PAYMENT-RESPONSE", "payment-signature": "PAYMENT-RESPONSE"}
SETTLE_MARGIN_SECONDS = 60
MAX_HEADER_BYTES = 16_384
# Half the order of secp256k1: the token's contract refuses the other half as malleable.
_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0

_TEXT = {"type": "string"}
_ADDRESS = {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}
_NUMBER = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,77})$"}


def _object(**members: Any) -> JsonObject:
    return {"type": "object", "properties": members, "required": list(members)}


_ACCEPTED = Draft202012Validator(
    _object(
        accepted=_object(
            scheme=_TEXT, network=_TEXT, amount=_NUMBER, asset=_ADDRESS, payTo=_ADDRESS
        )
    )
)
_PAYLOAD = Draft202012Validator(
    _object(
        payload=_object(
            signature={"type": "string", "pattern": "^0x([0-9a-fA-F]{2})+$"},
            authorization=_object(
                **{"from": _ADDRESS},
                to=_ADDRESS,
                value=_NUMBER,
                validAfter=_NUMBER,
                validBefore=_NUMBER,
                nonce={"type": "string", "pattern": "^0x[0-9a-fA-F]{64}$"},
            ),
        )
    )
)


@dataclass(frozen=True)
class Payment:
    """A payment that meets its offer; ``receipt_header`` is where its receipt goes."""

    payer: str
    nonce: str
    amount: int
    network: str
    receipt_header: str


def find_payments(inbound: Inbound) -> list[tuple[str, str]]:
    """Return the payment headers of a request: names in lower case, and values as they came."""
    return [(name, value) for name in HEADERS for value in inbound.header(name)]


def read_payment(found: list[tuple[str, str]], wanted: JsonObject, now: int) -> Payment:
    """Read the one payment of a request and hold it against the ``wanted`` requirement.

    Raises:
        PaymentRefusal: it does not meet the offer; the code is that of the first thing wrong.
    """
    if len(found) != 1:
        raise PaymentRefusal("payment_malformed", "exactly one payment header is taken")
    name, value = found[0]
    document = _decode(value)
    version = document.get("x402Version")
    if type(version) is not int:
        raise PaymentRefusal("payment_malformed", "the payment names no x402Version")
    if version != VERSION:
        reason = f"the payment is of x402 version {version}; this gateway takes version {VERSION}"
        raise PaymentRefusal("payment_version_unsupported", reason)
    _require_form(_ACCEPTED, document)
    _compare_choice(document["accepted"], wanted)
    _require_form(_PAYLOAD, document)
    authorization = document["payload"]["authorization"]
    _compare_authorization(authorization, wanted)
    _compare_times(authorization, now)
    _require_wallet(document["payload"]["signature"])
    return Payment(
        payer=authorization["from"],
        nonce=authorization["nonce"].lower(),
        amount=int(authorization["value"]),
        network=document["accepted"]["network"],
        receipt_header=HEADERS[name],
    )


def _decode(value: str) -> JsonObject:
    if len(value) > MAX_HEADER_BYTES:
        raise PaymentRefusal("payment_malformed", "the payment is too large")
    try:
        document = parse(base64.b64decode(value.encode("latin-1"), validate=True))
    except (binascii.Error, ValueError) as error:
        reason = "the payment is not JSON in base64 with padding"
        raise PaymentRefusal("payment_malformed", reason) from error
    if not is_object(document):
        raise PaymentRefusal("payment_malformed", "the payment is not a JSON object")
    return document


def _require_form(judge: Draft202012Validator, document: JsonObject) -> None:
    for fault in judge.iter_errors(document):
        place = "".join(f"/{step}" for step in fault.instance_path) or "the payment"
        reason = f"{place} is not of the form that scheme exact asks for"
        raise PaymentRefusal("payment_malformed", reason)


def _compare_choice(accepted: JsonObject, wanted: JsonObject) -> None:
    for code, name in (
        ("payment_scheme_unsupported", "scheme"),
        ("payment_network_mismatch", "network"),
        ("payment_asset_mismatch", "asset"),
        ("payment_recipient_mismatch", "payTo"),
    ):
        if accepted[name].lower() != wanted[name].lower():
            raise PaymentRefusal(code, f"the payment is for another {name} than the offer's")
    _require_amount(accepted["amount"], wanted["amount"])


def _compare_authorization(authorization: JsonObject, wanted: JsonObject) -> None:
    if authorization["to"].lower() != wanted["payTo"].lower():
        reason = "the authorization pays somebody else than the offer names"
        raise PaymentRefusal("payment_recipient_mismatch", reason)
    _require_amount(authorization["value"], wanted["amount"])


def _require_amount(given: str, wanted: str) -> None:
    if int(given) < int(wanted):
        raise PaymentRefusal("payment_insufficient", f"the payment is below the price of {wanted}")
    if int(given) > int(wanted):
        # Taking it would cost the payer more than was asked, and scheme exact means exact.
        reason = f"the payment is above the price; the offer asks for exactly {wanted}"
        raise PaymentRefusal("payment_malformed", reason)


def _compare_times(authorization: JsonObject, now: int) -> None:
    if now <= int(authorization["validAfter"]):
        raise PaymentRefusal("payment_not_yet_valid", "the authorization is not valid yet")
    if int(authorization["validBefore"]) < now + SETTLE_MARGIN_SECONDS:
        reason = "the authorization ends too soon to be settled; sign another one"
        raise PaymentRefusal("payment_expired", reason)


def _require_wallet(signature: str) -> None:
    """Refuse what no externally owned account can have signed."""
    data = bytes.fromhex(signature[2:])
    r, s, v = data[:32], data[32:64], data[64:]
    plausible = any(r) and 0 < int.from_bytes(s, "big") <= _HALF_ORDER
    if not plausible or v not in (b"\x00", b"\x01", b"\x1b", b"\x1c"):
        reason = "the signature is not the 65 bytes of an externally owned account"
        raise PaymentRefusal("payment_signature_invalid", reason)
