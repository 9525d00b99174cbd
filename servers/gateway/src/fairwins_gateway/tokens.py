"""Tokens ``fw1.<grant>.<signature>``: their form, and nothing about whether they are good."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

from fairwins_gateway.errors import Refusal
from fairwins_gateway.jsontext import JsonObject, dump, is_array, is_object, parse
from fairwins_gateway.signatures import LENGTH

SCOPES = (
    "assistant:chat",
    "build:intents",
    "read:fees",
    "read:membership",
    "read:profile",
    "read:wagers",
)
PREFIX = "fw1"
MAX_BYTES = 8192
MAX_LABEL = 120
MAX_LIFE_SECONDS = 90 * 24 * 3600

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
KEY_ID = re.compile(r"0x[0-9a-fA-F]{64}")
_PART = re.compile(r"[A-Za-z0-9_-]+")
_NEEDED = frozenset({"v", "account", "keyId", "scopes", "issuedAt", "expiresAt"})


@dataclass(frozen=True)
class Grant:
    """What a member permits: times in unix seconds, scopes unique and sorted.

    ``label`` is shown and not signed, so it may be anybody's text.
    """

    account: str
    key_id: str
    scopes: tuple[str, ...]
    issued_at: int
    expires_at: int
    label: str | None = None

    def signed_text(self) -> str:
        """Return the text that is signed: the struct ApiKeyGrant, a line for each field."""
        fields = (
            "ApiKeyGrant",
            self.account.lower(),
            self.key_id.lower(),
            " ".join(self.scopes),
            str(self.issued_at),
            str(self.expires_at),
        )
        return "\n".join(fields)


def encode_token(grant: Grant, signature: bytes) -> str:
    """Write a token."""
    members: JsonObject = {
        "v": 1,
        "account": grant.account,
        "keyId": grant.key_id,
        "scopes": list(grant.scopes),
        "issuedAt": grant.issued_at,
        "expiresAt": grant.expires_at,
    }
    if grant.label is not None:
        members["label"] = grant.label
    return ".".join((PREFIX, _encode(dump(members)), _encode(signature)))


def parse_token(text: str) -> tuple[Grant, bytes]:
    """Read a token into what it grants and its signature, which is not looked at here.

    Raises:
        Refusal: ``invalid_token``. No message holds a part of the token.
    """
    if len(text) > MAX_BYTES:
        raise _refuse("is longer than 8192 bytes")
    parts = text.split(".")
    if len(parts) != 3 or parts[0] != PREFIX:
        raise _refuse("does not have the form fw1.grant.signature")
    members, signature = _read_json(_decode(parts[1])), _decode(parts[2])
    if len(signature) != LENGTH:
        raise _refuse("has a signature of another length")
    return _read_grant(members), signature


def _read_grant(members: JsonObject) -> Grant:
    if not _NEEDED <= set(members) <= _NEEDED | {"label"}:
        raise _refuse("grants with other fields than version 1 has")
    if type(members["v"]) is not int or members["v"] != 1:
        raise _refuse("is of another version")
    for name, pattern in (("account", ADDRESS), ("keyId", KEY_ID)):
        if not isinstance(members[name], str) or not pattern.fullmatch(members[name]):
            raise _refuse(f"has no {name}")
    for name in ("issuedAt", "expiresAt"):
        if type(members[name]) is not int or members[name] < 0:
            raise _refuse(f"has no {name} in unix seconds")
    label = members.get("label")
    if label is not None and (not isinstance(label, str) or len(label) > MAX_LABEL):
        raise _refuse("has a label that is not a text of at most 120 characters")
    return Grant(
        members["account"],
        members["keyId"],
        _read_scopes(members["scopes"]),
        members["issuedAt"],
        members["expiresAt"],
        label,
    )


def _read_scopes(scopes: Any) -> tuple[str, ...]:
    if not is_array(scopes) or not scopes:
        raise _refuse("has no list of scopes")
    if any(scope not in SCOPES for scope in scopes):
        raise _refuse("names a scope that does not exist")
    return tuple(sorted(set(scopes)))


def _read_json(data: bytes) -> JsonObject:
    try:
        members = parse(data)
    except ValueError as error:
        raise _refuse("does not hold JSON") from error
    if not is_object(members):
        raise _refuse("does not hold a JSON object")
    return members


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decode(part: str) -> bytes:
    """Decode base64url without padding, in the one spelling that its bytes have."""
    if not _PART.fullmatch(part):
        raise _refuse("is not base64url without padding")
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError) as error:
        raise _refuse("is not base64url") from error
    if _encode(data) != part:
        raise _refuse("is not base64url in its one spelling")
    return data


def _refuse(what: str) -> Refusal:
    return Refusal(401, "invalid_token", f"the token {what}")
