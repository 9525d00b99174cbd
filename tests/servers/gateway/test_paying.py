"""A payment through fairwins-mcp over HTTP: its bytes arrive, and the receipt's return."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from gateway_bench import Process, run, serve

from fairwins_gateway.seeding.members import ALICE, BOB

CALL = {"name": "get_fees", "arguments": {}}


@contextmanager
def serve_mcp(gateway: Process) -> Generator[str]:
    """Serve fairwins-mcp over HTTP, without a token of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FAIRWINS_")}
    command = [sys.executable, "-m", "fairwins_mcp", "--http", port]
    with subprocess.Popen(
        command,
        env={**environment, "FAIRWINS_API_URL": gateway.url},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            assert b"listening" in process.stderr.readline()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def gateway() -> Generator[Process]:
    with serve() as process:
        yield process


def call(url: str, headers: dict[str, str]) -> tuple[dict[str, str], Any]:
    """Call get_fees; return the answer's headers in lower case, and the result."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL})
    fixed = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    try:
        connection.request("POST", "/mcp", body, {**fixed, **headers})
        with connection.getresponse() as response:
            names = {name.lower(): value for name, value in response.getheaders()}
            return names, json.load(response)["result"]
    finally:
        connection.close()


def token(*arguments: str) -> str:
    status, out, _ = run("token", "issue", "--account", ALICE, *arguments)
    assert status == 0
    return out.strip()


def pay(offer: Any) -> str:
    """Return a payment in a spelling that no encoder of ours would choose."""
    status, out, _ = run("wallet", "pay", "--payer", BOB, given=json.dumps(offer).encode())
    assert status == 0
    payment = json.loads(base64.b64decode(out))
    odd = json.dumps({"zzz": 1.0, **payment}, indent=3, sort_keys=True).replace("/", "\\/")
    return base64.b64encode(f"\n{odd}  ".encode()).decode()


@pytest.mark.parametrize(
    ("header", "receipt"),
    [("X-PAYMENT", "x-payment-response"), ("PAYMENT-SIGNATURE", "payment-response")],
)
def test_a_payment_arrives_and_its_receipt_returns_byte_for_byte(
    gateway: Process, header: str, receipt: str
) -> None:
    with serve_mcp(gateway) as url:
        _, priced = call(url, {"Authorization": f"Bearer {token('--now', '1600000000')}"})
        offer = priced["structuredContent"]
        assert offer["accepts"][0]["amount"] == "10000"
        payment = pay(offer)
        headers, bought = call(url, {header: payment, "Authorization": f"Bearer {token()}"})
        assert bought["isError"] is False
        kept = gateway.requests(1)[0]
        assert kept["payments"] == [{"header": header.lower(), "value": payment}]
        assert "authorization" not in kept["headerNames"]
        assert headers[receipt] == kept["receipt"]
        _, again = call(url, {header: payment})
        assert again["structuredContent"]["error"] == "payment_replayed"


def test_a_token_of_the_caller_is_used_and_not_charged(gateway: Process) -> None:
    with serve_mcp(gateway) as url:
        headers, result = call(url, {"Authorization": f"Bearer {token()}"})
    assert result["isError"] is False
    assert "x-payment-response" not in headers
