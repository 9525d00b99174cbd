"""One spelling for each counterparty: an address, or the host of a service."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")

_PLAIN = re.compile(r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[/?#]|$)")
_SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})


def address_key(text: str) -> str:
    """Return an address without the letter case of its checksum.

    Anything that is no ``0x`` address, such as one of Solana, is compared as it is written.
    """
    return text.lower() if _ADDRESS.fullmatch(text) else text


def host_key(text: str) -> str | None:
    """Return the host of a URL, or of a host with or without a port, in lower case.

    Labels beyond ASCII become their ``xn--`` form, and a final dot goes. An IPv6 address gets the
    spelling of RFC 5952, and one that stands for an IPv4 address becomes that. None where there is
    no host in the text; what comes after ``mcp://`` is the word "tool", not a host.
    """
    plain = _PLAIN.match(text)
    if plain:
        return plain.group(1)
    scheme, separator, _ = text.partition("://")
    if separator and scheme.lower() not in _SCHEMES:
        return None
    try:
        host = urlsplit(text if separator else f"//{text}").hostname
    except ValueError:
        return None
    host = (host or "").rstrip(".")
    if not host:
        return None
    if ":" in host:
        return _ipv6_key(host)
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return host


def _ipv6_key(host: str) -> str:
    try:
        address = IPv6Address(host)
    except AddressValueError:
        return host
    return str(address.ipv4_mapped or address)
