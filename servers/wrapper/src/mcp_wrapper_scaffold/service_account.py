"""A Google service account: what its JSON may say, and the assertions it signs."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Final, NoReturn, cast

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from mcp_wrapper_scaffold.google_tokens import GoogleTokenError

SHORTEST_KEY: Final = 2048
LIFETIME_SECONDS: Final = 3600  # the longest that Google takes
TOKEN_URL: Final = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
_UNIVERSE: Final = "googleapis.com"
_EMAIL = re.compile(r"[!-?A-~]{1,128}@[!-?A-~]{1,253}")
_KEY_ID = re.compile(r"[0-9A-Za-z_-]{1,128}")


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """An account that can sign.

    Attributes:
        client_email: its name.
        private_key_id: which of its keys this is.
        private_key: PEM; it is not in the ``repr``.
    """

    client_email: str
    private_key_id: str
    private_key: str = field(repr=False)

    @classmethod
    def read(cls, text: str) -> ServiceAccount:
        """Read the JSON that Google hands out for a key.

        Raises:
            GoogleTokenError: ``service_account``: it is none, or one that would have its assertions
                sent elsewhere. No value of it is in the message.
        """
        members = _members(text)
        kind = members.get("type")
        if kind != "service_account":
            _refuse('its "type" is not service_account')
        if members.get("token_uri", TOKEN_URL) != TOKEN_URL:
            _refuse(f'its "token_uri" is not {TOKEN_URL}, where assertions go')
        if members.get("universe_domain", _UNIVERSE) != _UNIVERSE:
            _refuse(f'its "universe_domain" is not {_UNIVERSE}')
        email = _text(members, "client_email", _EMAIL)
        key_id = _text(members, "private_key_id", _KEY_ID)
        key = members.get("private_key")
        if not isinstance(key, str):
            _refuse('it lacks "private_key"')
        return cls(email, key_id, key)

    @property
    def identity(self) -> tuple[str, str, str]:
        """Return what tells keys apart; the digest is for one that borrows the names of another."""
        digest = hashlib.sha256(self.private_key.encode("utf-8", "surrogatepass")).hexdigest()
        return (self.client_email, self.private_key_id, digest)

    def sign(self, scopes: tuple[str, ...], *, now: int) -> str:
        """Return a signed assertion that asks for scopes.

        Args:
            scopes: what the token is to permit.
            now: seconds since 1970.

        Raises:
            GoogleTokenError: ``service_account``: the key cannot be used.
        """
        claims = {
            "iss": self.client_email,
            "scope": " ".join(scopes),
            "aud": TOKEN_URL,
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
        }
        return jwt.encode(claims, self._key(), "RS256", headers={"kid": self.private_key_id})

    def _key(self) -> RSAPrivateKey:
        if "\\n" in self.private_key:
            _refuse(
                'its "private_key" has the characters \\ and n where line ends belong: '
                "the JSON was escaped once too often on its way here"
            )
        try:
            key = load_pem_private_key(self.private_key.encode("utf-8", "replace"), None)
        except TypeError:
            _refuse('its "private_key" is encrypted')
        except (ValueError, UnsupportedAlgorithm):
            _refuse('its "private_key" is no PEM of a private key')
        if not isinstance(key, RSAPrivateKey):
            _refuse('its "private_key" is no RSA key')
        if key.key_size < SHORTEST_KEY:
            _refuse(f'its "private_key" has {key.key_size} bits, and {SHORTEST_KEY} is the least')
        return key


def find_service_account_fault(text: str) -> str | None:
    """Return why a service account's JSON cannot be used to sign, or None; nothing is sent."""
    try:
        ServiceAccount.read(text).sign(("openid",), now=0)
    except GoogleTokenError as error:
        return error.text
    return None


def _members(text: str) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        hint = (
            ": line ends inside a text are written \\n" if "control character" in error.msg else ""
        )
        _refuse(f"it is no JSON, line {error.lineno}, column {error.colno}{hint}")
    except (ValueError, RecursionError):
        _refuse("it is no JSON")
    if not isinstance(value, dict):
        _refuse("it is no JSON object")
    return cast("dict[str, object]", value)


def _text(members: dict[str, object], name: str, form: re.Pattern[str]) -> str:
    value = members.get(name)
    if not isinstance(value, str) or not form.fullmatch(value):
        _refuse(f'it lacks "{name}", or it is not in the form that Google gives it')
    return value


def _refuse(reason: str) -> NoReturn:
    # Not chained: what json and cryptography raise may carry the text along.
    raise GoogleTokenError(
        "service_account", f"The service account's JSON cannot be used: {reason}."
    ) from None
