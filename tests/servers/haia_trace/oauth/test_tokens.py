"""Tokens: the good ones, and every attack that has a name."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey
from token_issuer import ISSUER, RESOURCE, SECRET, Issuer, claims, segment, sign

from haia_trace_mcp.oauth import KeysUnavailable, TokenRefused, TokenVerifier
from haia_trace_mcp.oauth.keys import KeySet, read_key_set, read_secret


class Fixed:
    """Keys that stay as they are."""

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys

    def current(self) -> KeySet:
        return self._keys


class Absent:
    """No keys."""

    def current(self) -> KeySet:
        raise KeysUnavailable("the file is broken")


@pytest.fixture(scope="session")
def verifier(issuer: Issuer) -> TokenVerifier:
    return TokenVerifier(ISSUER, RESOURCE, Fixed(read_key_set(issuer.jwks())))


@pytest.fixture
def sharing() -> TokenVerifier:
    return TokenVerifier(ISSUER, RESOURCE, Fixed(read_secret(SECRET)))


def hmac_token(
    secret: bytes = SECRET,
    algorithm: str = "HS256",
    header: Mapping[str, Any] | None = None,
    **changes: Any,
) -> str:
    """Return a token under any bytes as a secret, which libraries would refuse to use."""
    digest = {"HS256": "sha256", "HS512": "sha512"}[algorithm]
    message = f"{segment({'alg': algorithm, **(header or {})})}.{segment(claims(**changes))}"
    return f"{message}.{segment(hmac.digest(secret, message.encode(), digest))}"


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_token_of_the_issuer_is_taken(
    issuer: Issuer, verifier: TokenVerifier, algorithm: str
) -> None:
    grant = verifier.verify(issuer.token(algorithm=algorithm, scope="trace:read trace:write"))
    assert (grant.subject, grant.scopes) == ("agent-7", {"trace:read", "trace:write"})


def test_a_token_under_the_shared_secret_is_taken(sharing: TokenVerifier) -> None:
    assert sharing.verify(hmac_token()).subject == "agent-7"
    assert sharing.verify(hmac_token(header={"kid": "any"})).subject == "agent-7"


@pytest.mark.parametrize("kind", [None, "JWT", "jwt", "AT+JWT", "application/at+jwt"])
def test_the_usual_types_of_access_tokens_are_taken(
    issuer: Issuer, verifier: TokenVerifier, kind: str | None
) -> None:
    assert verifier.verify(issuer.token(header={"typ": kind})).subject == "agent-7"


@pytest.mark.parametrize(
    ("changes", "scopes"),
    [
        ({"scope": "a b"}, {"a", "b"}),
        ({"scope": ""}, set()),
        ({"scope": None}, set()),
        ({"scope": None, "scp": ["a", "b"]}, {"a", "b"}),
        ({"scope": None, "scp": "a b"}, {"a", "b"}),
        ({"scope": "a", "scp": ["b"]}, {"a"}),
    ],
)
def test_scopes_are_read_in_the_forms_that_issuers_use(
    issuer: Issuer, verifier: TokenVerifier, changes: dict[str, Any], scopes: set[str]
) -> None:
    assert verifier.verify(issuer.token(**changes)).scopes == scopes


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": ["trace:read"]},
        {"scope": 7},
        {"scope": "trace:read  x"},
        {"scope": 'a"b'},
        {"scope": "a\nb"},
        {"scope": None, "scp": [7]},
        {"scope": None, "scp": ["a b"]},
        {"scope": None, "scp": {"a": True}},
        {"scope": None, "scp": None, "scope ": 1, "sub": 9},
    ],
)
def test_scopes_in_any_other_form_allow_nothing(
    issuer: Issuer, verifier: TokenVerifier, changes: dict[str, Any]
) -> None:
    with pytest.raises(TokenRefused):
        verifier.verify(issuer.token(**changes))


def test_a_list_of_one_audience_is_that_audience(issuer: Issuer, verifier: TokenVerifier) -> None:
    assert verifier.verify(issuer.token(aud=[RESOURCE])).subject == "agent-7"


NOW = int(time.time())
CLAIMS = {
    "expired": ({"exp": NOW - 3600}, "has expired"),
    "expired beyond the leeway": ({"exp": NOW - 60}, "has expired"),
    "not valid yet": ({"nbf": NOW + 3600}, "not valid yet"),
    "issued in the future": ({"iat": NOW + 3600}, "not valid yet"),
    "no exp": ({"exp": None}, "lacks a claim"),
    "no aud": ({"aud": None}, "lacks a claim"),
    "no iss": ({"iss": None}, "lacks a claim"),
    "exp as text": ({"exp": str(NOW + 600)}, "cannot be read"),
    "exp as a boolean": ({"exp": True}, "cannot be read"),
    "exp as a list": ({"exp": [NOW + 600]}, "cannot be read"),
    "huge exp": ({"exp": 10**30}, "cannot be read"),
    "very huge exp": ({"exp": 10**4000}, "cannot be read"),
    "negative exp": ({"exp": -1}, "cannot be read"),
    "nbf as text": ({"nbf": "0"}, "cannot be read"),
    "another issuer": ({"iss": "https://evil.example"}, "another issuer"),
    "the issuer with a slash": ({"iss": f"{ISSUER}/"}, "another issuer"),
    "the issuer in a list": ({"iss": [ISSUER]}, "another issuer"),
    "another audience": ({"aud": "https://other.example/mcp"}, "not for this resource"),
    "the audience with a slash": ({"aud": f"{RESOURCE}/"}, "not for this resource"),
    "the audience in capitals": ({"aud": RESOURCE.upper()}, "not for this resource"),
    "the origin as audience": ({"aud": RESOURCE.removesuffix("/mcp")}, "not for this resource"),
    "the audience among others": ({"aud": [RESOURCE, "https://x.example"]}, "not for this"),
    "the audience twice": ({"aud": [RESOURCE, RESOURCE]}, "not for this resource"),
    "an empty list of audiences": ({"aud": []}, "lacks a claim"),
    "a number as audience": ({"aud": 7}, "not for this resource"),
    "an object as audience": ({"aud": {RESOURCE: 1}}, "not for this resource"),
    "a list in a list": ({"aud": [[RESOURCE]]}, "not for this resource"),
    "a number as subject": ({"sub": 7}, "cannot be read"),
}


@pytest.mark.parametrize(("changes", "reason"), CLAIMS.values(), ids=CLAIMS)
def test_a_token_with_such_claims_is_refused(
    issuer: Issuer, verifier: TokenVerifier, changes: dict[str, Any], reason: str
) -> None:
    token = issuer.token(**changes)
    with pytest.raises(TokenRefused, match=reason):
        verifier.verify(token)


def test_a_clock_that_is_a_little_off_is_allowed_for(
    issuer: Issuer, verifier: TokenVerifier
) -> None:
    now = int(time.time())
    assert verifier.verify(issuer.token(exp=now - 5)).subject == "agent-7"
    assert verifier.verify(issuer.token(nbf=now + 5, iat=now + 5)).subject == "agent-7"


PAYLOADS = {
    "NaN": b'"exp": NaN',
    "Infinity": b'"exp": Infinity',
    "a number beyond doubles": b'"exp": 1e999',
    "exp twice": b'"exp": 9999999999, "exp": 9999999999',
    "aud twice": b'"exp": 9999999999, "aud": "x"',
}


@pytest.mark.parametrize("part", PAYLOADS.values(), ids=PAYLOADS)
def test_claims_that_are_no_plain_json_are_refused(
    issuer: Issuer, verifier: TokenVerifier, part: bytes
) -> None:
    known = json.dumps(claims(exp=None)).encode()
    with pytest.raises(TokenRefused, match="cannot be read"):
        verifier.verify(sign(issuer.rsa, known[:-1] + b", " + part + b"}"))


@pytest.mark.parametrize(
    "header",
    [
        b'{"alg": "none", "alg": "RS256"}',
        b'{"alg": "RS256", "x": NaN}',
        b'{"alg": "RS256", "x": 1e999}',
    ],
)
def test_headers_that_are_no_plain_json_are_refused(
    issuer: Issuer, verifier: TokenVerifier, header: bytes
) -> None:
    message = f"{segment(header)}.{segment(claims())}"
    signature = jws.JWSRegistry.algorithms["RS256"].sign(message.encode(), issuer.rsa)
    with pytest.raises(TokenRefused, match="no signed JWT"):
        verifier.verify(f"{message}.{segment(signature)}")


@pytest.mark.parametrize("payload", [b"[]", b"7", b"null", b"\xff{}", b"{", b"", b"[" * 5000])
def test_a_payload_that_is_no_object_is_refused(
    issuer: Issuer, verifier: TokenVerifier, payload: bytes
) -> None:
    with pytest.raises(TokenRefused):
        verifier.verify(sign(issuer.rsa, payload))


def test_a_token_in_a_token_is_refused(issuer: Issuer, verifier: TokenVerifier) -> None:
    inner = issuer.token().encode()
    for header in ({}, {"cty": "JWT"}):
        with pytest.raises(TokenRefused):
            verifier.verify(sign(issuer.rsa, inner, **header))
    with pytest.raises(TokenRefused, match="no signed JWT"):
        verifier.verify(".".join(segment({"alg": "RSA-OAEP", "enc": "A256GCM"}) for _ in range(5)))


UNSIGNED = [{"alg": "none"}, {"alg": "None"}, {"alg": "NONE"}, {"alg": ""}, {}, {"alg": None}]


@pytest.mark.parametrize("header", UNSIGNED)
def test_a_token_without_a_signature_is_refused(
    issuer: Issuer, verifier: TokenVerifier, header: dict[str, Any]
) -> None:
    start = f"{segment({**header, 'kid': 'rsa-1'})}.{segment(claims())}."
    good = issuer.token().rpartition(".")[2]
    for token in (start, start + good, start + "AA"):
        with pytest.raises(TokenRefused):
            verifier.verify(token)


def test_a_public_key_is_no_secret_to_sign_with(issuer: Issuer, verifier: TokenVerifier) -> None:
    published = issuer.rsa.as_dict(private=False)
    for confused in (
        issuer.rsa.as_pem(private=False),
        issuer.rsa.as_der(private=False),
        json.dumps(published).encode(),
        str(published["n"]).encode(),
        issuer.jwks(),
    ):
        for header in ({"kid": "rsa-1"}, {}):
            with pytest.raises(TokenRefused, match="no key is known"):
                verifier.verify(hmac_token(confused, header=header))


@pytest.mark.parametrize("algorithm", ["RS384", "PS256", "ES384"])
def test_a_key_is_for_its_one_algorithm(
    issuer: Issuer, verifier: TokenVerifier, algorithm: str
) -> None:
    key: Any = issuer.rsa
    if algorithm == "ES384":
        key = ECKey.generate_key("P-384", {"kid": "ec-1"})
    with pytest.raises(TokenRefused, match="no key is known"):
        verifier.verify(issuer.token(key=key, algorithm=algorithm))


def test_a_secret_takes_no_other_algorithm(issuer: Issuer, sharing: TokenVerifier) -> None:
    with pytest.raises(TokenRefused, match="no key is known"):
        sharing.verify(issuer.token())
    with pytest.raises(TokenRefused, match="no key is known"):
        sharing.verify(hmac_token(SECRET * 2, "HS512"))
    with pytest.raises(TokenRefused, match="signature"):
        sharing.verify(hmac_token(SECRET + b"!"))


@pytest.mark.parametrize("kid", ["rsa-2", "", "RSA-1", "ec-1", "../../dev/null", "' or 1=1 --", 7])
def test_a_token_under_another_key_id_is_refused(
    issuer: Issuer, verifier: TokenVerifier, kid: object
) -> None:
    token = issuer.token()
    head = segment({"alg": "RS256", "kid": kid})
    with pytest.raises(TokenRefused):
        verifier.verify(head + token[token.index(".") :])


def test_a_key_of_somebody_else_is_refused_under_any_name(
    issuer: Issuer, verifier: TokenVerifier
) -> None:
    for kid in ("rsa-1", "mine", None):
        stranger = RSAKey.generate_key(2048)
        with pytest.raises(TokenRefused, match=r"signature|no key"):
            verifier.verify(issuer.token(key=stranger, header={"kid": kid}))


def test_a_token_without_a_key_id_means_the_only_key(issuer: Issuer) -> None:
    second = RSAKey.generate_key(2048, {"kid": "rsa-2"})
    token = issuer.token(header={"kid": None})
    for keys, is_taken in (((issuer.rsa,), True), ((issuer.rsa, second), False)):
        verifier = TokenVerifier(ISSUER, RESOURCE, Fixed(read_key_set(issuer.jwks(*keys))))
        if is_taken:
            assert verifier.verify(token).subject == "agent-7"
        else:
            with pytest.raises(TokenRefused, match="no key is known"):
                verifier.verify(token)


def bring_key(issuer: Issuer, name: str) -> tuple[RSAKey, dict[str, Any]]:
    """Return a stranger's key, and the header that would make it known."""
    stranger = RSAKey.generate_key(2048)
    values: dict[str, Any] = {
        "jwk": stranger.as_dict(private=False),
        "jku": "https://evil.example/jwks.json",
        "x5u": "https://evil.example/cert.pem",
        "x5c": ["MIIB"],
    }
    return stranger, {name: values[name]}


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c"])
def test_a_token_that_brings_its_key_is_refused(
    issuer: Issuer, verifier: TokenVerifier, name: str
) -> None:
    stranger, header = bring_key(issuer, name)
    with pytest.raises(TokenRefused, match=name):
        verifier.verify(issuer.token(key=stranger, header={"kid": "rsa-1", **header}))
    with pytest.raises(TokenRefused, match=name):  # under the good key as well
        verifier.verify(issuer.token(header=header))


@pytest.mark.parametrize(
    "header",
    [
        {"crit": ["exp"]},
        {"crit": []},
        {"crit": ["b64"], "b64": True},
        {"b64": False},
        {"zip": "DEF"},
        {"typ": "dpop+jwt"},
        {"typ": "logout+jwt"},
        {"typ": 7},
    ],
)
def test_a_token_that_asks_to_be_read_otherwise_is_refused(
    issuer: Issuer, verifier: TokenVerifier, header: dict[str, Any]
) -> None:
    body = segment({"alg": "RS256", "kid": "rsa-1", **header})
    good = issuer.token()
    with pytest.raises(TokenRefused):
        verifier.verify(body + good[good.index(".") :])


def damage_signature(token: str) -> str:
    head, _, signature = token.rpartition(".")
    return f"{head}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def damage_claims(token: str) -> str:
    head, _, signature = token.split(".")
    return f"{head}.{segment(claims(scope='trace:read admin'))}.{signature}"


@pytest.mark.parametrize("damage", [damage_signature, damage_claims])
@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_changed_token_is_refused(
    issuer: Issuer, verifier: TokenVerifier, damage: Callable[[str], str], algorithm: str
) -> None:
    with pytest.raises(TokenRefused, match="signature"):
        verifier.verify(damage(issuer.token(algorithm=algorithm)))


@pytest.mark.parametrize("length", [0, 63, 64, 72])
def test_a_signature_of_nothing_is_refused(
    issuer: Issuer, verifier: TokenVerifier, length: int
) -> None:
    head = issuer.token(algorithm="ES256").rpartition(".")[0]
    with pytest.raises(TokenRefused):
        verifier.verify(f"{head}.{segment(bytes(length))}")


@pytest.mark.parametrize("text", ["", ".", "..", "a.b", "a.b.c.d", "é.b.c", "a.b.c=", "a.b.c\n"])
def test_text_that_is_no_token_is_refused(verifier: TokenVerifier, text: str) -> None:
    with pytest.raises(TokenRefused, match="no signed JWT"):
        verifier.verify(text)


def test_a_token_beyond_the_limit_is_refused_unread(
    issuer: Issuer, verifier: TokenVerifier
) -> None:
    with pytest.raises(TokenRefused, match="more than 8192"):
        verifier.verify(issuer.token(filler="x" * 8192))


def test_no_token_is_taken_while_there_are_no_keys(issuer: Issuer) -> None:
    with pytest.raises(KeysUnavailable):
        TokenVerifier(ISSUER, RESOURCE, Absent()).verify(issuer.token())


def test_no_reason_quotes_a_token(issuer: Issuer, verifier: TokenVerifier) -> None:
    told: list[str] = []
    for token in (issuer.token(iss="https://evil.example"), damage_signature(issuer.token())):
        with pytest.raises(TokenRefused) as caught:
            verifier.verify(token)
        told.append(caught.value.reason)
        assert caught.value.reason.isascii()
        assert '"' not in caught.value.reason
    assert "evil" not in "".join(told)
