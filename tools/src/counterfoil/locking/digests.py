"""Digests of definitions: sha256 of the JSON Canonicalization Scheme (RFC 8785)."""

from __future__ import annotations

import hashlib
from typing import Any

from counterfoil.contract.values import is_array, is_object

_SAFE = 2**53 - 1
_PREFIX = "sha256:"


def digest_of(definition: Any) -> str:
    """Return the digest of JSON data, ``sha256:`` and 64 hexadecimal digits."""
    import rfc8785  # no other command needs it

    return _PREFIX + hashlib.sha256(rfc8785.dumps(_portable(definition))).hexdigest()


def _portable(value: Any) -> Any:
    """Return data as RFC 8785 reads it: integers beyond 2**53 are the nearest double.

    A lone surrogate has no bytes; it is digested as the escape that stands for it.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -_SAFE <= value <= _SAFE else float(value)
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if is_object(value):
        return {_portable(key): _portable(member) for key, member in value.items()}
    if is_array(value):
        return [_portable(each) for each in value]
    return value
