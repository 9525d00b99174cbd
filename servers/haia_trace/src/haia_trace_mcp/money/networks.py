"""Names of networks: the short ones of x402 v1 and those of CAIP-2, as one."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

# Names on which releases of x402 disagree (educhain, skale-base-sepolia, story) are left out: a
# payment on a network that is not known goes to review, one on a wrong network is miscounted.
_CHAINS: Final = {
    "abstract": 2741,
    "abstract-testnet": 11124,
    "avalanche": 43114,
    "avalanche-fuji": 43113,
    "base": 8453,
    "base-sepolia": 84532,
    "celo": 42220,
    "ethereum": 1,
    "flare": 14,
    "iotex": 4689,
    "megaeth": 4326,
    "monad": 143,
    "monad-testnet": 10143,
    "peaq": 3338,
    "polygon": 137,
    "polygon-amoy": 80002,
    "sei": 1329,
    "sei-testnet": 1328,
    "stable": 988,
    "stable-testnet": 2201,
}
V1_NAMES: Final = MappingProxyType(
    {name: f"eip155:{chain}" for name, chain in _CHAINS.items()}
    | {
        "solana": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "solana-devnet": "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
        "solana-testnet": "solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z",
    }
)
"""The networks of x402 v1 by their short names, as CAIP-2 names them."""

_CAIP_2 = re.compile(r"[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}")
_EVM = re.compile(r"eip155:(?:0|[1-9][0-9]{0,19})")


def network_key(text: str) -> str | None:
    """Return the CAIP-2 name of a network, or None for a name that nobody knows."""
    name = V1_NAMES.get(text)
    if name is not None:
        return name
    if text.startswith("eip155:"):
        return text if _EVM.fullmatch(text) else None
    return text if _CAIP_2.fullmatch(text) else None
