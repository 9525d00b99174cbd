"""Assets: what a token is called, and how its units are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from haia_trace_mcp.index import address_key
from haia_trace_mcp.money.amounts import format_amount
from haia_trace_mcp.money.networks import network_key

_TOKEN = re.compile(r"[-.%a-zA-Z0-9]{1,128}")


@dataclass(frozen=True, slots=True)
class Asset:
    """A token on one network; ``network`` is its CAIP-2 name, ``address`` has no letter case."""

    network: str
    address: str
    symbol: str
    decimals: int

    @property
    def key(self) -> str:
        """Return what the policy calls it."""
        return f"{self.network}/{self.address}"

    def show(self, atomic: int) -> str:
        """Return an amount for people, such as ``0.25 USDC``."""
        return f"{format_amount(atomic, self.decimals)} {self.symbol}"


KNOWN: Final = (
    Asset("eip155:8453", "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "USDC", 6),
    Asset("eip155:84532", "0x036cbd53842c5426634e7929541ec2318f3dcf7e", "USDC", 6),
)
"""USDC on Base and on Base Sepolia."""


class Assets:
    """The assets whose decimals are known: x402 does not send them."""

    def __init__(self, assets: Iterable[Asset] = KNOWN) -> None:
        self._by_key = {asset.key: asset for asset in assets}

    def __iter__(self) -> Iterator[Asset]:
        return iter(self._by_key.values())

    def of_terms(self, network: str, address: str) -> Asset | None:
        """Return the asset of recorded terms of payment."""
        return self._by_key.get(terms_key(network, address) or "")

    def of_key(self, text: str) -> Asset | None:
        """Return an asset by its key in any spelling."""
        return self._by_key.get(asset_key(text) or "")

    def named(self, text: str) -> tuple[Asset, ...]:
        """Return the assets that have this key, this address or this symbol, in any letter case."""
        by_key = self.of_key(text)
        if by_key is not None:
            return (by_key,)
        address, symbol = address_key(text), text.upper()
        return tuple(
            asset
            for asset in self._by_key.values()
            if asset.address == address or asset.symbol.upper() == symbol
        )


def asset_key(text: str) -> str | None:
    """Return the key ``<CAIP-2 network>/<address>`` of an asset in its one spelling, or None."""
    network, separator, address = text.partition("/")
    return terms_key(network, address) if separator else None


def terms_key(network: str, address: str) -> str | None:
    """Return the key of an asset by its network and address; None if the network is not known."""
    known = network_key(network)
    if known is None or not _TOKEN.fullmatch(address):
        return None
    return f"{known}/{address_key(address)}"
