"""The keys that tokens may be signed with, read from the operator's file.

A key has one algorithm, which is settled when it is read: what a token says of its own algorithm
only picks among keys, so that a public key can never be taken for a shared secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from haia_trace_mcp.oauth.errors import KeyFileError
from haia_trace_mcp.oauth.strict_json import is_array, is_object, read_object
from haia_trace_mcp.wording import quoted

SECRET_BYTES: Final = 32  # RFC 7518, 3.2: as long as the digest
_LONGEST_SECRET: Final = 4096
_RSA_BITS: Final = 2048  # RFC 7518, 3.3
_MOST_KEYS: Final = 64
_PRIVATE: Final = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")

Material: TypeAlias = PyJWK | bytes


@dataclass(frozen=True)
class VerificationKey:
    """One key: its id, the one algorithm it is for, and itself, which is never shown."""

    kid: str | None
    algorithm: str
    material: Material = field(repr=False)


@dataclass(frozen=True)
class KeySet:
    """Keys with different ids for each algorithm."""

    keys: tuple[VerificationKey, ...]

    def find(self, algorithm: str, kid: str | None) -> VerificationKey | None:
        """Return the key that a token means, or None.

        A token without a ``kid`` means the only key of its algorithm, if there is one only. A
        shared secret has no id, and is what any ``kid`` means.
        """
        fitting = [key for key in self.keys if key.algorithm == algorithm]
        if kid is not None and algorithm != "HS256":
            fitting = [key for key in fitting if key.kid == kid]
        return fitting[0] if len(fitting) == 1 else None


class KeySource(Protocol):
    """Where the keys are now."""

    def current(self) -> KeySet:
        """Return the keys that count at this moment.

        Raises:
            KeysUnavailable: there are none that could be relied on.
        """
        ...


def read_key_set(data: bytes) -> KeySet:
    """Read a JWK Set (RFC 7517) with public keys for RS256 and ES256.

    Keys of other kinds and uses are passed over, as the standard has it. A key of these kinds that
    is broken, weak, private or named twice spoils the whole set: nobody can have meant it.

    Raises:
        KeyFileError: it is no JWK Set, or has no usable key.
    """
    try:
        listed: object = read_object(data).get("keys")
    except (ValueError, RecursionError) as error:
        raise KeyFileError(f"it is no JWK Set: {error}") from error
    if not is_array(listed) or len(listed) > _MOST_KEYS:
        raise KeyFileError(f'it is no JWK Set: "keys" is a list of at most {_MOST_KEYS} keys')
    keys = [key for number, each in enumerate(listed) if (key := _read_key(number, each))]
    if not keys:
        raise KeyFileError("it has no key for RS256 or ES256")
    _check_names(keys)
    return KeySet(tuple(keys))


def read_secret(data: bytes) -> KeySet:
    """Read a shared secret for HS256: the bytes of the file without its last line end.

    Raises:
        KeyFileError: it is too short or too long, or is some other kind of key.
    """
    secret = data.removesuffix(b"\n").removesuffix(b"\r")
    if len(secret) < SECRET_BYTES:
        raise KeyFileError(f"a secret has at least {SECRET_BYTES} bytes; this one is shorter")
    if len(secret) > _LONGEST_SECRET:
        raise KeyFileError(f"a secret has at most {_LONGEST_SECRET} bytes; this one is longer")
    if b"-----BEGIN" in secret or secret.startswith(b"ssh-") or _is_key_document(secret):
        # Public text as a shared secret would let everybody sign.
        raise KeyFileError("it is a key file, not a secret; --auth-jwks takes public keys")
    return KeySet((VerificationKey(None, "HS256", secret),))


def _is_key_document(secret: bytes) -> bool:
    try:
        document = read_object(secret)
    except (ValueError, RecursionError):
        return False
    return not document.keys().isdisjoint({"keys", "kty"})


def _read_key(number: int, value: object) -> VerificationKey | None:
    """Return one key of a set, or None for what is not meant for us."""
    if not is_object(value):
        raise KeyFileError(f"key {number} is no JSON object")
    kid: object = value.get("kid")
    place = f"key {number}" + (f" ({quoted(kid)})" if isinstance(kid, str) else "")
    if kid is not None and not isinstance(kid, str):
        raise KeyFileError(f"{place}: its kid is no string")
    if value.get("kty") == "oct":
        raise KeyFileError(f"{place} is a shared secret; --auth-hmac-secret takes one")
    algorithm = _algorithm(value)
    if algorithm is None:
        return None
    if not value.keys().isdisjoint(_PRIVATE):
        raise KeyFileError(f"{place} holds the private key, which belongs to the issuer alone")
    try:
        key = PyJWK(value, algorithm)
    except PyJWTError as error:
        raise KeyFileError(f"{place} is broken") from error
    material: object = key.key
    if isinstance(material, RSAPublicKey) and material.key_size < _RSA_BITS:
        raise KeyFileError(f"{place} has fewer than {_RSA_BITS} bits")
    return VerificationKey(kid, algorithm, key)


def _algorithm(value: dict[str, Any]) -> str | None:
    """Return what a key may be used for, or None for any other kind and use than ours."""
    match value:
        case {"kty": "RSA"}:
            algorithm = "RS256"
        case {"kty": "EC", "crv": "P-256"}:
            algorithm = "ES256"
        case _:
            return None
    operations: object = value.get("key_ops", ["verify"])
    is_ours = (
        value.get("alg", algorithm) == algorithm
        and value.get("use", "sig") == "sig"
        and is_array(operations)
        and "verify" in operations
    )
    return algorithm if is_ours else None


def _check_names(keys: Sequence[VerificationKey]) -> None:
    seen: set[tuple[str, str]] = set()
    for key in keys:
        if key.kid is None:
            continue
        if (key.algorithm, key.kid) in seen:
            raise KeyFileError(f"two keys for {key.algorithm} are called {quoted(key.kid)}")
        seen.add((key.algorithm, key.kid))
