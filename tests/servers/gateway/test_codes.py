"""Every failure that the contract lists for a route happens here, with its status."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from gateway_bench import CLAIM, GOOD, ROUTES, START, Answer, Bench, encode, read
from starlette.testclient import TestClient

from fairwins_gateway.actions import built_intent
from fairwins_gateway.faults import FAILURES, SWITCHES
from fairwins_gateway.messages import Reply
from fairwins_gateway.revocations import revoke
from fairwins_gateway.routes.table import HANDLERS
from fairwins_gateway.seeding.members import ALICE, CAROL, MALLORY, POOR
from fairwins_gateway.web.public import public_app

Provoke = Callable[[Bench, str], Answer]
LISTED = [
    (route, int(status), code)
    for route, entry in sorted(ROUTES.items())
    for status, codes in sorted(entry["errors"].items())
    for code in codes
]
REVOKED = f"0x{'77' * 32}"
TOKENS: dict[str, Callable[[Bench], str]] = {
    "invalid_token": lambda bench: "fw1.e30.AA",
    "invalid_signature": lambda bench: (
        bench.token(POOR).rsplit(".", 1)[0] + "." + bench.token().rsplit(".", 1)[1]
    ),
    "token_expired": lambda bench: bench.token(expires_at=START),
    "token_ttl_exceeded": lambda bench: bench.token(expires_at=START + 91 * 24 * 3600),
    "token_revoked": lambda bench: bench.token(key_id=REVOKED),
    "membership_required": lambda bench: bench.token(CAROL),
}
PAYMENTS: dict[str, tuple[str, ...]] = {
    "payment_asset_mismatch": ("accepted", "asset", ALICE),
    "payment_expired": ("payload", "authorization", "validBefore", str(START)),
    "payment_insufficient": ("accepted", "amount", "1"),
    "payment_network_mismatch": ("accepted", "network", "eip155:1"),
    "payment_not_yet_valid": ("payload", "authorization", "validAfter", str(START + 9)),
    "payment_recipient_mismatch": ("accepted", "payTo", ALICE),
    "payment_scheme_unsupported": ("accepted", "scheme", "upto"),
    "payment_signature_invalid": ("payload", "signature", "0xabab"),
}
BAD_REQUESTS: dict[tuple[str, str], dict[str, Any]] = {
    ("assistantChat", "bad_request"): {"body": {"messages": []}},
    ("buildIntent", "bad_request"): {"body": b"{"},
    ("buildIntent", "unsupported_action"): {"body": {**CLAIM, "action": "invalidateNonce"}},
    ("keyStatus", "bad_request"): {"query": []},
    ("markets", "invalid_cursor"): {"query": [("next", "abc")]},
    ("markets", "unsupported_chain"): {"path": {"chainId": "1"}},
    ("news", "invalid_params"): {"query": [("slug", "A b")]},
    ("relayStatus", "bad_request"): {"path": {"id": "unknown"}},
    ("relaySubmit", "bad_request"): {"body": {}},
    ("relaySubmit", "unsupported_action"): {
        "body": {**CLAIM, "action": "invalidateNonce", "signature": "0x00"}
    },
    ("revoke", "bad_request"): {"body": {}},
    ("wagers", "bad_request"): {"query": [("first", "0")]},
}


def provoke(bench: Bench, route: str, status: int, code: str) -> Answer:
    """Bring one failure about."""
    if code == "origin_denied":
        return deny_origin(bench, route)
    if (route, code) in BAD_REQUESTS:
        return bench.ask(route, **BAD_REQUESTS[route, code])
    if code in FAILURES:
        bench.faults.turn_on("failure", code)
        return ask_well(bench, route, pay=code == "settlement_unavailable")
    if code in SWITCHES.values():
        switch = next(name for name, known in SWITCHES.items() if known == code)
        bench.faults.turn_on("kill-switch", switch)
        return ask_well(bench, route)
    if status == 429:
        return exhaust(bench, route, code)
    if status == 402:
        return ask_price(bench, route, code)
    if ROUTES[route]["auth"] == "signature":
        return sign_badly(bench, route, code)
    bench.faults.turn_on("kill-switch", "payments")
    return ask_badly(bench, route, code)


def ask_well(bench: Bench, route: str, pay: bool = False) -> Answer:
    if route == "relaySubmit":
        return bench.ask(route, body=signed_intent(bench, ALICE))
    if route == "revoke":
        return bench.ask(route, body=bench.wallet.revoke(ALICE, REVOKED))
    return bench.pay(route, bench.payment(route)) if pay else bench.ask(route)


def ask_badly(bench: Bench, route: str, code: str) -> Answer:
    """Ask with the token that is refused with a code."""
    revoke(bench.gateway.database, ALICE, REVOKED, START)
    if code == "sanctioned_signer":
        return bench.ask(route, token=bench.token(MALLORY))
    if code == "insufficient_scope":
        wrong = "read:fees" if ROUTES[route]["scope"] != "read:fees" else "read:profile"
        return bench.ask(route, token=bench.token(scopes=(wrong,)))
    return bench.ask(route, token=TOKENS[code](bench))


def ask_price(bench: Bench, route: str, code: str) -> Answer:
    if code == "payment_required":
        return bench.ask(route, token=None)
    if not code.startswith("payment_"):
        return ask_badly(bench, route, code)
    if code == "payment_malformed":
        return bench.pay(route, b"!")
    if code == "payment_insufficient_balance":
        return bench.pay(route, bench.payment(route, POOR))
    payment = bench.payment(route)
    if code == "payment_version_unsupported":
        payment["x402Version"] = 1
    elif code == "payment_replayed":
        assert bench.pay(route, payment).status == 200
    else:
        *path, name, value = PAYMENTS[code]
        inner = payment
        for step in path:
            inner = inner[step]
        inner[name] = value
    return bench.pay(route, encode(payment))


def exhaust(bench: Bench, route: str, code: str) -> Answer:
    if code == "assistant_budget_exhausted":
        long = {"messages": [{"role": "user", "content": "x" * 250_000}]}
        answers = [bench.ask(route, body=long) for _ in range(4)]
        return answers[-1]
    small: dict[str, Any] = {"query": [("next", "9999")]} if route == "markets" else {}
    for _ in range(240):
        answer = bench.ask(route, **small)
        if answer.status == 429:
            break
    return bench.ask(route)


def sign_badly(bench: Bench, route: str, code: str) -> Answer:
    if route == "revoke":
        body = {**bench.wallet.revoke(ALICE, REVOKED), "signature": "0x00"}
    elif code == "sanctioned_signer":
        body = signed_intent(bench, MALLORY)
    else:
        body = {**signed_intent(bench, ALICE), "signature": "0x00"}
    return bench.ask(route, body=body)


def signed_intent(bench: Bench, account: str) -> dict[str, Any]:
    return bench.wallet.sign_intent(
        built_intent("claimPayout", 137, account, {"wagerId": "42"}), "ab" * 32
    )


def deny_origin(bench: Bench, route: str) -> Answer:
    entry = ROUTES[route]
    path = entry["path"].format(**GOOD[route].get("path", {}))
    client = TestClient(public_app(bench.gateway, HANDLERS), base_url="http://127.0.0.1")
    headers = {"Origin": "https://page.example"}
    response = client.request(entry["method"], path, headers=headers)
    return read(route, Reply(response.status_code, response.content))


@pytest.mark.parametrize(("route", "status", "code"), LISTED)
def test_a_listed_failure_can_be_brought_about(
    bench: Bench, route: str, status: int, code: str
) -> None:
    answer = provoke(bench, route, status, code)
    assert (answer.status, answer.code) == (status, code)
    if status == 429:
        assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    if status != 402:
        assert json.loads(json.dumps(answer.document)) == {
            "error": {"code": code, "reason": answer.document["error"]["reason"]}
        }


def test_no_request_here_is_for_a_failure_that_is_listed_no_more() -> None:
    listed = {(route, code) for route, _, code in LISTED}
    codes = {code for _, code in listed}
    assert BAD_REQUESTS.keys() <= listed
    assert set(FAILURES) | set(SWITCHES.values()) | set(PAYMENTS) | set(TOKENS) <= codes
