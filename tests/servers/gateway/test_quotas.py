"""Quotas, each in its own window of 60 s, and the assistant's budget."""

from __future__ import annotations

from typing import Any

import pytest
from gateway_bench import KEY_ID, Bench

from fairwins_gateway.seeding.members import ALICE, BOB, MALLORY


def use_up(bench: Bench, route: str, count: int, **request: Any) -> None:
    """Ask as often as the quota permits, and be refused once more."""
    for _ in range(count):
        assert bench.ask(route, **request).status in (200, 400)
    assert bench.ask(route, **request).code == "quota_exceeded"


def enrol(bench: Bench, count: int) -> list[str]:
    """Make new members, and return their accounts."""
    accounts = [f"0x{number:040x}" for number in range(1, count + 1)]
    with bench.gateway.database.transaction() as connection:
        connection.executemany(
            "INSERT INTO members VALUES (?, 1, NULL)", [(account,) for account in accounts]
        )
    return accounts


def test_a_member_has_120_requests_and_others_are_not_touched(bench: Bench) -> None:
    use_up(bench, "membership", 120)
    assert bench.ask("me").code == "quota_exceeded"
    assert bench.ask("me", token=bench.token(BOB)).status == 200
    assert bench.ask("assistantChat").status == 200
    assert bench.ask("status").status == 200


def test_a_refusal_says_when_to_come_back_and_the_window_then_opens(bench: Bench) -> None:
    bench.ask("me")
    bench.now += 20
    for _ in range(119):
        bench.ask("me")
    refused = bench.ask("me")
    assert refused.headers["Retry-After"] == "40"
    bench.now += 39
    assert bench.ask("me").headers["Retry-After"] == "1"
    bench.now += 1
    assert bench.ask("me").status == 200


def test_all_members_together_have_600_requests(bench: Bench) -> None:
    for account in enrol(bench, 6):
        for _ in range(100):
            assert bench.ask("membership", token=bench.token(account)).status == 200
    assert bench.ask("membership").code == "quota_exceeded"


def test_public_routes_share_240_requests(bench: Bench) -> None:
    use_up(bench, "markets", 240, query=[("next", "9999")])
    assert bench.ask("status").code == "quota_exceeded"
    assert bench.ask("openapi").code == "quota_exceeded"
    assert bench.ask("relayStatus").code == "quota_exceeded"
    assert bench.ask("news").status == 200
    assert bench.ask("me").status == 200


@pytest.mark.parametrize("route", ["news", "pairs"])
def test_news_and_perps_are_counted_by_address(bench: Bench, route: str) -> None:
    use_up(bench, route, 240)
    assert bench.ask(route, address="192.0.2.7").status == 200


def test_revocations_are_60(bench: Bench) -> None:
    use_up(bench, "revoke", 60, body=bench.wallet.revoke(ALICE, KEY_ID))


def test_the_assistant_has_windows_of_its_own(bench: Bench) -> None:
    use_up(bench, "assistantChat", 20)
    assert bench.ask("me").status == 200
    accounts = enrol(bench, 3)
    for account in accounts[:2]:
        for _ in range(20):
            assert bench.ask("assistantChat", token=bench.token(account)).status == 200
    refused = bench.ask("assistantChat", token=bench.token(accounts[2]))
    assert refused.code == "quota_exceeded"


def long_turn(characters: int) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "x" * characters}]}


def test_the_assistant_has_a_budget_of_tokens_for_an_hour(bench: Bench) -> None:
    for _ in range(3):
        assert bench.ask("assistantChat", body=long_turn(240_000)).status == 200
    refused = bench.ask("assistantChat", body=long_turn(240_000))
    assert refused.code == "assistant_budget_exhausted"
    assert refused.headers["Retry-After"] == "3600"
    assert bench.ask("assistantChat", body=long_turn(40_000)).status == 200
    bench.now += 3600
    assert bench.ask("assistantChat", body=long_turn(240_000)).status == 200


def test_all_members_share_a_larger_budget(bench: Bench) -> None:
    for account in enrol(bench, 11):
        for _ in range(3):
            token = bench.token(account)
            assert bench.ask("assistantChat", token=token, body=long_turn(240_000)).status == 200
    assert bench.ask("assistantChat", body=long_turn(240_000)).code == "assistant_budget_exhausted"
    assert bench.ask("assistantChat", body=long_turn(40)).status == 200


def test_a_refused_request_counts_for_nothing(bench: Bench) -> None:
    for _ in range(130):
        assert bench.ask("me", token=bench.token(MALLORY)).code == "sanctioned_signer"
        assert bench.ask("me", token=bench.token(scopes=("read:fees",))).code == (
            "insufficient_scope"
        )
    assert bench.ask("me").status == 200


def test_a_payer_has_the_quota_of_an_account_and_is_not_charged_beyond_it(bench: Bench) -> None:
    use_up(bench, "fees", 120)
    refused = bench.pay("fees", bench.payment())
    assert refused.code == "quota_exceeded"
    assert bench.gateway.database.rows("SELECT * FROM settlements") == []
