"""What a tool in the assistant's table must not ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.findings import Finding

Lint = Callable[..., tuple[Finding, ...]]

SHARED = "/servers/shop/tools/0/inputSchema/properties"
SERVED = "/servers/shop/tools/2/inputSchema/properties"
STRING = {"type": "string"}


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "signature",
        "payment",
        "account",
        "owner",
        "address",
        "secret",
        "password",
        "credential",
        "walletAddress",
        "owner_id",
        "TOKEN",
        "pageToken",
        "accounts",
        "x-payment",
        "privateKey",
        "seed_phrase",
        "apiKey",
        "authorization",
        "token2",
        "OWNER1",
        "accesstoken",
        "authtoken",
        "walletaddress",
        "ownerid",
        "privkey",
        "priv_key",
        "otp",
        "userApikey",
        "sessioncookies",
        "ACCESSTOKEN",
        "tokenizedtoken",
    ],
)
def test_a_name_of_a_credential_a_payer_or_a_payment_is_reported(name: str, lint: Lint) -> None:
    (finding,) = lint((f"{SHARED}/{name}", STRING))
    assert (finding.code, finding.pointer) == ("CF135", f"{SHARED}/{name}")
    assert "find_on_page" in finding.message


@pytest.mark.parametrize(
    "name",
    ["chainId", "key", "phrase", "tokenize", "tokenizer", "addressee", "footprint", "ownership"],
)
def test_another_name_passes(name: str, lint: Lint) -> None:
    assert lint((f"{SHARED}/{name}", STRING)) == ()


@pytest.mark.parametrize(
    ("schema", "tail"),
    [
        ({"type": "object", "title": "A", "properties": {"token": STRING}}, "/properties/token"),
        (
            {"type": "object", "patternProperties": {"^token$": STRING}},
            "/patternProperties/^token$",
        ),
        (
            {"type": "array", "items": {"title": "A", "properties": {"token": STRING}}},
            "/items/properties/token",
        ),
        (
            {"oneOf": [STRING, {"title": "A", "properties": {"token": STRING}}]},
            "/oneOf/1/properties/token",
        ),
    ],
)
def test_a_name_at_any_depth_is_reported(schema: dict[str, Any], tail: str, lint: Lint) -> None:
    findings = lint((f"{SHARED}/a", schema))
    assert [finding.pointer for finding in findings] == [f"{SHARED}/a{tail}"]


def test_a_name_in_a_schema_that_is_referred_to_is_reported_once(lint: Lint) -> None:
    findings = lint(
        ("/$defs/Outer", {"type": "array", "items": {"$ref": "#/$defs/Inner"}}),
        ("/$defs/Inner", {"type": "object", "properties": {"owner": STRING}}),
        (f"{SHARED}/a", {"$ref": "#/$defs/Outer"}),
        (f"{SHARED}/b", {"$ref": "#/$defs/Outer"}),
    )
    assert [(finding.code, finding.pointer) for finding in findings] == [
        ("CF135", "/$defs/Inner/properties/owner")
    ]


def test_a_tool_that_only_its_server_offers_may_ask(lint: Lint) -> None:
    findings = lint(
        (f"{SERVED}/account", STRING),
        ("/servers/shop/tools/2/exec/body/-", "account"),
        ("/servers/shop/routes/1/body/properties/account", STRING),
    )
    assert findings == ()


def test_an_answer_may_hold_such_names(lint: Lint) -> None:
    assert lint(("/$defs/Item/properties/owner", STRING)) == ()
