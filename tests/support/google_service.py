"""Google's side of a service account: its JSON, and a token endpoint that checks assertions.

Errors are those of Google's public documentation. Signatures are checked with another library than
the one that made them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

TOKEN_URL = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
EMAIL = "reader@shop.iam.gserviceaccount.example"
READ = "https://www.googleapis.com/auth/analytics.readonly"

Answer = tuple[int, dict[str, str], bytes]


@cache
def private_key(bits: int = 2048, number: int = 0) -> str:
    """Return a key in PEM, the same for the same arguments; numbers tell keys apart."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def account(**members: object) -> str:
    """Return the JSON of a key as Google hands it out; members replace those that are there."""
    usual: dict[str, object] = {
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": "0123456789abcdef",
        "private_key": private_key(),
        "client_email": EMAIL,
        "client_id": "117",
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": TOKEN_URL,
        "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
        "universe_domain": "googleapis.com",
    }
    return json.dumps({key: value for key, value in (usual | members).items() if value != "absent"})


@dataclass
class TokenEndpoint:
    """Give tokens for good assertions.

    Attributes:
        now: what time it is there.
        keys: public keys by their ids, as PEM of the private ones.
        scopes: what the account may ask for.
        given: tokens that were given, with their scopes.
        assertions: what came, decoded: header and claims.
        scripted: answers to give instead, one a request, before any of its own.
    """

    now: float = 1_780_000_000.0
    keys: dict[str, str] = field(default_factory=lambda: {"0123456789abcdef": private_key()})
    scopes: frozenset[str] = frozenset({READ})
    given: dict[str, str] = field(default_factory=dict[str, str])
    assertions: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list[Any])
    scripted: list[Answer] = field(default_factory=list[Answer])
    requests: int = 0
    _numbers: Iterator[int] = field(default_factory=count)

    def answer(self, content_type: str, body: bytes) -> Answer:
        """Answer ``POST /token``."""
        self.requests += 1
        if self.scripted:
            return self.scripted.pop(0)
        if content_type != "application/x-www-form-urlencoded":
            return failed(400, "invalid_request", "Missing required parameter: grant_type")
        form = parse_qs(body.decode("ascii"), strict_parsing=True)
        if form.get("grant_type") != [GRANT]:
            return failed(400, "unsupported_grant_type", "Invalid grant_type")
        return self._exchange(form["assertion"][0])

    def _exchange(self, assertion: str) -> Answer:
        header = jws.extract_compact(assertion.encode()).headers()
        pem = self.keys.get(str(header.get("kid")))
        if pem is None:
            return failed(400, "invalid_grant", "Invalid grant: account not found")
        try:
            token = jwt.decode(assertion, RSAKey.import_key(pem), algorithms=["RS256"])
        except JoseError:
            return failed(400, "invalid_grant", "Invalid JWT Signature.")
        claims = token.claims
        self.assertions.append((dict(token.header), claims))
        if claims["aud"] != TOKEN_URL or claims["iss"] != EMAIL:
            return failed(401, "invalid_client", "The OAuth client was not found.")
        is_timely = claims["iat"] - 300 <= self.now <= claims["exp"] <= claims["iat"] + 3600
        if not is_timely:
            return failed(
                400,
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                "timeframe. Check your iat and exp values in the JWT claim.",
            )
        if not set(claims["scope"].split(" ")) <= self.scopes:
            return failed(
                400, "invalid_scope", "Invalid OAuth scope or ID token audience provided."
            )
        value = f"ya29.{next(self._numbers)}.abcdefghijklmnopqrstuvwxyz"
        self.given[value] = claims["scope"]
        return replied({"access_token": value, "expires_in": 3599, "token_type": "Bearer"})


def replied(value: object, status: int = 200, **headers: str) -> Answer:
    """Return an answer of JSON."""
    fields = {"content-type": "application/json; charset=UTF-8"}
    return status, fields | headers, json.dumps(value).encode()


def failed(status: int, code: str, description: str) -> Answer:
    """Return an error in the form of OAuth."""
    return replied({"error": code, "error_description": description}, status)
