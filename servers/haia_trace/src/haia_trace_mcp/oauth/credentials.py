"""The Authorization field of a request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SCHEME = re.compile(r"bearer(?: |$)", re.IGNORECASE | re.ASCII)
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE | re.ASCII)  # RFC 6750, 2.1
_MALFORMED: Final = "a request brings one token: Authorization: Bearer TOKEN"


class MalformedCredentials(ValueError):
    """Say that a request's credentials have no form in which they could be judged."""


def read_bearer(values: Sequence[str]) -> str | None:
    """Return the token in the values of a request's Authorization fields.

    Returns:
        None where there is no such field, or one of another scheme.

    Raises:
        MalformedCredentials: there are several fields, or no one token in the one.
    """
    if not values:
        return None
    if len(values) > 1:
        raise MalformedCredentials(_MALFORMED)
    if _SCHEME.match(values[0]) is None:
        return None
    match = _BEARER.fullmatch(values[0])
    if match is None:
        raise MalformedCredentials(_MALFORMED)
    return match[1]
