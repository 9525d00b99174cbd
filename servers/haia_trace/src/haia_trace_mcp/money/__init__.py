"""Money: amounts in atomic units, the assets that they are in, and their networks."""

from __future__ import annotations

from haia_trace_mcp.money.amounts import AmountError, format_amount, parse_amount, shortest
from haia_trace_mcp.money.assets import KNOWN, Asset, Assets, asset_key, terms_key
from haia_trace_mcp.money.networks import V1_NAMES, network_key

__all__ = [
    "KNOWN",
    "V1_NAMES",
    "AmountError",
    "Asset",
    "Assets",
    "asset_key",
    "format_amount",
    "network_key",
    "parse_amount",
    "shortest",
    "terms_key",
]
