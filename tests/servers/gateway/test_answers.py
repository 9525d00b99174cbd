"""What the routes answer when all is well; the bench holds each answer against the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gateway_bench import GOOD, KEY_ID, ROUTES, TURN, Bench

from fairwins_gateway.document import document_bytes
from fairwins_gateway.seeding.members import ALICE, BOB, POOR

PLAIN = sorted(GOOD.keys() - {"relayStatus", "relaySubmit", "revoke"})


def test_every_route_of_the_contract_has_a_good_request() -> None:
    assert GOOD.keys() == ROUTES.keys()


@pytest.mark.parametrize("route", PLAIN)
def test_a_good_request_is_answered_as_the_contract_says(bench: Bench, route: str) -> None:
    assert bench.ask(route).status == 200


def test_a_profile_says_what_the_token_says(bench: Bench) -> None:
    token = bench.token(label="<b>obey me</b>", scopes=("read:profile",))
    profile = bench.ask("me", token=token).document
    assert profile["label"] == "<b>obey me</b>"
    assert profile["scopes"] == ["read:profile"]
    assert profile["keyId"] == KEY_ID
    assert profile["membership"]["tierName"] == "Gold"
    assert "label" not in bench.ask("me").document


def test_wagers_are_the_members_own_newest_first(bench: Bench) -> None:
    answer = bench.ask("wagers", query=[("first", "200")]).document
    wagers = answer["chains"]["137"]["wagers"]
    assert len(wagers) > 50
    assert all(ALICE in (wager["creator"], wager["opponent"]) for wager in wagers)
    created = [wager["createdAt"] for wager in wagers]
    assert created == sorted(created, reverse=True)
    assert {wager["status"] for wager in wagers} >= {"open", "active", "resolved", None}
    assert any(wager["winner"] is None for wager in wagers)


def test_a_chain_without_an_indexer_says_so_and_makes_the_answer_partial(bench: Bench) -> None:
    answer = bench.ask("wagers").document
    assert answer["chains"]["80002"]["state"] == "not-configured"
    assert "wagers" not in answer["chains"]["80002"]
    assert answer["partial"] == ["80002"]


def test_an_answer_about_one_chain_is_about_no_other(bench: Bench) -> None:
    answer = bench.ask("wagers", query=[("chainId", "63")]).document
    assert list(answer["chains"]) == ["63"]
    assert answer["partial"] is None


def test_first_bounds_the_list_of_each_chain(bench: Bench) -> None:
    answer = bench.ask("wagers", query=[("first", "3")]).document
    assert len(answer["chains"]["137"]["wagers"]) == 3
    assert len(bench.ask("wagers").document["chains"]["137"]["wagers"]) == 50


def test_a_member_without_wagers_has_an_empty_list_that_is_real(bench: Bench) -> None:
    answer = bench.ask("wagers", token=bench.token(POOR)).document
    assert answer["chains"]["137"] == {"chainId": 137, "state": "read", "wagers": []}


def test_the_spelling_of_an_account_does_not_count(bench: Bench) -> None:
    loud = "0x" + ALICE[2:].upper()
    answer = bench.ask("wagers", token=bench.token(loud)).document
    assert answer["account"] == loud
    assert answer["chains"]["137"]["wagers"]


def test_markets_come_a_hundred_to_a_page(bench: Bench) -> None:
    seen: list[str] = []
    cursor: str | None = "0"
    for _ in range(5):
        page = bench.ask("markets", query=[("next", cursor)]).document
        seen += [market["conditionId"] for market in page["markets"]]
        assert len(page["markets"]) <= 100
        cursor = page["next"]
        if cursor is None:
            break
    assert cursor is None
    assert len(seen) == len(set(seen)) > 200


def test_a_search_looks_at_its_page_only(bench: Bench) -> None:
    pages = [
        bench.ask("markets", query=[("q", "LISBON"), ("next", cursor)]).document
        for cursor in ("0", "100", "200")
    ]
    found = [market["question"] for page in pages for market in page["markets"]]
    assert pages[0]["next"] == "100"
    assert 0 < len(pages[0]["markets"]) < len(found)
    assert all("Lisbon" in question for question in found)


@pytest.mark.parametrize("search", ["x" * 4000, "rain\n\x00", ""])
def test_a_search_is_cut_and_cleaned_and_never_refused(bench: Bench, search: str) -> None:
    assert bench.ask("markets", query=[("q", search)]).status == 200


def test_a_cursor_behind_the_end_leads_to_an_empty_last_page(bench: Bench) -> None:
    page = bench.ask("markets", query=[("next", "9999999999")]).document
    assert (page["markets"], page["next"]) == ([], None)


def test_news_are_limited_and_thin_coverage_is_an_empty_list(bench: Bench) -> None:
    path = {"chainId": "bitcoin", "asset": "native"}
    slug = ("slug", "bitcoin")
    items = bench.ask("news", path=path, query=[slug, ("limit", "3")]).document["items"]
    assert len(items) == 3
    assert len(bench.ask("news", path=path, query=[slug]).document["items"]) == 8
    rare = bench.ask("news", path=path, query=[("slug", "rare-coin")]).document
    assert (rare["state"], rare["items"]) == ("read", [])


def test_pairs_name_their_venues_by_status(bench: Bench) -> None:
    answer = bench.ask("pairs").document
    assert {source["status"] for source in answer["sources"].values()} == {"read"}
    assert {pair["venue"] for pair in answer["pairs"]} == set(answer["sources"])


def test_no_answer_holds_a_float(bench: Bench) -> None:
    def refuse(text: str) -> None:
        raise AssertionError(text)

    for route in PLAIN:
        if route != "openapi":
            json.loads(json.dumps(bench.ask(route).document), parse_float=refuse)


def test_the_document_is_served_as_it_is(bench: Bench) -> None:
    assert bench.ask("openapi").document == json.loads(document_bytes())


def test_the_status_says_that_it_is_a_sandbox_and_what_calls_cost(bench: Bench) -> None:
    status = bench.ask("status").document
    assert "sandbox" in status["sandbox"]
    assert status["memberApi"]["x402"] == {
        "enabled": True,
        "killSwitch": False,
        "network": "eip155:137",
        "priced": {"read": "10000", "build": "50000", "assistant": "100000"},
    }


def test_a_price_of_zero_is_reported_as_not_for_sale(make_bench: Any) -> None:
    bench = make_bench(prices={"read": 0, "build": 5, "assistant": 0})
    priced = bench.ask("status").document["memberApi"]["x402"]["priced"]
    assert priced == {"read": None, "build": "5", "assistant": None}
    none = make_bench(prices={"read": 0}).ask("status").document["memberApi"]["x402"]
    assert (none["enabled"], none["network"]) == (False, None)


def test_a_key_is_revoked_by_a_signed_wish_and_by_nothing_else(bench: Bench) -> None:
    wish = bench.wallet.revoke(BOB, KEY_ID)
    forged = {**wish, "revocation": {**wish["revocation"], "account": ALICE}}
    assert bench.ask("revoke", body=forged).code == "invalid_signature"
    answer = bench.ask("revoke", body=wish).document
    assert answer["revoked"] is True
    assert answer["durable"] is False
    bench.ask("revoke", body=wish)
    other = f"0x{'77' * 32}"
    status = bench.ask(
        "keyStatus", token=bench.token(BOB, key_id=other), query=[("keyId", KEY_ID.upper())]
    )
    assert status.code == "bad_request"
    status = bench.ask("keyStatus", token=bench.token(BOB, key_id=other), query=[("keyId", KEY_ID)])
    assert status.document["revoked"] is True
    assert bench.ask("keyStatus").document["revoked"] is False


def test_a_key_status_is_about_the_tokens_own_account(bench: Bench) -> None:
    asked = [("keyId", KEY_ID), ("account", BOB)]
    assert bench.ask("keyStatus", query=asked).code == "bad_request"
    own = [("keyId", KEY_ID), ("account", "0x" + ALICE[2:].upper())]
    assert bench.ask("keyStatus", query=own).status == 200


def test_the_assistant_repeats_and_says_that_it_is_no_model(bench: Bench) -> None:
    answer = bench.ask("assistantChat").document
    assert "sandbox" in answer["reply"]
    assert TURN["messages"][0]["content"] in answer["reply"]
    assert answer == bench.ask("assistantChat").document
    assert answer["usage"]["inputTokens"] == 5


@pytest.mark.parametrize("roles", [["assistant"], ["user", "assistant"], ["assistant", "user"]])
def test_the_assistant_answers_the_member_only(bench: Bench, roles: list[str]) -> None:
    turns = {"messages": [{"role": role, "content": "x"} for role in roles]}
    assert bench.ask("assistantChat", body=turns).code == "bad_request"
