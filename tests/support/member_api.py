"""A Member API on loopback that answers a few paths, for tests of its client."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "fw1.e30.c2ln"
PAYMENT = "eyJ4NDAyVmVyc2lvbiI6Mn0="
WAGERS = """{"account":"0x000000000000000000000000000000000000dEaD",
"chains":{"137":{"chainId":137,"state":"unreadable","reason":"down"}},
"partial":[137], "asOf":"2026-11-30T12:00:00Z", "unheard":1.00}"""
OFFER = """{"x402Version":2, "error":"payment_required", "unheard":1.00,
"accepts":[{"scheme":"exact","network":"eip155:137","amount":"10000","extra":{"name":"Coin"}}]}"""
FEES = (
    """{"feeRouter":{"address":null,"chainId":137},"services":{},"asOf":"2026-11-30T12:00:00Z"}"""
)
RECEIPT = {"success": True, "transaction": "0xcd", "network": "eip155:137", "payer": "0x19"}
RECEIPT_FIELD = base64.b64encode(json.dumps(RECEIPT).encode()).decode()
STATUS = '{"status":"ok","chains":{"137":{"rpc":"up"},"8453":{"rpc":"up"}}}'
DOWN = '{"error":{"code":"down","reason":"Off"}}'


class _MemberApi(BaseHTTPRequestHandler):
    def handle_get(self) -> None:
        answers = {"/status": (200, STATUS), "/v1/member/wagers": (200, WAGERS)}
        status, body = answers.get(self.path, (503, DOWN))
        is_paid = self.headers.get("X-PAYMENT") == PAYMENT and "Authorization" not in self.headers
        if self.path == "/v1/member/fees":
            status, body = (200, FEES) if is_paid else (402, OFFER)
        self.send_response(status)
        if self.path == "/v1/member/fees" and is_paid:
            self.send_header("X-PAYMENT-RESPONSE", RECEIPT_FIELD)
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = handle_get  # noqa: N815 - http.server looks for this name

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""


@contextmanager
def serve_member_api() -> Generator[str]:
    """Serve it; the value is its URL.

    ``/v1/member/fees`` has a price, which ``PAYMENT`` without a token pays.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), _MemberApi) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
