"""The guard's rules, one by one and together."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from trace_room import (
    BASE,
    HOST,
    HOUR,
    MINUTE,
    NOON,
    SELLER,
    USDC,
    TraceRoom,
    named,
    offered,
    paid,
    requirements,
    rules,
)

from haia_trace_mcp.errors import RunsError, UnknownTemplateError
from haia_trace_mcp.guard import Decision, check_before_pay
from haia_trace_mcp.money import AmountError
from haia_trace_mcp.policy import CounterpartyError
from haia_trace_mcp.reviews import RULES, BrokenLogError

ROOT = Path(__file__).parents[3]
CONTRACT = json.loads((ROOT / "contract/contract.json").read_text("utf-8"))
OTHER = "0xC0C0000000000000000000000000000000000003"
SEPOLIA = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
LIMIT_OF_ONE = {"amount": "1", "windowHours": 24}


@pytest.fixture
def room(tmp_path: Path) -> TraceRoom:
    return TraceRoom(tmp_path / ".trace")


def detail(decision: Decision, rule: str) -> str:
    return next(each.detail for each in decision.reasons if each.rule == rule)


def test_a_payment_that_nothing_speaks_against_is_allowed_and_nothing_is_written(
    room: TraceRoom,
) -> None:
    decision = room.check()
    assert (decision.decision, rules(decision), decision.review_id) == ("allow", [], None)
    assert "No operation with this counterparty is recorded." in detail(decision, "history")
    assert not room.log.parent.exists()


def test_an_allow_without_any_runs_says_that_nothing_is_known(room: TraceRoom) -> None:
    assert "nothing is known of anybody" in detail(room.check(), "history")
    room.pay("op", settled=True)
    decision = room.check("another.example")
    assert "No operation with this counterparty is recorded." in detail(decision, "history")
    assert "nothing is known of anybody" not in detail(decision, "history")


def test_a_block_goes_before_all_and_opens_no_review(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    decision = room.check(
        amount="99", denylist=[SELLER.upper().replace("0X", "0x")], allowlist=["x.test"]
    )
    assert (decision.decision, rules(decision)) == ("block", ["denylist"])
    assert "1 operation with this counterparty: 0 full, 1 partial, 1 open." in detail(
        decision, "history"
    )
    assert not room.log.parent.exists()


def test_who_is_not_on_the_allowlist_is_for_a_person(room: TraceRoom) -> None:
    assert rules(room.check(allowlist=[OTHER])) == ["allowlist"]
    assert rules(room.check(allowlist=[SELLER.lower(), OTHER])) == []
    assert rules(room.check(f"https://{HOST}:8443/x", allowlist=[HOST.upper() + "."])) == []


@pytest.mark.parametrize("counterparty", [SELLER, SELLER.lower(), HOST, f"https://{HOST}/other"])
def test_an_operation_that_was_paid_and_not_seen_to_complete_is_open(
    room: TraceRoom, counterparty: str
) -> None:
    room.pay("done")
    room.pay("op", settled=False, run="2")
    decision = room.check(counterparty)
    assert (decision.decision, rules(decision)) == ("review", ["open_partial"])
    assert named(decision, "open_partial") == [("2", "op")]
    assert rules(room.check(counterparty, maxOpenPartialPerCounterparty=1)) == []
    assert rules(room.check(OTHER)) == []


def test_walking_away_from_an_offer_is_not_open(room: TraceRoom) -> None:
    room.record("x402.payment.required", "op", offered(requirements("250000")))
    room.record("x402.payment.failed", "op", {})
    decision = room.check()
    assert rules(decision) == []
    assert "1 operation with this counterparty: 0 full, 1 partial, 0 open." in detail(
        decision, "history"
    )


def test_a_fault_after_the_payment_is_open_and_one_after_the_settlement_is_not(
    room: TraceRoom,
) -> None:
    room.pay("failed", settled=False, fault=True)
    room.pay("settled", fault=True)
    assert named(room.check(), "open_partial") == [("1", "failed")]


def test_one_id_in_two_runs_is_two_operations(room: TraceRoom) -> None:
    room.pay("op", settled=False, run="1")
    room.pay("op", settled=False, run="2")
    assert set(named(room.check(), "open_partial")) == {("1", "op"), ("2", "op")}


def test_the_two_halves_of_a_lone_mcp_client_are_one_payment(room: TraceRoom) -> None:
    offer = offered(requirements("250000"), requirements("250000", to=OTHER))
    room.record("x402.payment.required", "ask", offer)
    room.record("x402.payment.requested", "ask", offer)
    assert named(room.check(), "open_partial") == [("1", "ask")]
    answer = {**paid("250000"), "settle": {"success": True}}
    room.record("x402.payment.responded", "answer", answer)
    assert rules(room.check()) == []
    limit = {"amount": "0.50", "windowHours": 24}
    assert rules(room.check(perCounterpartyLimit=limit)) == [], "0.25 was spent, and not 0.50"
    room.record("x402.payment.required", "second", offer)
    room.record("x402.payment.requested", "second", offer)
    assert named(room.check(), "open_partial") == [("1", "second")]


def test_a_template_of_the_project_is_judged_coarsely_and_says_so(room: TraceRoom) -> None:
    (room.path / "templates").mkdir()
    (room.path / "templates/mine.yaml").write_text(
        "template: mine\nversion: 1\nstages:\n  - id: a\n    required: true\n    match:\n"
        "      - event: never\n",
        "utf-8",
    )
    room.pay("op")
    decision = room.guard().check(SELLER, "0.25", template="mine")
    assert rules(decision) == ["open_partial"]
    assert "nobody knows whether paid" in detail(decision, "open_partial")
    assert "any partial operation counts as open" in detail(decision, "history")


def test_escrow_receipts_are_said_to_name_nobody(room: TraceRoom) -> None:
    decision = room.guard().check(SELLER, "0.25", template="escrow-arc")
    assert "cannot be attributed to a counterparty" in detail(decision, "history")


@pytest.mark.parametrize(
    "asset",
    [None, "USDC", "usdc", USDC, USDC.lower(), f"base/{USDC}", f"{BASE}/{USDC.lower()}"],
)
def test_the_policys_asset_has_many_names(room: TraceRoom, asset: str | None) -> None:
    assert room.guard().check(SELLER, "0.25", asset).decision == "allow"


@pytest.mark.parametrize(
    ("amount", "asset", "rule"),
    [
        ("0.25", "EUR", "unknown_asset"),
        ("0.25", f"polygon/{USDC}", "unknown_asset"),
        ("0.25", "0x" + "1" * 40, "unknown_asset"),
        ("0.0000001", None, "unparseable_amount"),
        ("9" * 78, None, "unparseable_amount"),
        ("0.25", SEPOLIA, "asset_mismatch"),
        ("0.25", f"base-sepolia/{SEPOLIA}", "asset_mismatch"),
        ("0.25", "EURX", "asset_mismatch"),
        ("0.25", "TWIN", "unknown_asset"),
    ],
)
def test_an_amount_that_cannot_be_read_is_for_a_person_and_nothing_is_added_up(
    room: TraceRoom, amount: str, asset: str | None, rule: str
) -> None:
    room.pay("op", None)
    coins = {
        f"base/0x{digit * 40}": {"symbol": symbol, "decimals": 6}
        for digit, symbol in (("2", "EURX"), ("3", "TWIN"), ("4", "twin"))
    }
    policy: dict[str, Any] = {"assets": coins, "reviewAbove": "0"}
    decision = room.guard(**policy, perCounterpartyLimit={"amount": "0", "windowHours": 1}).check(
        SELLER, amount, asset
    )
    assert (decision.decision, rules(decision)) == ("review", [rule])


def test_of_assets_with_one_symbol_the_policys_own_is_meant(room: TraceRoom) -> None:
    key = f"base-sepolia/{SEPOLIA}"
    decision = room.guard(defaultAsset=key, reviewAbove="0.20").check(SELLER, "0.25", "USDC")
    assert rules(decision) == ["review_above"]
    review = room.reviews.show(decision.review_id or "")
    assert review.asset == f"eip155:84532/{SEPOLIA.lower()}"


def test_the_limit_counts_what_was_paid_in_the_window_under_both_names_of_a_network(
    room: TraceRoom,
) -> None:
    room.pay("v1", "400000", network="base", asset=USDC.lower())
    room.pay("v2", "400000", network=BASE)
    room.pay("other", "400000", to=OTHER, host="other.test")
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE}
    assert rules(room.check(amount="0.2", **policy)) == []
    decision = room.check(amount="0.200001", **policy)
    assert rules(decision) == ["per_counterparty_limit"]
    assert "1.000001 USDC, more than the limit of 1 USDC" in detail(
        decision, "per_counterparty_limit"
    )


def test_what_may_have_been_paid_counts_and_what_only_was_offered_does_not(room: TraceRoom) -> None:
    room.pay("open", "900000", settled=False, fault=True)
    room.record("x402.payment.required", "walked", offered(requirements("900000")))
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "maxOpenPartialPerCounterparty": 9}
    assert rules(room.check(amount="0.1", **policy)) == []
    assert rules(room.check(amount="0.11", **policy)) == ["per_counterparty_limit"]


def test_the_window_moves_with_the_clock_and_never_leaves_out_the_future(room: TraceRoom) -> None:
    room.pay("op", "900000")
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE}
    room.now = NOON + 24 * HOUR
    assert rules(room.check(amount="0.2", **policy)) == ["per_counterparty_limit"]
    room.now += 1
    assert rules(room.check(amount="0.2", **policy)) == []
    room.now = NOON - 48 * HOUR  # the clock went back
    assert rules(room.check(amount="0.2", **policy)) == ["per_counterparty_limit"]


def test_payments_in_other_assets_are_not_added_up(room: TraceRoom) -> None:
    room.pay("dollars")
    room.pay("test money", network="base-sepolia", asset=SEPOLIA)
    room.pay("nowhere", network="nowhere")
    decision = room.check()
    assert rules(decision) == ["mixed_assets"]
    assert set(named(decision, "mixed_assets")) == {("1", "test money"), ("1", "nowhere")}
    room.now += 25 * HOUR
    assert rules(room.check()) == []


@pytest.mark.parametrize("amount", [None, "", "0.25", "-1", "1e3", "9" * 79])
def test_payments_that_cannot_be_read_are_not_added_up(room: TraceRoom, amount: str | None) -> None:
    room.pay("op", amount)
    decision = room.check()
    assert rules(decision) == ["unparseable_history"]
    assert named(decision, "unparseable_history") == [("1", "op")]


def test_an_amount_that_is_large_by_itself_is_for_a_person(room: TraceRoom) -> None:
    assert rules(room.check(amount="1.00")) == []
    assert rules(room.check(amount="1.000001")) == ["review_above"]
    assert rules(room.check(amount="1.000001", reviewAbove="2")) == []


def test_the_window_limit_counts_all_counterparties(room: TraceRoom) -> None:
    room.pay("one", "500000")
    room.pay("two", "500000", to=OTHER, host="other.test")
    assert rules(room.check(amount="0.1")) == []
    assert rules(room.check(amount="0.1", windowLimit=LIMIT_OF_ONE)) == ["window_limit"]
    assert rules(room.check(amount="0", windowLimit=LIMIT_OF_ONE)) == []
    room.pay("three", None, to=OTHER, host="other.test")
    assert rules(room.check(amount="0", windowLimit=LIMIT_OF_ONE)) == ["unparseable_history"]
    assert rules(room.check(amount="0")) == []


def test_the_same_payment_a_few_minutes_later_is_a_duplicate(room: TraceRoom) -> None:
    room.pay("op", "250000", network="base")
    room.pay("less", "240000")
    policy = {"duplicateWindowMinutes": 5}
    assert rules(room.check()) == []
    decision = room.check(amount="0.250", **policy)
    assert rules(decision) == ["duplicate"]
    assert named(decision, "duplicate") == [("1", "op")]
    assert rules(room.check(amount="0.26", **policy)) == []
    assert rules(room.check(OTHER, **policy)) == []
    room.now += 5 * MINUTE + 1
    assert rules(room.check(**policy)) == []


def test_a_payment_that_did_not_settle_is_open_and_no_duplicate(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    assert rules(room.check(duplicateWindowMinutes=5)) == ["open_partial"]


def test_two_checks_at_one_moment_pass_a_limit_together_only_without_reservations(
    room: TraceRoom,
) -> None:
    policy: dict[str, Any] = {"perCounterpartyLimit": LIMIT_OF_ONE}
    assert [room.check(amount="0.6", **policy).decision for _ in range(2)] == ["allow", "allow"]
    policy["reservationSeconds"] = 60
    assert room.check(amount="0.6", **policy).decision == "allow"
    decision = room.check(amount="0.6", **policy)
    assert rules(decision) == ["reserved"]
    assert "0.6 USDC for this counterparty" in detail(decision, "reserved")
    assert rules(room.check(OTHER, amount="0.6", **policy)) == []
    room.now += 60_000
    assert rules(room.check(amount="0.6", **policy)) == []


def test_a_reservation_ends_when_its_payment_is_recorded(room: TraceRoom) -> None:
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "reservationSeconds": 600}
    assert rules(room.check(amount="0.4", **policy)) == []
    room.now += 1000
    room.pay("op", "400000", network="base")
    assert rules(room.check(amount="0.6", **policy)) == []
    assert rules(room.check(amount="0.1", **policy)) == ["reserved"]


def test_reservations_of_all_count_for_the_window_limit(room: TraceRoom) -> None:
    policy = {"windowLimit": LIMIT_OF_ONE, "reservationSeconds": 60}
    assert rules(room.check(SELLER, "0.6", **policy)) == []
    assert rules(room.check(OTHER, "0.6", **policy)) == ["reserved"]


def test_an_approved_amount_is_reserved_too(room: TraceRoom) -> None:
    policy: dict[str, Any] = {
        "perCounterpartyLimit": {"amount": "5", "windowHours": 1},
        "reservationSeconds": 60,
    }
    decision = room.check(amount="4", **policy)
    assert rules(decision) == ["review_above"]
    assert rules(room.check(amount="1", **policy)) == []
    room.reviews.approve(decision.review_id or "")
    assert rules(room.check(amount="0.5", **policy)) == ["reserved"]


def test_reservations_in_other_assets_do_not_count(room: TraceRoom) -> None:
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "reservationSeconds": 60}
    assert rules(room.check(amount="0.6", defaultAsset=f"base-sepolia/{SEPOLIA}", **policy)) == []
    assert rules(room.check(amount="0.6", **policy)) == []
    assert rules(room.check(amount="0.6", **policy)) == ["reserved"]


def test_a_payment_takes_up_one_reservation_and_the_oldest(room: TraceRoom) -> None:
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "reservationSeconds": 60}
    assert rules(room.check(amount="0.3", **policy)) == []
    room.now += 50_000
    assert rules(room.check(amount="0.3", **policy)) == []
    room.pay("op", "300000")
    room.now += 20_000  # the first has ended; the payment may be that of either
    assert rules(room.check(amount="0.4", **policy)) == []
    assert rules(room.check(amount="0.4", **policy)) == ["reserved"]
    assert rules(room.check(amount="0.41", **policy)) == ["reserved"]


def test_the_clock_going_back_keeps_reservations(room: TraceRoom) -> None:
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "reservationSeconds": 60}
    assert rules(room.check(amount="0.6", **policy)) == []
    room.now -= 5 * HOUR
    assert rules(room.check(amount="0.6", **policy)) == ["reserved"]


def test_of_many_checks_at_once_only_as_many_pass_as_the_limit_has_room_for(
    room: TraceRoom,
) -> None:
    policy = {"perCounterpartyLimit": LIMIT_OF_ONE, "reservationSeconds": 60}

    def ask(_: int) -> str:
        room.reviews = room.new_reviews()  # each with its own view of the log, like a process
        return room.check(amount="0.3", **policy).decision

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(16)))
    assert answers.count("allow") == 3
    assert answers.count("review") == 13


def test_asking_again_gets_the_same_review_until_it_is_decided(room: TraceRoom) -> None:
    guard = room.guard()
    room.pay("op", settled=False)
    first = guard.check(SELLER, "0.25")
    again = [
        guard.check(SELLER.lower(), "0.250", "USDC"),
        guard.check(SELLER, "0.25", template="x402-buyer"),
    ]
    assert {each.review_id for each in again} == {first.review_id}
    assert guard.check(HOST, "0.25").review_id != first.review_id
    room.reviews.approve(first.review_id or "")
    assert guard.check(SELLER, "0.25").review_id != first.review_id


def test_a_review_says_what_was_asked_and_why(room: TraceRoom) -> None:
    room.pay("op", settled=False)
    decision = room.check(f"https://{HOST}/x?token=secret", "1.50")
    review = room.reviews.show(decision.review_id or "")
    assert (review.counterparty, review.amount) == (HOST, "1.5")
    assert review.asset == f"{BASE}/{USDC.lower()}"
    assert review.template == "x402-buyer"
    assert review.reasons == decision.reasons
    assert [each.rule for each in review.reasons] == ["open_partial", "review_above", "history"]
    assert b"secret" not in room.log.read_bytes()


def test_every_rule_can_speak_and_they_speak_in_the_order_of_the_contract(room: TraceRoom) -> None:
    room.pay("old", "9000000", at=NOON - HOUR)
    room.pay("open", None, settled=False)
    room.pay("other", asset=SEPOLIA)
    room.pay("same", "1500000")
    policy: dict[str, Any] = {
        "allowlist": [OTHER],
        "windowLimit": {"amount": "1", "windowHours": 2},
        "duplicateWindowMinutes": 5,
    }
    heard = rules(room.check(amount="1.5", **policy))
    assert heard == [
        "allowlist",
        "open_partial",
        "per_counterparty_limit",
        "window_limit",
        "mixed_assets",
        "unparseable_history",
        "duplicate",
        "review_above",
    ]
    # The others have tests of their own; they never come with all of these.
    apart = {"denylist", "unknown_asset", "unparseable_amount", "asset_mismatch", "reserved"}
    assert {*heard, *apart, "history"} == set(RULES)


def test_rules_are_those_of_the_contract() -> None:
    known = CONTRACT["$defs"]["ReviewReason"]["properties"]["rule"]["enum"]
    assert sorted(RULES) == known


def test_answers_keep_the_contract(room: TraceRoom) -> None:
    tools = {tool["name"]: tool for tool in CONTRACT["servers"]["haia-trace"]["tools"]}
    defs = CONTRACT["$defs"]
    judge = Draft202012Validator({**tools["check_before_pay"]["outputSchema"], "$defs": defs})
    status = Draft202012Validator({**tools["get_review_status"]["outputSchema"], "$defs": defs})
    room.pay("op", settled=False)
    guard = room.guard(denylist=["evil.test"])
    for counterparty, amount in ((OTHER, "0.25"), (SELLER, "0.25"), ("evil.test", "0.25")):
        judge.validate(check_before_pay(guard, counterparty=counterparty, amount=amount))
    (review,) = room.reviews.list_reviews()
    status.validate(review.to_json())
    for note in ("", "Not again."):
        review_id = room.check(amount=f"1.{len(note)}1").review_id or ""
        status.validate(room.reviews.reject(review_id, note).to_json())


def test_what_cannot_be_read_is_an_error_and_never_an_answer(room: TraceRoom) -> None:
    with pytest.raises(CounterpartyError):
        room.check("mcp://tool/weather")
    with pytest.raises(AmountError):
        room.check(amount="1e3")
    with pytest.raises(UnknownTemplateError):
        room.guard().check(SELLER, "0.25", template="nobody")
    room.pay("op", settled=False)
    opened = room.check()
    room.log.write_bytes(room.log.read_bytes() + b"nonsense\n")
    with pytest.raises(BrokenLogError):
        room.check()
    (room.path / "events/2.ndjson").write_text("{}\n", "utf-8")
    for policy in ({}, {"denylist": [SELLER]}):
        with pytest.raises(RunsError, match='run "2", line 1'):
            room.check(**policy)
    assert opened.review_id


def test_a_call_changes_no_policy(room: TraceRoom) -> None:
    guard = room.guard(reviewAbove="0.10")
    room.record("x402.payment.required", "op", {**offered(requirements("1")), "reviewAbove": "99"})
    (room.path / "haia-guard.config.json").write_text('{"reviewAbove": "99"}', "utf-8")
    assert rules(guard.check(SELLER, "0.25")) == ["review_above"]
