"""Which addresses are public, and which addresses a name has."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

import anyio

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Find the addresses of a host name for a port, or raise OSError."""

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")

# Special by the registries of IANA; ipaddress.is_global calls some of them public, and which ones
# differs between versions of Python.
_SPECIAL_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
# Within global unicast: protocol assignments with Teredo, documentation, 6to4. Everything outside
# of it (mapped, compatible, translated, unique local, link local, site local, multicast) is
# refused anyway.
_SPECIAL_V6 = tuple(
    map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
)


def is_public(text: str) -> bool:
    """Tell whether an address is one of the public Internet; False for what is no address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if not address.is_global:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _SPECIAL_V6)


def is_address(text: str) -> bool:
    """Tell whether a host is written as an address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host name, as the system orders them.

    Raises:
        OSError: the name has none.
    """
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))
