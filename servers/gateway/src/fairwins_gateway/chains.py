"""The chains that the sandbox serves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Whether there is an indexer to ask for a chain's wagers.
INDEXED: Mapping[int, bool] = MappingProxyType({137: True, 63: True, 80002: False})
