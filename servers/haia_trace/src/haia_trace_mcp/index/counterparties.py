"""One spelling for each counterparty: an address, or the host of a service."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")

_PLAIN = re.compile(r"https?://([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[/?#]|$)")
_SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})


def counterparty_key(text: str) -> str | None:
    """Return the key of an address, a host or a URL; None for text that is none of them."""
    return address_key(text) if _ADDRESS.fullmatch(text) else host_key(text)


def address_key(text: str) -> str:
    """Return an address without the letter case of its checksum.

    Anything that is no ``0x`` address, such as one of Solana, is compared as it is written.
    """
    return text.lower() if _ADDRESS.fullmatch(text) else text


def host_key(text: str) -> str | None:
    """Return the host of a URL, or of a host with or without a port, in lower case.

    Labels beyond ASCII become their ``xn--`` form, and a final dot goes. None where there is no
    host in the text; what comes after ``mcp://`` is the word "tool", not a host.
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
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
