"""Offers: what a call costs, and to whom it is paid."""

from __future__ import annotations

import base64

from fairwins_gateway.document import Operation
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.jsontext import JsonObject, dump
from fairwins_gateway.messages import Inbound, Reply

VERSION = 2
SCHEME = "exact"
NETWORK = "eip155:137"
ASSET = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
ASSET_NAME = "USD Coin"
ASSET_VERSION = "2"
MAX_TIMEOUT_SECONDS = 300


def price_of(gateway: Gateway, kind: str) -> int | None:
    """Return what a class of operations costs in base units; None when it is not for sale.

    A class with a price of 0 is not offered, which is not the same as free.
    """
    return gateway.settings.prices.get(kind, 0) or None


def is_withdrawn(gateway: Gateway) -> bool:
    """Tell whether the operator has withdrawn all offers."""
    return gateway.faults.value("kill-switch") == "payments"


def asking_price(gateway: Gateway, kind: str) -> int | None:
    """Return what a class of operations can be had for now; None while it cannot."""
    return None if is_withdrawn(gateway) else price_of(gateway, kind)


def requirement(gateway: Gateway, price: int) -> JsonObject:
    """Return the one way to pay."""
    return {
        "scheme": SCHEME,
        "network": NETWORK,
        "amount": str(price),
        "asset": ASSET,
        "payTo": gateway.settings.pay_to,
        "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
        "extra": {
            "assetTransferMethod": "eip3009",
            "name": ASSET_NAME,
            "version": ASSET_VERSION,
        },
    }


def offer(
    gateway: Gateway, operation: Operation, inbound: Inbound, price: int, error: tuple[str, str]
) -> Reply:
    """Answer with a price: the offer as the body, and in the header where v2 clients look for it.

    ``error`` is the code and the sentence that say why.
    """
    code, reason = error
    body = dump(
        {
            "x402Version": VERSION,
            "error": code,
            "errorReason": reason,
            "resource": {
                "url": f"http://{inbound.host}{operation.path}",
                "description": operation.description,
                "mimeType": "application/json",
            },
            "accepts": [requirement(gateway, price)],
        }
    )
    return Reply(402, body, {"PAYMENT-REQUIRED": base64.b64encode(body).decode("ascii")})
