"""The agent's bearer token: whether a request brought one that is valid now."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
from collections.abc import Sequence

from mcp_wrapper_scaffold.secret_sources import SecretSource, SecretUnavailable

LOG = logging.getLogger(__name__)
MAX_SOURCES = 2  # the token, and the one before or after it while it is being replaced
_HEADER = re.compile(r"bearer +([!-~]{1,4096})", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"[!-~]{1,4096}")


async def verify_agent_token(
    auth_header: str | None, source: SecretSource | Sequence[SecretSource]
) -> bool:
    """Tell whether an Authorization header brings a token that a source has now.

    Every source is asked and compared, whatever the one before said. A token is compared as the
    SHA-256 digest of its bytes, in constant time, so neither its length nor its beginning shows.

    Args:
        auth_header: the value of the only Authorization header, or None where there is none or
            more than one.
        source: where the token is; two of them while one is being replaced.

    Returns:
        False for anything but a match: no header, another scheme, an empty or malformed token, a
        source that fails, is empty or holds something that cannot be sent as a token.
    """
    match = None if auth_header is None else _HEADER.fullmatch(auth_header)
    if match is None:
        return False
    presented = _digest(match[1])
    is_valid = False
    for each in source if isinstance(source, Sequence) else (source,):
        is_valid |= hmac.compare_digest(presented, await _expected(each))
    return is_valid


async def _expected(source: SecretSource) -> bytes:
    """Return the digest that a token has to have; one that no token has where there is none."""
    try:
        value = await source.get()
    except SecretUnavailable as error:
        LOG.warning("no token can be checked: %s", error)
        return b""
    except Exception as error:  # noqa: BLE001 - a foreign source; its text may quote the token
        LOG.warning("no token can be checked: a source raised %s", type(error).__name__)
        return b""
    if not _TOKEN.fullmatch(value):
        LOG.warning("no token can be checked: %s is not 1 to 4096 visible ASCII", source.label)
        return b""
    return _digest(value)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("ascii")).digest()
