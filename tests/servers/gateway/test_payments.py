"""Prices, payments and receipts."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from gateway_bench import CONTRACT, ROUTES, SERVER, START, Answer, Bench, encode, without

from counterfoil.schema.judge import faults as find_faults
from counterfoil.schema.judge import judge
from fairwins_gateway.exchange import FOR_SALE_INSTEAD
from fairwins_gateway.payments.settlements import DEFAULT_BALANCE
from fairwins_gateway.revocations import revoke
from fairwins_gateway.seeding.members import ALICE, BOB, CAROL, MALLORY, POOR

PRICED = {"wagers": "10000", "fees": "10000", "buildIntent": "50000", "assistantChat": "100000"}
STRANGER = "0x000000000000000000000000000000000057a49e"


def settled(bench: Bench) -> int:
    return len(bench.gateway.database.rows("SELECT * FROM settlements"))


def receipt(answer: Answer, header: str = "X-PAYMENT-RESPONSE") -> dict[str, Any]:
    read: dict[str, Any] = json.loads(base64.b64decode(answer.headers[header], validate=True))
    return read


@pytest.mark.parametrize("route", sorted(PRICED))
def test_a_priced_route_asks_its_price_of_whoever_brings_nothing(bench: Bench, route: str) -> None:
    answer = bench.ask(route, token=None)
    assert (answer.status, answer.code) == (402, "payment_required")
    assert answer.document["x402Version"] == 2
    assert answer.document["resource"]["url"] == f"http://127.0.0.1{ROUTES[route]['path']}"
    assert answer.document["accepts"] == [
        {
            "scheme": "exact",
            "network": "eip155:137",
            "amount": PRICED[route],
            "asset": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
            "payTo": "0x00000000000000000000000000000000000dEaD1",
            "maxTimeoutSeconds": 300,
            "extra": {"assetTransferMethod": "eip3009", "name": "USD Coin", "version": "2"},
        }
    ]
    header = answer.headers["PAYMENT-REQUIRED"]
    assert json.loads(base64.b64decode(header, validate=True)) == answer.document


def test_priced_are_the_routes_that_the_contract_puts_into_a_class() -> None:
    classes = {route for route, entry in ROUTES.items() if entry["class"] not in ("free", "never")}
    assert classes == PRICED.keys()


@pytest.mark.parametrize("route", sorted(PRICED))
def test_a_payment_buys_one_answer_and_a_receipt(bench: Bench, route: str) -> None:
    payment = bench.payment(route, BOB)
    answer = bench.pay(route, payment)
    assert answer.status == 200
    assert receipt(answer) == {
        "success": True,
        "transaction": receipt(answer)["transaction"],
        "transactionId": "sandbox-0001",
        "network": "eip155:137",
        "payer": BOB,
        "amount": PRICED[route],
        "settlement": "broadcast",
    }
    schema = {"allOf": [SERVER["payment"]["receipt"]], "$defs": CONTRACT["$defs"]}
    assert find_faults(judge(schema), receipt(answer)) == []
    again = bench.pay(route, payment)
    assert (again.status, again.code) == (402, "payment_replayed")
    assert settled(bench) == 1


def test_the_receipt_goes_into_the_header_that_belongs_to_the_payments(bench: Bench) -> None:
    answer = bench.pay("fees", bench.payment(), header="payment-signature")
    assert receipt(answer, "PAYMENT-RESPONSE")["success"] is True
    assert "X-PAYMENT-RESPONSE" not in answer.headers


def test_a_payer_acts_in_its_own_name_and_needs_no_membership(bench: Bench) -> None:
    answer = bench.pay("buildIntent", bench.payment("buildIntent", STRANGER))
    assert answer.document["typedData"]["message"]["claimant"] == STRANGER
    assert bench.pay("wagers", bench.payment(payer=CAROL)).document["account"] == CAROL


def test_a_good_token_is_never_charged(bench: Bench) -> None:
    answer = bench.pay("fees", bench.payment(), token="")
    assert answer.status == 200
    assert "X-PAYMENT-RESPONSE" not in answer.headers
    assert settled(bench) == 0


def bad_tokens(bench: Bench) -> dict[str, str]:
    """Return a token for each refusal that a price replaces."""
    other = f"0x{'77' * 32}"
    revoke(bench.gateway.database, ALICE, other, START)
    return {
        "invalid_token": "fw1.e30.AA",
        "invalid_signature": bench.token(BOB).rsplit(".", 1)[0]
        + "."
        + bench.token().rsplit(".", 1)[1],
        "token_expired": bench.token(expires_at=START),
        "token_ttl_exceeded": bench.token(expires_at=START + 91 * 24 * 3600),
        "token_revoked": bench.token(key_id=other),
        "membership_required": bench.token(CAROL),
    }


@pytest.mark.parametrize("code", sorted(FOR_SALE_INSTEAD))
def test_a_price_replaces_a_refusal_and_keeps_its_code(bench: Bench, code: str) -> None:
    token = bad_tokens(bench)[code]
    offered = bench.ask("fees", token=token)
    assert (offered.status, offered.code) == (402, code)
    assert offered.document["accepts"]
    assert bench.pay("fees", bench.payment(), token=token).status == 200
    bench.faults.turn_on("kill-switch", "payments")
    plain = bench.ask("fees", token=token)
    assert plain.code == code
    assert plain.status == (403 if code == "membership_required" else 401)


def test_the_list_of_replaced_refusals_is_that_of_the_contract() -> None:
    listed = set(ROUTES["fees"]["errors"]["402"])
    assert {code for code in listed if not code.startswith("payment_")} == FOR_SALE_INSTEAD


def test_no_price_replaces_what_money_does_not_remedy(bench: Bench) -> None:
    payment = bench.payment()
    for token, code in (
        (bench.token(MALLORY), "sanctioned_signer"),
        (bench.token(scopes=("read:profile",)), "insufficient_scope"),
    ):
        assert bench.pay("fees", payment, token=token).code == code
    for code in ("auth_unverifiable", "membership_unreadable", "screening_unavailable"):
        bench.faults.turn_on("failure", code)
        assert bench.pay("fees", payment, token="").code == code
    assert settled(bench) == 0


def test_routes_without_a_price_take_no_payment(bench: Bench) -> None:
    for route in ("me", "membership", "keyStatus"):
        answer = bench.pay(route, bench.payment())
        assert (answer.status, answer.code) == (401, "invalid_token")
    assert bench.pay("status", bench.payment()).status == 200
    assert settled(bench) == 0


def test_a_class_that_is_not_for_sale_has_no_price(make_bench: Any) -> None:
    bench = make_bench(prices={"read": 0, "build": 1, "assistant": 1})
    assert bench.ask("fees", token=None).status == 401
    assert bench.ask("buildIntent", token=None).document["accepts"][0]["amount"] == "1"


def test_withdrawn_offers_leave_a_plain_401_and_take_no_payment(bench: Bench) -> None:
    payment = bench.payment()
    bench.faults.turn_on("kill-switch", "payments")
    answer = bench.pay("fees", payment)
    assert (answer.status, answer.code) == (401, "invalid_token")
    assert bench.ask("status").document["memberApi"]["x402"]["killSwitch"] is True
    assert settled(bench) == 0
    bench.faults.turn_off("kill-switch")
    assert bench.pay("fees", payment).status == 200


Change = Callable[[dict[str, Any]], Any]


def changed(*path: str, to: Any) -> Change:
    """Return a change of one member of a payment."""

    def change(payment: dict[str, Any]) -> dict[str, Any]:
        inner = payment
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = to
        return payment

    return change


def authorized(name: str, to: Any) -> Change:
    return changed("payload", "authorization", name, to=to)


R, S = "11" * 32, "22" * 32
REFUSED: list[tuple[str, str, Change]] = [
    ("no version", "payment_malformed", lambda p: without(p, "x402Version")),
    ("a version as text", "payment_malformed", changed("x402Version", to="2")),
    ("version 1", "payment_version_unsupported", changed("x402Version", to=1)),
    ("version 3", "payment_version_unsupported", changed("x402Version", to=3)),
    ("no choice", "payment_malformed", lambda p: without(p, "accepted")),
    ("a choice without an asset", "payment_malformed", lambda p: without(p, "accepted", "asset")),
    ("another scheme", "payment_scheme_unsupported", changed("accepted", "scheme", to="upto")),
    ("another chain", "payment_network_mismatch", changed("accepted", "network", to="eip155:1")),
    ("a chain by name", "payment_network_mismatch", changed("accepted", "network", to="polygon")),
    ("another token", "payment_asset_mismatch", changed("accepted", "asset", to=ALICE)),
    ("a choice for another", "payment_recipient_mismatch", changed("accepted", "payTo", to=ALICE)),
    ("paid to another", "payment_recipient_mismatch", authorized("to", ALICE)),
    ("a cheaper choice", "payment_insufficient", changed("accepted", "amount", to="9999")),
    ("too little", "payment_insufficient", authorized("value", "9999")),
    ("nothing", "payment_insufficient", authorized("value", "0")),
    ("too much", "payment_malformed", authorized("value", "10001")),
    ("an amount as a number", "payment_malformed", authorized("value", 10000)),
    ("an amount with a fraction", "payment_malformed", authorized("value", "10000.0")),
    ("an amount with a zero in front", "payment_malformed", authorized("value", "010000")),
    ("not valid yet", "payment_not_yet_valid", authorized("validAfter", str(START))),
    ("ended", "payment_expired", authorized("validBefore", str(START))),
    ("ending in 59 s", "payment_expired", authorized("validBefore", str(START + 59))),
    ("a nonce that is too short", "payment_malformed", authorized("nonce", "0x12")),
    ("no payload", "payment_malformed", lambda p: without(p, "payload")),
    ("no authorization", "payment_malformed", lambda p: without(p, "payload", "authorization")),
    ("no signature", "payment_malformed", lambda p: without(p, "payload", "signature")),
    ("a signature in words", "payment_malformed", changed("payload", "signature", to="mine")),
    (
        "a signature of a contract's wallet",
        "payment_signature_invalid",
        changed("payload", "signature", to="0x" + "ab" * 200),
    ),
    (
        "a signature with an empty r",
        "payment_signature_invalid",
        changed("payload", "signature", to=f"0x{'00' * 32}{S}1b"),
    ),
    (
        "a signature with an empty s",
        "payment_signature_invalid",
        changed("payload", "signature", to=f"0x{R}{'00' * 32}1b"),
    ),
    (
        "a malleable signature",
        "payment_signature_invalid",
        changed("payload", "signature", to=f"0x{R}{'f2' * 32}1b"),
    ),
    (
        "a signature with another recovery byte",
        "payment_signature_invalid",
        changed("payload", "signature", to=f"0x{R}{S}25"),
    ),
    ("a list", "payment_malformed", lambda p: [p]),
]


@pytest.mark.parametrize(
    ("code", "change"), [entry[1:] for entry in REFUSED], ids=[entry[0] for entry in REFUSED]
)
def test_a_payment_that_does_not_meet_the_offer_is_refused_with_a_new_one(
    bench: Bench, code: str, change: Change
) -> None:
    answer = bench.pay("fees", change(bench.payment()))
    assert (answer.status, answer.code) == (402, code)
    assert answer.document["accepts"][0]["amount"] == "10000"
    assert settled(bench) == 0


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"not base64!",
        b"e30",
        b"e30=\xff",
        b"bm90IEpTT04=",
        base64.b64encode(b"\xff\xfe"),
        base64.b64encode(b"{" * 9000),
        base64.b64encode(b"[" * 15_000),
        base64.urlsafe_b64encode('{"a":"ÿÿÿ>>>???"}'.encode()),
    ],
)
def test_a_header_that_is_no_json_in_base64_is_malformed(bench: Bench, header: bytes) -> None:
    assert bench.pay("fees", header).code == "payment_malformed"


def test_more_than_one_payment_is_malformed(bench: Bench) -> None:
    one, other = encode(bench.payment()), encode(bench.payment())
    for second in ("x-payment", "payment-signature"):
        headers = [("x-payment", one), (second, other)]
        answer = bench.ask("fees", token=None, headers=headers)
        assert answer.code == "payment_malformed"
    assert settled(bench) == 0


def test_a_payment_is_good_up_to_60_s_before_its_end(bench: Bench) -> None:
    assert bench.pay("fees", bench.payment(validBefore=str(START + 60))).status == 200


def test_addresses_are_compared_without_their_case(bench: Bench) -> None:
    payment = bench.payment()
    for inner, name in (("accepted", "asset"), ("accepted", "payTo")):
        payment[inner][name] = payment[inner][name].lower()
    payment["payload"]["authorization"]["to"] = payment["accepted"]["payTo"]
    assert bench.pay("fees", payment).status == 200


def test_another_spelling_of_payer_and_nonce_is_the_same_payment(bench: Bench) -> None:
    payment = bench.payment(nonce=f"0x{'ab' * 32}")
    assert bench.pay("fees", payment).status == 200
    authorization = payment["payload"]["authorization"]
    authorization["nonce"] = f"0x{'AB' * 32}"
    authorization["from"] = "0x" + ALICE[2:].upper()
    assert bench.pay("fees", payment).code == "payment_replayed"


def test_two_payers_may_use_one_nonce(bench: Bench) -> None:
    nonce = f"0x{'ab' * 32}"
    assert bench.pay("fees", bench.payment(nonce=nonce)).status == 200
    assert bench.pay("fees", bench.payment(payer=BOB, nonce=nonce)).status == 200


def test_an_empty_wallet_pays_for_nothing(bench: Bench) -> None:
    assert bench.pay("fees", bench.payment(payer=POOR)).code == "payment_insufficient_balance"


def test_a_balance_is_spent_to_its_end(make_bench: Any) -> None:
    price = DEFAULT_BALANCE // 2
    bench = make_bench(prices={"read": price})
    assert bench.pay("fees", bench.payment()).status == 200
    assert bench.pay("fees", bench.payment()).status == 200
    assert bench.pay("fees", bench.payment()).code == "payment_insufficient_balance"
    assert bench.pay("fees", bench.payment(payer=BOB)).status == 200


def test_a_payer_on_a_list_of_sanctions_is_refused_and_not_charged(bench: Bench) -> None:
    answer = bench.pay("fees", bench.payment(payer=MALLORY))
    assert (answer.status, answer.code) == (403, "sanctioned_signer")
    assert settled(bench) == 0


def test_a_request_that_fails_costs_nothing(bench: Bench) -> None:
    payment = bench.payment("wagers")
    assert bench.pay("wagers", payment, query=[("chainId", "1")]).code == "bad_request"
    bench.faults.turn_on("failure", "settlement_unavailable")
    assert bench.pay("wagers", payment).code == "settlement_unavailable"
    bench.faults.turn_on("failure", "upstream_unavailable")
    assert bench.pay("wagers", payment).code == "upstream_unavailable"
    assert settled(bench) == 0
    bench.faults.turn_off("failure")
    assert bench.pay("wagers", payment).status == 200


def at_once(count: int, work: Callable[[int], Answer]) -> list[Answer]:
    """Do the work so many times at once, as nearly as threads can."""
    barrier = Barrier(count)

    def start(number: int) -> Answer:
        barrier.wait(30)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


@pytest.mark.parametrize("in_file", [False, True])
def test_of_twenty_submissions_of_one_payment_one_settles(
    make_bench: Any, tmp_path: Path, in_file: bool
) -> None:
    bench = make_bench(database=tmp_path / "gateway.sqlite" if in_file else None)
    payment = encode(bench.payment())
    answers = at_once(20, lambda _: bench.pay("fees", payment))
    assert sorted(answer.status for answer in answers) == [200] + [402] * 19
    assert {a.code for a in answers if a.status == 402} == {"payment_replayed"}
    assert sum("X-PAYMENT-RESPONSE" in answer.headers for answer in answers) == 1
    assert settled(bench) == 1


def test_twenty_payments_at_once_spend_no_more_than_there_is(make_bench: Any) -> None:
    bench = make_bench(prices={"read": DEFAULT_BALANCE // 5})
    payments = [encode(bench.payment()) for _ in range(20)]
    answers = at_once(20, lambda number: bench.pay("fees", payments[number]))
    assert sorted(answer.status for answer in answers) == [200] * 5 + [402] * 15
    assert settled(bench) == 5
    numbers = {receipt(answer)["transactionId"] for answer in answers if answer.status == 200}
    assert len(numbers) == 5
