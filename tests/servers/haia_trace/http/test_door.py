"""Who gets in over HTTP, and what the others are told."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from rpc_post import Answer, post, request, send
from token_issuer import ISSUER, RESOURCE

if TYPE_CHECKING:
    from conftest import Served

METADATA = "http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"
JSON = ("Content-Type", "application/json")
LIST = json.dumps(request("tools/list")).encode()


def ask(served: Served, *values: str) -> Answer:
    """List the tools with such Authorization fields."""
    return send(served.url, LIST, [JSON, *(("Authorization", value) for value in values)])


def challenge(answer: Answer) -> dict[str, str]:
    scheme, _, rest = answer.fields["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'([a-z_]+)="([^"]*)"', rest))


def test_a_token_with_every_scope_lets_in(guarded: Served) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        answer = ask(guarded, guarded.bearer["Authorization"].replace("Bearer", scheme))
        assert answer.status == 200
        assert len(answer.json["result"]["tools"]) == 5
        assert "www-authenticate" not in answer.fields


@pytest.mark.parametrize("value", [None, "Basic YTpi", "Digest x", "Bearers x", "DPoP abc"])
def test_without_a_token_the_challenge_says_where_to_get_one(
    guarded: Served, value: str | None
) -> None:
    answer = ask(guarded, *([] if value is None else [value]))
    assert answer.status == 401
    assert challenge(answer) == {
        "scope": "trace:read trace:guard",
        "resource_metadata": METADATA,
    }


@pytest.mark.parametrize(
    "values",
    [
        ["Bearer"],
        ["Bearer "],
        ["Bearer a b"],
        ["Bearer a, Bearer b"],
        ["Bearer a,b"],
        ['Bearer "a.b.c"'],
        ["Bearer\ta.b.c"],
    ],
)
def test_credentials_without_a_form_are_a_bad_request(guarded: Served, values: list[str]) -> None:
    answer = ask(guarded, *values)
    if values == ["Bearer\ta.b.c"]:
        assert answer.status == 401  # by its letters, another scheme
        return
    assert (answer.status, challenge(answer)["error"]) == (400, "invalid_request")


def test_two_tokens_are_a_bad_request_even_if_both_are_good(guarded: Served) -> None:
    good = guarded.bearer["Authorization"]
    answer = ask(guarded, good, good)
    assert (answer.status, challenge(answer)["error"]) == (400, "invalid_request")


def test_a_token_in_the_query_or_a_form_is_none(guarded: Served) -> None:
    token = guarded.issuer.token()
    answer = send(f"{guarded.url}?access_token={token}", LIST, [JSON])
    assert answer.status == 401
    form = ("Content-Type", "application/x-www-form-urlencoded")
    assert send(guarded.url, f"access_token={token}".encode(), [form]).status == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://other.example/mcp"},
        {"aud": [RESOURCE, "https://other.example"]},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"nbf": 4_000_000_000},
        {"header": {"alg": "RS256", "jku": "https://evil.example/jwks"}},
        {"header": {"kid": "another"}},
        {"header": {"crit": ["exp"]}},
        {"filler": "x" * 9000},
    ],
)
def test_a_token_that_is_refused_gets_401_and_the_reason(
    guarded: Served, changes: dict[str, Any]
) -> None:
    answer = ask(guarded, f"Bearer {guarded.issuer.token(**changes)}")
    told = challenge(answer)
    assert (answer.status, told["error"]) == (401, "invalid_token")
    assert told["resource_metadata"] == METADATA
    assert told["error_description"] == answer.json["error_description"]
    assert "evil" not in answer.fields["www-authenticate"]


@pytest.mark.parametrize(
    ("scope", "unmet"),
    [
        (None, "trace:read trace:guard"),
        ("trace:read", "trace:guard"),
        ("trace:guard other", "trace:read"),
        ("TRACE:READ trace:guard", "trace:read"),
        ("trace:read:all trace:guard", "trace:read"),
    ],
)
def test_missing_scopes_are_named_and_no_others(
    guarded: Served, scope: str | None, unmet: str
) -> None:
    answer = ask(guarded, f"Bearer {guarded.issuer.token(scope=scope)}")
    told = challenge(answer)
    assert (answer.status, told["error"]) == (403, "insufficient_scope")
    assert (told["scope"], told["resource_metadata"]) == (unmet, METADATA)


def test_keys_that_are_replaced_count_from_the_next_request(guarded: Served) -> None:
    good = guarded.bearer["Authorization"]
    assert ask(guarded, good).status == 200
    guarded.jwks.write_bytes(guarded.issuer.jwks(guarded.issuer.elliptic))
    assert ask(guarded, good).status == 401
    guarded.jwks.write_bytes(guarded.issuer.jwks())
    assert ask(guarded, good).status == 200


def test_a_broken_key_file_lets_nobody_in_and_makes_no_token_bad(guarded: Served) -> None:
    good = guarded.bearer["Authorization"]
    guarded.jwks.write_bytes(b"{")
    answer = ask(guarded, good)
    assert (answer.status, answer.fields["retry-after"]) == (503, "1")
    assert "www-authenticate" not in answer.fields
    assert str(guarded.jwks) not in answer.body.decode()
    assert ask(guarded).status == 401
    guarded.jwks.write_bytes(guarded.issuer.jwks())
    assert ask(guarded, good).status == 200


def test_no_token_reaches_the_log(guarded: Served, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for token in (guarded.issuer.token(exp=1), guarded.issuer.token(), "abc.def.ghi"):
            ask(guarded, f"Bearer {token}")
            for part in token.split("."):
                assert part not in caplog.text
        assert ask(guarded, guarded.bearer["Authorization"]).status == 200
    assert guarded.bearer["Authorization"].partition(" ")[2][:40] not in caplog.text
    assert "a token was refused" in caplog.text


def test_the_metadata_is_where_clients_look_for_it(guarded: Served) -> None:
    for path in ("/mcp", ""):
        answer = send(f"{guarded.origin}/.well-known/oauth-protected-resource{path}", method="GET")
        assert answer.status == 200
        assert answer.fields["content-type"] == "application/json"
        assert answer.json == {
            "resource": RESOURCE,
            "resource_name": "Haia Trace receipts",
            "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["trace:read", "trace:guard"],
        }


def test_pages_of_clients_may_read_the_metadata_and_nothing_else(guarded: Served) -> None:
    metadata = f"{guarded.origin}/.well-known/oauth-protected-resource/mcp"
    origin = ("Origin", "https://client.example")
    answer = send(metadata, b"", [origin], method="GET")
    assert (answer.status, answer.fields["access-control-allow-origin"]) == (200, "*")
    asked = [
        origin,
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "mcp-protocol-version"),
    ]
    assert send(metadata, b"", asked, method="OPTIONS").status == 200
    bearer = ("Authorization", guarded.bearer["Authorization"])
    assert send(guarded.url, LIST, [JSON, origin, bearer]).status == 403
    assert send(metadata, method="POST").status == 405


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 401),
        ("localhost", 401),
        ("LOCALHOST:1", 401),
        ("[::1]:3000", 401),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:3000", 421),
        ("10.0.0.1", 421),
        ("127.0.0.1:x@evil.example", 400),
        ("user@localhost", 400),
        ("", 400),
    ],
)
def test_the_host_is_judged_before_the_token(guarded: Served, host: str, status: int) -> None:
    assert send(guarded.url, LIST, [JSON], host=host).status == status
    metadata = f"{guarded.origin}/.well-known/oauth-protected-resource/mcp"
    expected = 200 if status == 401 else status
    assert send(metadata, method="GET", host=host).status == expected


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("http://127.0.0.1", 200),
        ("http://[::1]:9", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("null", 403),
        ("", 403),
        ("http://localhost:6274/", 403),
        ("file://", 403),
    ],
)
def test_pages_are_judged_by_their_origin(guarded: Served, origin: str, status: int) -> None:
    fields = {"Origin": origin, **guarded.bearer}
    assert post(guarded.url, request("tools/list"), fields).status == status


def test_other_paths_are_not_there(guarded: Served) -> None:
    for path in ("/", "/mcp/", "/.well-known/oauth-authorization-server", "/docs"):
        assert send(guarded.origin + path, method="GET").status == 404
    health = send(f"{guarded.origin}/healthz", method="GET")
    assert (health.status, health.json) == (200, {"status": "ok"})


def test_without_tokens_there_is_no_metadata(unguarded: str) -> None:
    assert post(unguarded, request("tools/list")).status == 200
    metadata = unguarded.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    assert send(metadata, method="GET").status == 404
    assert post(unguarded, request("tools/list"), {"Origin": "https://evil.example"}).status == 403
