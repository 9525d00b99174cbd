"""The checks of a token, each reachable, in their fixed order."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from gateway_bench import DAY, KEY_ID, START, Bench

from fairwins_gateway.revocations import revoke
from fairwins_gateway.seeding.members import ALICE, BOB, CAROL, DAVE, MALLORY
from fairwins_gateway.signatures import LENGTH
from fairwins_gateway.tokens import SCOPES, encode_token

OTHER_SCOPES = ("read:profile",)


def forged(bench: Bench, account: str = ALICE, **changes: Any) -> str:
    """Return a token with a signature of the right length and nothing else."""
    return encode_token(bench.grant(account, **changes), bytes(LENGTH))


def part(document: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=").decode()


def grant_members(bench: Bench) -> dict[str, Any]:
    encoded = bench.token().split(".")[1]
    members: dict[str, Any] = json.loads(base64.urlsafe_b64decode(encoded + "=="))
    return members


def code(bench: Bench, token: str | None, route: str = "membership") -> str:
    return bench.ask(route, token=token).code


def test_the_checks_come_in_their_order(bench: Bench) -> None:
    """Begin with a token that fails every check, and mend one after the other."""
    long_ago = {"issued_at": START - 200 * DAY, "expires_at": START}
    too_long = {"issued_at": START, "expires_at": START + 91 * DAY}
    revoke(bench.gateway.database, CAROL, KEY_ID, START)
    revoke(bench.gateway.database, MALLORY, KEY_ID, START)
    sanction = "INSERT INTO sanctions VALUES (?)"
    with bench.gateway.database.transaction() as connection:
        connection.execute(sanction, (CAROL,))
    other = f"0x{'77' * 32}"
    bad = ("read:everything",)
    steps = [
        (forged(bench, CAROL, scopes=bad, **long_ago), "invalid_token"),
        (forged(bench, CAROL, scopes=OTHER_SCOPES, **long_ago), "token_expired"),
        (forged(bench, CAROL, scopes=OTHER_SCOPES, **too_long), "token_ttl_exceeded"),
        (forged(bench, CAROL, scopes=OTHER_SCOPES), "invalid_signature"),
        (bench.token(CAROL, scopes=OTHER_SCOPES), "token_revoked"),
        (bench.token(CAROL, scopes=OTHER_SCOPES, key_id=other), "membership_required"),
        (bench.token(MALLORY, scopes=OTHER_SCOPES, key_id=other), "sanctioned_signer"),
        (bench.token(scopes=OTHER_SCOPES), "insufficient_scope"),
        (bench.token(), ""),
    ]
    for token, wanted in steps:
        assert code(bench, token) == wanted
    for _ in range(119):
        assert code(bench, bench.token()) == ""
    assert code(bench, bench.token()) == "quota_exceeded"
    assert code(bench, bench.token(scopes=OTHER_SCOPES)) == "insufficient_scope"


def test_services_that_cannot_be_asked_fail_at_their_step(bench: Bench) -> None:
    revoke(bench.gateway.database, ALICE, KEY_ID, START)
    revoked, good = bench.token(), bench.token(key_id=f"0x{'77' * 32}")
    expired = bench.token(issued_at=START - DAY, expires_at=START - 1)
    bench.faults.turn_on("failure", "auth_unverifiable")
    assert code(bench, expired) == "token_expired"
    assert code(bench, revoked) == "auth_unverifiable"
    bench.faults.turn_on("failure", "membership_unreadable")
    assert code(bench, revoked) == "token_revoked"
    assert code(bench, good) == "membership_unreadable"
    bench.faults.turn_on("failure", "screening_unavailable")
    assert code(bench, bench.token(CAROL, key_id=f"0x{'77' * 32}")) == "membership_required"
    assert code(bench, bench.token(scopes=OTHER_SCOPES, key_id=f"0x{'77' * 32}")) == (
        "screening_unavailable"
    )


def test_a_token_is_good_until_the_second_of_its_end(bench: Bench) -> None:
    token = bench.token(expires_at=START + 10)
    bench.now = START + 9
    assert code(bench, token) == ""
    bench.now = START + 10
    assert code(bench, token) == "token_expired"


def test_a_clock_that_is_300_s_ahead_is_allowed_for(bench: Bench) -> None:
    assert code(bench, bench.token(issued_at=START + 300)) == ""
    assert code(bench, bench.token(issued_at=START + 301)) == "invalid_token"


def test_ninety_days_are_the_longest_life(bench: Bench) -> None:
    assert code(bench, bench.token(expires_at=START + 90 * DAY)) == ""
    assert code(bench, bench.token(expires_at=START + 90 * DAY + 1)) == "token_ttl_exceeded"


def test_the_label_is_not_signed_and_everything_else_is(bench: Bench) -> None:
    grant = bench.grant(label="mine")
    signature = bench.gateway.signer.sign(ALICE, grant.signed_text())
    changed: list[tuple[dict[str, Any], str]] = [
        ({"label": "yours"}, ""),
        ({"account": BOB}, "invalid_signature"),
        ({"key_id": f"0x{'11' * 32}"}, "invalid_signature"),
        ({"scopes": ("read:membership",)}, "invalid_signature"),
        ({"issued_at": START - 1}, "invalid_signature"),
        ({"expires_at": START + 31 * DAY}, "invalid_signature"),
    ]
    for changes, wanted in changed:
        other = bench.grant(**{"label": "mine", **changes})
        assert code(bench, encode_token(other, signature)) == wanted


def test_scopes_are_signed_as_a_set(bench: Bench) -> None:
    head, _, tail = bench.token().split(".")
    members = grant_members(bench)
    members["scopes"] = [*reversed(members["scopes"]), members["scopes"][0]]
    assert code(bench, f"{head}.{part(members)}.{tail}") == ""


def test_a_token_of_another_seed_is_not_signed_here(bench: Bench, make_bench: Any) -> None:
    assert code(bench, make_bench(seed="other").token()) == "invalid_signature"


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("another version", {"v": 2}),
    ("true for a version", {"v": True}),
    ("a text for a version", {"v": "1"}),
    ("another member", {"admin": True}),
    ("an account that is too short", {"account": "0x12"}),
    ("an account with a newline", {"account": f"{ALICE}\n"}),
    ("a key id that is no text", {"keyId": 5}),
    ("no scopes", {"scopes": []}),
    ("scopes as a text", {"scopes": "read:fees"}),
    ("an unknown scope", {"scopes": [*SCOPES, "admin:all"]}),
    ("a scope that is a list", {"scopes": [["read:fees"]]}),
    ("a time with a fraction", {"issuedAt": START + 0.5}),
    ("true for a time", {"issuedAt": True}),
    ("a negative time", {"issuedAt": -1}),
    ("a time as text", {"expiresAt": str(START + 9)}),
    ("a label of 121 characters", {"label": "x" * 121}),
    ("a label that is a number", {"label": 7}),
]


@pytest.mark.parametrize("changes", [c for _, c in CHANGES], ids=[name for name, _ in CHANGES])
def test_a_grant_of_another_form_is_refused(bench: Bench, changes: dict[str, Any]) -> None:
    head, _, tail = bench.token().split(".")
    changed = {**grant_members(bench), **changes}
    assert code(bench, f"{head}.{part(changed)}.{tail}") == "invalid_token"


@pytest.mark.parametrize("name", ["v", "account", "keyId", "scopes", "issuedAt", "expiresAt"])
def test_a_grant_without_one_of_its_members_is_refused(bench: Bench, name: str) -> None:
    head, _, tail = bench.token().split(".")
    members = grant_members(bench)
    del members[name]
    assert code(bench, f"{head}.{part(members)}.{tail}") == "invalid_token"


MANGLED: list[Callable[[str], str]] = [
    lambda token: token.replace("fw1.", "fw2.", 1),
    lambda token: token.replace("fw1.", "", 1),
    lambda token: token + ".",
    lambda token: token + "=",
    lambda token: token[:-1] + "+",
    lambda token: token[:-2],
    lambda token: "fw1.." + token.rsplit(".", maxsplit=1)[-1],
    lambda token: "fw1.e30." + token.rsplit(".", maxsplit=1)[-1],
    lambda token: "fw1.W10." + token.rsplit(".", maxsplit=1)[-1],
    lambda token: f"fw1.{part('x' * 9000)}." + token.rsplit(".", maxsplit=1)[-1],
    lambda token: token.rsplit(".", 1)[0] + ".AA",
    lambda token: "fw1.bm90IEpTT04." + token.rsplit(".", maxsplit=1)[-1],
    lambda token: "ключ",
]


@pytest.mark.parametrize("change", MANGLED, ids=range(len(MANGLED)))
def test_a_token_of_another_form_is_refused(bench: Bench, change: Callable[[str], str]) -> None:
    answer = bench.ask("membership", token=change(bench.token()))
    assert answer.code == "invalid_token"
    assert "fw1.ey" not in json.dumps(answer.document)


def test_a_signature_has_one_spelling(bench: Bench) -> None:
    token = bench.token()  # 65 bytes leave bits over in the last of 87 characters
    spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    other = spare[spare.index(token[-1]) ^ 1]
    assert code(bench, token[:-1] + other) == "invalid_token"


@pytest.mark.parametrize(
    "value", [b"Basic YTpi", b"Bearer", b"Bearer ", b"", b"fw1.e30.AA", b"Bearer \xff\xfe"]
)
def test_what_is_no_bearer_token_is_refused(bench: Bench, value: bytes) -> None:
    answer = bench.ask("me", token=None, headers=[("authorization", value)])
    assert answer.code == "invalid_token"


def test_two_tokens_are_none(bench: Bench) -> None:
    good = f"Bearer {bench.token()}".encode()
    headers = [("authorization", good), ("authorization", good)]
    assert bench.ask("me", token=None, headers=headers).code == "invalid_token"


def test_the_scheme_may_be_spelled_in_any_case(bench: Bench) -> None:
    headers = [("authorization", f"bEARER  {bench.token()}".encode())]
    assert bench.ask("me", token=None, headers=headers).status == 200


def test_members_whose_membership_has_ended_need_a_new_one(bench: Bench) -> None:
    assert code(bench, bench.token(DAVE)) == "membership_required"
    assert code(bench, bench.token(CAROL)) == "membership_required"


def test_a_membership_that_was_read_admits_for_60_s_more(bench: Bench) -> None:
    assert bench.ask("membership").document["state"] == "read"
    bench.faults.turn_on("membership-unreadable")
    bench.now += 59
    assert bench.ask("membership").document["state"] == "unreadable"
    assert bench.ask("me").document["membership"]["state"] == "unreadable"
    bench.now += 1
    assert code(bench, bench.token()) == "membership_unreadable"


def test_a_failed_reading_of_a_membership_is_not_remembered(bench: Bench) -> None:
    bench.faults.turn_on("membership-unreadable")
    assert code(bench, bench.token()) == "membership_unreadable"
    bench.faults.turn_off("membership-unreadable")
    assert code(bench, bench.token()) == ""


def test_nobody_lacks_a_membership_that_cannot_be_asked_for(bench: Bench) -> None:
    bench.faults.turn_on("membership-not-configured")
    answer = bench.ask("membership", token=bench.token(CAROL)).document
    assert answer["state"] == "not-configured"
    assert not {"tier", "active"} & answer.keys()


def test_a_withdrawn_key_admits_nobody_and_the_members_other_key_does(bench: Bench) -> None:
    bench.ask("revoke", body=bench.wallet.revoke(ALICE, KEY_ID))
    assert code(bench, bench.token()) == "token_revoked"
    assert code(bench, bench.token(key_id=f"0x{'01' * 32}")) == ""
    assert code(bench, bench.token(BOB)) == ""
