"""Read who would be paid, strictly: whoever is compared with a denylist must be understood."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from haia_trace_mcp.errors import HaiaTraceError
from haia_trace_mcp.index import address_key, host_key
from haia_trace_mcp.wording import quoted

_LENGTH_LIMIT: Final = 2048
_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")
# Such as those of Solana. Nothing folds their letter case.
_OTHER_ADDRESS = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")

# No "@" and no backslash before the path: browsers and libraries disagree on what host that is.
_SERVICE = re.compile(
    r"(?:(?:https?|wss?)://)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:\\%\[\]]+)(?::[0-9]{1,5})?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
# A host that ends in a number is an IPv4 address to a browser, in whatever spelling.
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
# The versions of IDNA make different hosts of these.
_DISPUTED: Final = frozenset("ßẞς\u200c\u200d")


class CounterpartyError(HaiaTraceError):
    """Say that text names nobody who could be paid."""


@dataclass(frozen=True, slots=True)
class Counterparty:
    """Whom to pay: ``key`` is an address or a host in its one spelling."""

    key: str
    is_address: bool


def read_counterparty(text: str) -> Counterparty:
    """Return the counterparty of an address, a host or a URL.

    Letter case, scheme, port, path and a final dot do not matter to a host.

    Raises:
        CounterpartyError: it is none of them, or one that others could read as another host.
    """
    if _ADDRESS.fullmatch(text) or _OTHER_ADDRESS.fullmatch(text):
        return Counterparty(address_key(text), is_address=True)
    if len(text) > _LENGTH_LIMIT or not _SERVICE.fullmatch(text):
        raise CounterpartyError(
            f"{quoted(text)} is neither an address of 0x and 40 hexadecimal digits nor the host "
            "or the URL of a service"
        )
    if not _DISPUTED.isdisjoint(text):
        raise CounterpartyError(f"{quoted(text)} has to be written in its xn-- form")
    host = host_key(text)
    if host is None or not _is_host(host):
        raise CounterpartyError(f"{quoted(text)} names no host")
    return Counterparty(host, is_address=False)


def _is_host(host: str) -> bool:
    try:
        if ":" in host:
            return bool(IPv6Address(host))
        if _NUMBER.fullmatch(host):
            return bool(str(IPv4Address(host)) == host)
    except AddressValueError:
        return False
    return _HOST.fullmatch(host) is not None
