"""A buyer that is built with the x402 package, and recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
from x402 import PaymentPayload, x402ClientSync
from x402.http import x402HTTPClientSync

from haia_trace_mcp.demo.sellers import ATOMIC, NETWORK, USDC
from haia_trace_mcp.demo.wallet import Wallet
from haia_trace_mcp.recorder import Recorder


class Buyer:
    """Get things that cost money, and leave a run of events behind.

    Args:
        root: the Trace root.
    """

    def __init__(self, root: Path) -> None:
        self.recorder = Recorder.start(root)
        self.wallet = Wallet()
        controls: Any = {
            "allowed_assets": [
                {"network": NETWORK, "asset": USDC, "max_amount_per_payment": ATOMIC}
            ]
        }
        client = x402ClientSync().register("eip155:*", self.wallet).set_spend_controls(controls)
        self._http = x402HTTPClientSync(client)
        self.recorder.attach(client, self._http)

    def get(self, url: str) -> httpx2.Response:
        """Return what is at a URL, paid for if it has a price."""
        with httpx2.Client(trust_env=False, timeout=30) as http:
            first = http.get(url)
            if first.status_code != 402:
                return first
            offer = self._http.get_payment_required_response(first.headers.get)
            self._http.handle_payment_required(offer, url)
            payment = self._http.create_payment_payload(offer)
            assert isinstance(payment, PaymentPayload)
            paid = http.get(url, headers=self._http.encode_payment_signature_header(payment))
            self._http.process_payment_result(payment, paid.headers.get, paid.status_code)
            return paid

    def close(self) -> None:
        """End the run."""
        self.recorder.close()
