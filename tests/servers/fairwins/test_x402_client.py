"""A client of the ``x402`` package pays for a tool, with nothing in between but this server."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx2
import pytest
from gateway_bench import Process
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from x402 import PaymentRequired, PaymentRequirements, x402ClientSync
from x402.http import decode_payment_response_header, encode_payment_signature_header
from x402.mcp.types import MCPToolResult
from x402.mcp.utils import (
    extract_payment_required_from_result,
    extract_payment_response_from_meta,
)

Sandbox = tuple[str, Process]
MODES = ("auto", "legacy", "2026-07-28")
WALLET = Path(__file__).parents[2] / "support" / "eth_wallet.py"
TYPES = {
    "EIP712Domain": {
        "name": "string",
        "version": "string",
        "chainId": "uint256",
        "verifyingContract": "address",
    },
    "TransferWithAuthorization": {
        "from": "address",
        "to": "address",
        "value": "uint256",
        "validAfter": "uint256",
        "validBefore": "uint256",
        "nonce": "bytes32",
    },
}


class Wallet:
    """The scheme "exact" with a key that was made up here.

    The package has one of its own, and it brings web3 along, which none of this needs.
    """

    scheme = "exact"

    def __init__(self) -> None:
        self._key = f"0x{token_hex(32)}"
        self.address = ask_wallet(key=self._key)["address"]

    def create_payment_payload(self, requirements: PaymentRequirements) -> dict[str, Any]:
        """Sign a transfer of what is asked for, as EIP-3009 has it."""
        authorization = {
            "from": self.address,
            "to": requirements.pay_to,
            "value": requirements.amount,
            "validAfter": "0",
            "validBefore": str(int(time.time()) + requirements.max_timeout_seconds),
            "nonce": f"0x{token_hex(32)}",
        }
        typed = encode(requirements, authorization)
        signed = ask_wallet(typed=typed, key=self._key)
        return {"signature": signed["signature"], "authorization": authorization}


def encode(requirements: PaymentRequirements, authorization: dict[str, str]) -> dict[str, Any]:
    """Return the typed data to sign, under the domain that the offer names."""
    numbers = ("value", "validAfter", "validBefore")
    extra = requirements.extra or {}
    return {
        "primaryType": "TransferWithAuthorization",
        "types": {
            name: [{"name": key, "type": kind} for key, kind in fields.items()]
            for name, fields in TYPES.items()
        },
        "domain": {
            "name": extra["name"],
            "version": extra["version"],
            "chainId": int(requirements.network.partition(":")[2]),
            "verifyingContract": requirements.asset,
        },
        "message": {k: int(v) if k in numbers else v for k, v in authorization.items()},
    }


def ask_wallet(**request: object) -> dict[str, str]:
    """Ask the wallet, which is another process."""
    done = subprocess.run(
        [sys.executable, str(WALLET)],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


@dataclass
class Call:
    """A tool call that was answered: the result in the forms of both packages, and the receipts."""

    result: CallToolResult
    receipts: list[str] = field(default_factory=list)

    @property
    def told(self) -> MCPToolResult:
        wire = self.result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return MCPToolResult(
            wire["content"], wire["isError"], wire.get("_meta"), wire.get("structuredContent")
        )


def call(url: str, tool: str, mode: Any, payment: str | None = None) -> Call:
    """Call a tool as a client without a token, with a payment in its header or without."""
    receipts: list[str] = []

    async def pay(request: httpx2.Request) -> None:
        if payment is not None and json.loads(request.content)["method"] == "tools/call":
            request.headers["X-PAYMENT"] = payment

    async def remember(response: httpx2.Response) -> None:
        receipts.extend(response.headers.get_list("X-PAYMENT-RESPONSE"))

    async def talk() -> CallToolResult:
        hooks: Any = {"request": [pay], "response": [remember]}
        async with httpx2.AsyncClient(event_hooks=hooks) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                return await client.call_tool(tool, {})

    return Call(asyncio.run(talk()), receipts)


def read_offer(answered: Call) -> PaymentRequired:
    """Find the offer in a result, as clients of x402 do."""
    offer = extract_payment_required_from_result(answered.told)
    assert isinstance(offer, PaymentRequired)
    return offer


def sign(wallet: Wallet, offer: PaymentRequired) -> str:
    """Pay an offer, within a limit, and write the payment as a header."""
    (accepted,) = offer.accepts
    client = x402ClientSync().register("eip155:*", wallet)
    limit = {"network": accepted.network, "asset": accepted.asset}
    client.set_spend_controls(
        {"allowed_assets": [{**limit, "max_amount_per_payment": accepted.amount}]}
    )
    return encode_payment_signature_header(client.create_payment_payload(offer))


@pytest.mark.parametrize("mode", MODES)
def test_an_x402_client_pays_for_a_tool(sandbox: Sandbox, mode: Any) -> None:
    url, gateway = sandbox
    priced = call(url, "get_fees", mode)
    offer = read_offer(priced)
    assert offer.error == "payment_required"
    assert priced.result.structured_content == httpx2.get(f"{gateway.url}/v1/member/fees").json()
    wallet = Wallet()
    payment = sign(wallet, offer)

    paid = call(url, "get_fees", mode, payment)

    assert paid.result.is_error is False
    assert set(paid.result.structured_content or {}) == {"feeRouter", "services", "asOf"}
    newest = gateway.requests(first=1)[0]
    assert newest["payments"] == [{"header": "x-payment", "value": payment}]
    assert "authorization" not in newest["headerNames"]
    (receipt,) = paid.receipts
    assert receipt == newest["receipt"]
    settled = decode_payment_response_header(receipt)
    assert settled == extract_payment_response_from_meta(paid.told)
    assert (settled.success, settled.payer) == (True, wallet.address)
    assert settled.network == offer.accepts[0].network


def test_a_payment_is_good_once(sandbox: Sandbox) -> None:
    url, gateway = sandbox
    payment = sign(Wallet(), read_offer(call(url, "get_fees", "auto")))
    assert call(url, "get_fees", "auto", payment).result.is_error is False

    again = call(url, "get_fees", "auto", payment)

    assert read_offer(again).error == "payment_replayed"
    assert again.receipts == []
    assert gateway.requests(first=1)[0]["payments"][0]["value"] == payment


def test_a_payment_is_what_the_wallet_has_signed(sandbox: Sandbox) -> None:
    url, gateway = sandbox
    wallet, offer = Wallet(), read_offer(call(url, "get_fees", "auto"))
    call(url, "get_fees", "auto", sign(wallet, offer))
    arrived = json.loads(base64.b64decode(gateway.requests(first=1)[0]["payments"][0]["value"]))
    message = encode(offer.accepts[0], arrived["payload"]["authorization"])
    signer = ask_wallet(typed=message, signature=arrived["payload"]["signature"])
    assert signer == {"address": wallet.address}
