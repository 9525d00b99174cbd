"""Whether a token is one of the issuer's, for this resource, and valid now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt
from jwt import PyJWT, PyJWTError
from jwt.utils import base64url_decode

from haia_trace_mcp.oauth.errors import TokenRefused
from haia_trace_mcp.oauth.keys import KeySource, VerificationKey
from haia_trace_mcp.oauth.strict_json import is_array, read_object

LEEWAY_SECONDS: Final = 30
TOKEN_BYTES: Final = 8192
_LATEST: Final = 253_402_300_799  # the end of the year 9999
_COMPACT = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){2}", re.ASCII)
_SCOPES = re.compile(r"[!#-\[\]-~]+(?: [!#-\[\]-~]+)*", re.ASCII)  # RFC 6749, 3.3
# Members by which a token brings a key along, names where one is, or asks to be read otherwise.
_REFUSED_MEMBERS: Final = ("b64", "crit", "jku", "jwk", "x5c", "x5u", "zip", "cty")
_TYPES: Final = frozenset({"jwt", "at+jwt", "application/at+jwt"})
_TIMES: Final = ("exp", "iat", "nbf")


@dataclass(frozen=True)
class Grant:
    """What a token allows: whose it is, where it says so, and its scopes."""

    subject: str | None
    scopes: frozenset[str]


class TokenVerifier:
    """Judge tokens without asking anybody.

    Args:
        issuer: what ``iss`` has to be, character for character.
        audience: what ``aud`` has to be: the URL of this resource.
        keys: where the keys are.
    """

    def __init__(self, issuer: str, audience: str, keys: KeySource) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys
        self._reader = _StrictReader()

    def verify(self, token: str) -> Grant:
        """Return what a token allows.

        Raises:
            TokenRefused: it is none of the issuer's, not for this resource alone, or not valid now.
            KeysUnavailable: nothing can be said of any token now.
        """
        if len(token) > TOKEN_BYTES:
            raise TokenRefused(f"the token has more than {TOKEN_BYTES} characters")
        if _COMPACT.fullmatch(token) is None:
            raise TokenRefused("the token is no signed JWT")
        key = self._key_of(token)
        try:
            claims = self._reader.decode(
                token,
                key.material,
                algorithms=[key.algorithm],
                options={
                    "require": ["aud", "exp", "iss"],
                    "strict_aud": True,
                    "enforce_minimum_key_length": True,
                },
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
            )
        except PyJWTError as error:
            raise TokenRefused(_reason(error)) from error
        return Grant(claims.get("sub"), _read_scopes(claims))

    def _key_of(self, token: str) -> VerificationKey:
        try:
            jwt.get_unverified_header(token)
            header = read_object(base64url_decode(token.partition(".")[0]))
        except (PyJWTError, ValueError, RecursionError) as error:
            raise TokenRefused("the token is no signed JWT") from error
        for name in _REFUSED_MEMBERS:
            if name in header:
                raise TokenRefused(f"tokens with the header member {name} are not taken")
        kind: object = header.get("typ", "JWT")
        if not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise TokenRefused("the token is of another type than an access token")
        algorithm: object = header.get("alg")
        kid: object = header.get("kid")
        key = None
        if isinstance(algorithm, str) and (kid is None or isinstance(kid, str)):
            key = self._keys.current().find(algorithm, kid)
        if key is None:
            raise TokenRefused("no key is known for the token's algorithm and key id")
        return key


class _StrictReader(PyJWT):
    """Read claims so that nothing in them has two meanings."""

    def _decode_payload(self, decoded: dict[str, Any]) -> dict[str, Any]:
        """Return the claims; the library names this method as the one to override for that."""
        try:
            claims = read_object(decoded["payload"])
        except (ValueError, RecursionError) as error:
            raise jwt.DecodeError("the claims are no plain JSON object") from error
        for name in _TIMES:
            if name in claims and not _is_time(claims[name]):
                raise jwt.DecodeError(f"{name} is no time")
        if is_array(claims.get("aud")) and len(claims["aud"]) == 1:
            # RFC 7519, 4.1.3: a list of one is the same as its one member.
            (claims["aud"],) = claims["aud"]
        return claims


def _is_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= _LATEST


def _read_scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the scopes of RFC 9068's ``scope``, else of ``scp``, a list or a string.

    Some authorization servers have the latter only. A token is refused whose scopes are anything
    else, since nobody knows what they were meant to allow.
    """
    found: object = claims.get("scope", claims.get("scp", ""))
    if is_array(found) and "scope" not in claims:
        texts = [each for each in found if isinstance(each, str) and _is_one_scope(each)]
        if len(texts) == len(found):
            return frozenset(texts)
    elif isinstance(found, str) and (not found or _SCOPES.fullmatch(found)):
        return frozenset(found.split())
    raise TokenRefused("the token's scopes cannot be read")


def _is_one_scope(text: str) -> bool:
    return " " not in text and _SCOPES.fullmatch(text) is not None


def _reason(error: PyJWTError) -> str:
    """Say what is wrong in words of ours: the library's may quote claims."""
    match error:
        case jwt.ExpiredSignatureError():
            return "the token has expired"
        case jwt.ImmatureSignatureError():
            return "the token is not valid yet"
        case jwt.InvalidAudienceError():
            return "the token is not for this resource alone"
        case jwt.InvalidIssuerError():
            return "the token is of another issuer"
        case jwt.MissingRequiredClaimError():
            return "the token lacks a claim: aud, exp and iss are needed"
        case jwt.InvalidSignatureError():
            return "the token's signature is wrong"
        case _:
            return "the token's claims cannot be read"
