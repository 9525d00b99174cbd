"""Keys and tokens of an authorization server, and tokens that no library would make."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joserfc import jws, jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

ISSUER = "https://auth.example"
RESOURCE = "http://127.0.0.1:3000/mcp"
SECRET = b"an-operators-secret-of-more-than-32-bytes"

Key = RSAKey | ECKey | OctKey


@dataclass
class Issuer:
    """An issuer with an RSA key and an elliptic one."""

    rsa: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "rsa-1"}))
    elliptic: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256", {"kid": "ec-1"}))

    def jwks(self, *keys: Key) -> bytes:
        """Return public keys as a JWK Set: those of the issuer, or others."""
        listed = keys or (self.rsa, self.elliptic)
        return json.dumps({"keys": [key.as_dict(private=False) for key in listed]}).encode()

    def token(
        self,
        *,
        key: Key | None = None,
        algorithm: str = "RS256",
        header: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        """Return a token; a change to None leaves a claim out."""
        signing = key or (self.elliptic if algorithm == "ES256" else self.rsa)
        named = {"alg": algorithm, "typ": "at+jwt", "kid": signing.kid}
        if header is None:
            return jwt.encode(named, claims(**changes), signing, algorithms=[algorithm])
        kept = {name: value for name, value in {**named, **header}.items() if value is not None}
        return sign(signing, json.dumps(claims(**changes)).encode(), **kept)


def claims(**changes: Any) -> dict[str, Any]:
    """Return the claims of a good token, changed."""
    now = int(time.time())
    found = {
        "iss": ISSUER,
        "aud": RESOURCE,
        "sub": "agent-7",
        "client_id": "agent",
        "iat": now,
        "exp": now + 600,
        "jti": "1",
        "scope": "trace:read",
        **changes,
    }
    return {name: value for name, value in found.items() if value is not None}


def sign(key: Key, payload: bytes, **header: Any) -> str:
    """Return a token with any payload and any header, which the library would refuse to make."""
    named = {"alg": "RS256", **header}
    message = f"{segment(named)}.{segment(payload)}"
    signature = jws.JWSRegistry.algorithms[named["alg"]].sign(message.encode(), key)
    return f"{message}.{segment(signature)}"


def segment(value: object) -> str:
    """Return a JSON value as a part of a token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
