"""Two sellers on loopback that really speak x402; what they would do with money is made up."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from x402 import PaymentPayload, PaymentRequired, PaymentRequirements, ResourceInfo, SettleResponse
from x402.http import (
    decode_payment_signature_header,
    encode_payment_required_header,
    encode_payment_response_header,
)

from haia_trace_mcp.demo.wallet import signer_of

NETWORK: Final = "eip155:8453"
USDC: Final = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
ATOMIC: Final = "250000"  # 0.25 USDC


@dataclass
class Seller:
    """A seller of one report.

    Attributes:
        name: what the demo calls it.
        pay_to: where it wants the money.
        settles: whether it does what it was paid for, and says so.
        url: where its report is, once it listens.
        payments: signed payments that it has seen.
    """

    name: str
    pay_to: str
    settles: bool
    url: str = ""
    payments: list[PaymentPayload] = field(default_factory=list[PaymentPayload])

    def terms(self) -> PaymentRequirements:
        """Return what the report costs."""
        return PaymentRequirements(
            scheme="exact",
            network=NETWORK,
            asset=USDC,
            amount=ATOMIC,
            pay_to=self.pay_to,
            max_timeout_seconds=60,
            extra={"name": "USD Coin", "version": "2"},
        )

    def offer(self) -> PaymentRequired:
        """Return the offer in full."""
        resource = ResourceInfo(url=self.url, description="One report", mime_type="text/plain")
        return PaymentRequired(error="Payment required", resource=resource, accepts=[self.terms()])

    def take(self, header: str) -> PaymentPayload | None:
        """Return a payment that is signed as it should be; None for any other."""
        try:
            payment = decode_payment_signature_header(header)
            if not isinstance(payment, PaymentPayload) or payment.accepted != self.terms():
                return None
            authorization = payment.payload["authorization"]
            signer = signer_of(self.terms(), payment.payload)
        except (ValueError, KeyError, TypeError):
            return None
        told = (authorization["from"], authorization["to"], authorization["value"])
        return payment if told == (signer, self.pay_to, ATOMIC) else None


class _Handler(BaseHTTPRequestHandler):
    """Ask for a payment, and answer it as the seller does."""

    seller: Seller

    def handle_get(self) -> None:
        """Answer a request."""
        header = self.headers.get("PAYMENT-SIGNATURE")
        payment = None if header is None else self.seller.take(header)
        if payment is None:
            offer = encode_payment_required_header(self.seller.offer())
            self._send(402, b"{}", ("PAYMENT-REQUIRED", offer))
            return
        self.seller.payments.append(payment)
        if not self.seller.settles:
            self._send(504, b"upstream timed out\n")
            return
        settlement = SettleResponse(
            success=True,
            transaction=f"0x{hashlib.sha256((header or '').encode()).hexdigest()}",
            network=NETWORK,
            payer=payment.payload["authorization"]["from"],
        )
        told = encode_payment_response_header(settlement)
        self._send(200, b"The report: all is well.\n", ("PAYMENT-RESPONSE", told))

    do_GET = handle_get  # noqa: N815 - http.server looks for this name

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""

    def _send(self, status: int, body: bytes, *fields: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def selling(seller: Seller) -> Generator[None]:
    """Let a seller listen on a free port of loopback while the block runs."""
    handler = type("Handler", (_Handler,), {"seller": seller})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        seller.url = f"http://127.0.0.1:{server.server_address[1]}/report"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
