"""The agent's bearer token: whether a request brought one that is valid now."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
from collections.abc import Callable, Sequence

from mcp_wrapper_scaffold.secret_sources import SecretSource, SecretUnavailable

LOG = logging.getLogger(__name__)
MAX_SOURCES = 2  # the token, and the one before or after it while it is being replaced
_HEADER = re.compile(r"bearer +([!-~]{1,4096})", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"[!-~]{1,4096}")
_COMPLAINT = "no token can be checked: %s"


async def verify_agent_token(
    auth_header: str | None, source: SecretSource | Sequence[SecretSource]
) -> bool:
    """Tell whether an Authorization header brings a token that a source has now.

    Every source is asked and compared, whatever the one before said. A token is compared as the
    SHA-256 digest of its bytes, in constant time, so neither its length nor its beginning shows.
    A server asks this at each request by itself; it is here for servers of another make.

    Args:
        auth_header: the value of the only Authorization header, or None where there is none or
            more than one.
        source: where the token is; two of them while one is being replaced.

    Returns:
        False for anything but a match: no header, another scheme, an empty or malformed token, a
        source that fails, is empty or holds something that cannot be sent as a token. The log says
        what is wrong with a source.
    """
    sources = source if isinstance(source, Sequence) else (source,)
    return await match_token(auth_header, sources, LOG.warning)


async def match_token(
    auth_header: str | None, sources: Sequence[SecretSource], complain: Callable[[str, str], None]
) -> bool:
    """Do what ``verify_agent_token`` does.

    Args:
        auth_header: as there.
        sources: as there.
        complain: is told of a source that cannot be used: a format, and what goes into it.
    """
    match = None if auth_header is None else _HEADER.fullmatch(auth_header)
    if match is None:
        return False
    presented = _digest(match[1])
    is_valid = False
    for each in sources:
        is_valid |= hmac.compare_digest(presented, await _expected(each, complain))
    return is_valid


def find_token_fault(value: str) -> str | None:
    """Return why a value cannot be a token, or None."""
    return None if _TOKEN.fullmatch(value) else "is not 1 to 4096 visible ASCII characters"


async def _expected(source: SecretSource, complain: Callable[[str, str], None]) -> bytes:
    """Return the digest that a token has to have; one that no token has where there is none."""
    try:
        value = await source.get()
        fault = find_token_fault(value)
    except SecretUnavailable as error:
        complain(_COMPLAINT, str(error))
        return b""
    except Exception as error:  # noqa: BLE001 - a foreign source; its text may quote the token
        complain(_COMPLAINT, f"a source raised {type(error).__name__}")
        return b""
    if fault is not None:
        complain(_COMPLAINT, f"{source.label} {fault}")
        return b""
    return _digest(value)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("ascii")).digest()
