"""Objects of the x402 package as a buyer's hooks get them."""

from __future__ import annotations

from typing import Any

from x402 import (
    PaymentRequired,
    PaymentRequirements,
    ResourceInfo,
    SettleResponse,
    x402ClientSync,
)

NETWORK = "eip155:8453"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
SELLER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
PAYER = "0x1199C34AF7B1d56A1348E1F0D8E86b6C425ac2c0"
SIGNATURE = "0x" + "5e" * 65


CONTROLS: Any = {"allowed_assets": [{"network": NETWORK, "asset": USDC}]}


class Scheme:
    """The scheme "exact" with a signature that is none."""

    scheme = "exact"

    def __init__(self, error: Exception | None = None) -> None:
        self.count = 0
        self._error = error

    def create_payment_payload(self, requirements: PaymentRequirements) -> dict[str, Any]:
        """Return something that looks signed."""
        if self._error is not None:
            raise self._error
        self.count += 1
        authorization = {"from": PAYER, "nonce": f"0x{self.count:064x}"}
        return {"signature": SIGNATURE, "authorization": authorization}


def make_client(scheme: Scheme | None = None) -> x402ClientSync:
    """Return a client that pays whatever it is asked."""
    client = x402ClientSync().register("eip155:*", scheme or Scheme())
    return client.set_spend_controls(CONTROLS)


def requirements(**changes: Any) -> PaymentRequirements:
    """Return terms."""
    found = {
        "scheme": "exact",
        "network": NETWORK,
        "asset": USDC,
        "amount": "250000",
        "pay_to": SELLER,
        "max_timeout_seconds": 300,
        "extra": {"name": "USD Coin", "version": "2"},
        **changes,
    }
    return PaymentRequired.model_validate({"accepts": [found]}).accepts[0]


def offer(error: str | None = "Payment required", **changes: Any) -> PaymentRequired:
    """Return an offer."""
    resource = ResourceInfo(
        url="https://api.example.com/reports/weekly",
        description="Weekly report",
        mime_type="application/json",
        service_name="example",
        tags=["reports"],
    )
    return PaymentRequired(error=error, resource=resource, accepts=[requirements(**changes)])


def settled() -> SettleResponse:
    """Return a settlement."""
    return SettleResponse(success=True, transaction="0xabc", network=NETWORK, payer=PAYER)


def unsettled() -> SettleResponse:
    """Return the news that there was none."""
    return SettleResponse(
        success=False,
        transaction="",
        network=NETWORK,
        payer=PAYER,
        error_reason="insufficient_funds",
        error_message="not enough",
    )
