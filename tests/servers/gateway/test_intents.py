"""Building intents, and relaying signed ones."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from gateway_bench import Bench

from fairwins_gateway.actions import ACTIONS, PINNED
from fairwins_gateway.seeding.members import ALICE, BOB, MALLORY

USDC = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
PARAMS: dict[str, dict[str, Any]] = {
    "createWager": {
        "opponent": BOB,
        "token": USDC,
        "creatorStake": "340282366920938463463374607431768211456",
        "opponentStake": "0",
        "resolutionType": 1,
        "acceptBefore": 1_800_000_000,
    },
    "acceptWager": {"wagerId": "42"},
    "claimPayout": {"wagerId": 42},
    "poolJoin": {"value": "2500000"},
}


def build(bench: Bench, action: str, chain: int = 137, **params: Any) -> Any:
    request = {"action": action, "chainId": chain, "params": {**PARAMS.get(action, {}), **params}}
    return bench.ask("buildIntent", body=request)


def signed(bench: Bench, action: str = "claimPayout", account: str = ALICE) -> dict[str, Any]:
    body = {"action": action, "chainId": 137, "params": PARAMS[action]}
    built = bench.ask("buildIntent", token=bench.token(account), body=body).document
    return bench.wallet.sign_intent(built, "ab" * 32)


def test_every_action_that_is_pinned_has_parameters_here() -> None:
    pinned = {contract for contract, _ in PINNED}
    assert PARAMS.keys() == {name for name, each in ACTIONS.items() if each.contract in pinned}


@pytest.mark.parametrize("action", sorted(PARAMS))
def test_an_action_becomes_typed_data_with_the_caller_as_its_actor(
    bench: Bench, action: str
) -> None:
    built = build(bench, action).document
    typed = built["typedData"]
    assert typed["message"][built["actorField"]] == ALICE
    fields = [field["name"] for field in typed["types"][typed["primaryType"]]]
    assert [name for name in fields if name not in typed["message"]] == [
        "validAfter",
        "validBefore",
        "nonce",
    ]
    assert set(typed["message"]) <= set(fields)
    assert all(isinstance(value, str) for value in typed["message"].values())
    assert typed["domain"]["chainId"] == 137


@pytest.mark.parametrize("action", sorted(PARAMS))
def test_the_actor_cannot_be_chosen(bench: Bench, action: str) -> None:
    field = ACTIONS[action].actor
    chosen: dict[str, Any] = {field: BOB}
    assert build(bench, action, **chosen).document["typedData"]["message"][field] == ALICE


def test_joining_a_pool_is_a_payment_by_the_tokens_own_authorization(bench: Bench) -> None:
    built = build(bench, "poolJoin").document
    assert (built["authOnly"], built["intentClass"]) == (True, "payment")
    assert built["typedData"]["primaryType"] == "ReceiveWithAuthorization"
    assert built["typedData"]["domain"] == {
        "name": "USD Coin",
        "version": "2",
        "chainId": 137,
        "verifyingContract": USDC,
    }
    assert built["typedData"]["message"]["to"] == built["target"]


def test_a_claim_only_acts_in_the_signers_name(bench: Bench) -> None:
    built = build(bench, "claimPayout").document
    assert (built["authOnly"], built["intentClass"]) == (False, "signer-attributed")
    assert built["typedData"]["message"]["wagerId"] == "42"


@pytest.mark.parametrize(
    ("action", "name"), [(action, name) for action in PARAMS for name in PARAMS[action]]
)
def test_a_missing_parameter_is_named(bench: Bench, action: str, name: str) -> None:
    params = {known: value for known, value in PARAMS[action].items() if known != name}
    body = {"action": action, "chainId": 137, "params": params}
    answer = bench.ask("buildIntent", body=body)
    assert answer.code == "bad_request"
    assert name in answer.document["error"]["reason"]


def test_all_missing_parameters_are_named_at_once(bench: Bench) -> None:
    answer = bench.ask("buildIntent", body={"action": "createWager", "chainId": 137})
    assert all(name in answer.document["error"]["reason"] for name in PARAMS["createWager"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opponent", "bob"),
        ("opponent", BOB + "0"),
        ("token", f"{USDC}\n"),
        ("creatorStake", "1.5"),
        ("creatorStake", 1.5),
        ("creatorStake", 1e18),
        ("creatorStake", "-1"),
        ("creatorStake", -1),
        ("creatorStake", "1e18"),
        ("creatorStake", "007"),
        ("creatorStake", str(1 << 256)),
        ("creatorStake", True),
        ("creatorStake", None),
        ("creatorStake", ["1"]),
        ("resolutionType", 256),
        ("acceptBefore", "soon"),
    ],
)
def test_a_parameter_of_another_form_is_named(bench: Bench, name: str, value: Any) -> None:
    answer = build(bench, "createWager", **{name: value})
    assert answer.code == "bad_request"
    assert name in answer.document["error"]["reason"]


def test_the_largest_amount_is_taken_to_the_last_digit(bench: Bench) -> None:
    most = (1 << 256) - 1
    for value in (most, str(most)):
        built = build(bench, "createWager", creatorStake=value).document
        assert built["typedData"]["message"]["creatorStake"] == str(most)


def test_an_unknown_parameter_is_named(bench: Bench) -> None:
    answer = build(bench, "claimPayout", amount="5")
    assert answer.code == "bad_request"
    assert "amount" in answer.document["error"]["reason"]


def test_what_is_not_built_is_said_with_what_is(bench: Bench) -> None:
    for action in ("invalidateNonce", "claimpayout", "withdraw"):
        answer = build(bench, action)
        assert answer.code == "unsupported_action"
        assert "claimPayout" in answer.document["error"]["reason"]


@pytest.mark.parametrize(("action", "chain"), [("callsignCommit", 137), ("poolJoin", 63)])
def test_an_unpinned_target_is_refused_with_action_and_chain(
    bench: Bench, action: str, chain: int
) -> None:
    answer = build(bench, action, chain, commitment=f"0x{'00' * 32}")
    assert answer.code == "unsupported_action"
    assert action in answer.document["error"]["reason"]
    assert str(chain) in answer.document["error"]["reason"]


def test_a_chain_that_is_not_served_is_a_bad_request(bench: Bench) -> None:
    assert build(bench, "claimPayout", 1).code == "bad_request"


def test_a_chain_as_137_0_is_chain_137(bench: Bench) -> None:
    body = b'{"action":"claimPayout","chainId":137.0,"params":{"wagerId":"1"}}'
    assert bench.ask("buildIntent", body=body).document["chainId"] == 137


@pytest.mark.parametrize("action", sorted(PARAMS))
def test_a_signed_intent_goes_through_the_relay(bench: Bench, action: str) -> None:
    taken = bench.ask("relaySubmit", body=signed(bench, action)).document
    assert (taken["status"], taken["txHash"]) == ("pending", None)
    asked: dict[str, Any] = {"path": {"id": taken["id"]}}
    bench.now += 5
    mined = bench.ask("relayStatus", **asked).document
    assert mined["status"] == "mined"
    bench.now += 25
    confirmed = bench.ask("relayStatus", **asked).document
    assert (confirmed["status"], confirmed["txHash"]) == ("confirmed", mined["txHash"])


def test_the_same_intent_twice_is_one_intent(bench: Bench) -> None:
    intent = signed(bench)
    first = bench.ask("relaySubmit", body=intent).document
    bench.now += 10
    again = bench.ask("relaySubmit", body=intent).document
    assert (again["id"], again["status"]) == (first["id"], "mined")


def test_a_signature_of_somebody_else_is_refused(bench: Bench) -> None:
    intent = signed(bench)
    intent["signature"] = signed(bench, account=BOB)["signature"]
    assert bench.ask("relaySubmit", body=intent).code == "invalid_signature"


def test_a_changed_message_is_no_longer_signed(bench: Bench) -> None:
    intent = signed(bench)
    intent["typedData"]["message"]["wagerId"] = "43"
    assert bench.ask("relaySubmit", body=intent).code == "invalid_signature"


def test_a_sanctioned_actor_is_refused(bench: Bench) -> None:
    built = build(bench, "claimPayout").document
    built["typedData"]["message"]["claimant"] = MALLORY
    body = bench.wallet.sign_intent(built, "cd" * 32)
    assert bench.ask("relaySubmit", body=body).code == "sanctioned_signer"


def test_typed_data_of_something_else_is_refused(bench: Bench) -> None:
    good = signed(bench)
    for path, value in (
        (("typedData",), None),
        (("typedData", "domain", "chainId"), 1),
        (("typedData", "domain", "verifyingContract"), USDC),
        (("typedData", "primaryType"), "Permit"),
        (("typedData", "types", "ClaimPayout"), []),
        (("typedData", "message", "claimant"), 5),
        (("action",), "acceptWager"),
    ):
        body: Any = copy.deepcopy(good)
        inner = body
        for name in path[:-1]:
            inner = inner[name]
        if value is None:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value
        assert bench.ask("relaySubmit", body=body).code == "bad_request"


@pytest.mark.parametrize("name", ["validAfter", "validBefore", "nonce"])
def test_an_unfinished_message_is_refused_with_what_it_lacks(bench: Bench, name: str) -> None:
    intent = signed(bench)
    del intent["typedData"]["message"][name]
    answer = bench.ask("relaySubmit", body=intent)
    assert answer.code == "bad_request"
    assert name in answer.document["error"]["reason"]
