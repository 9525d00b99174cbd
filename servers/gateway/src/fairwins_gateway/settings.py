"""What a gateway is started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

DEFAULT_SEED = "fairwins"
DEFAULT_PAY_TO = "0x00000000000000000000000000000000000dEaD1"
DEFAULT_PRICES: Mapping[str, int] = MappingProxyType(
    {"read": 10_000, "build": 50_000, "assistant": 100_000}
)


@dataclass(frozen=True)
class Settings:
    """What a gateway is started with.

    Attributes:
        seed: from which all invented data and all sandbox signatures follow.
        database: its file; None keeps everything in memory.
        prices: base units of USDC by class; 0 means that the class is not for sale.
        pay_to: who receives the payments.
        hosts: names that the Host header may have; empty allows every name.
        origin_auth: what the header X-Origin-Auth has to say; empty asks for nothing.
    """

    seed: str = DEFAULT_SEED
    database: Path | None = None
    prices: Mapping[str, int] = field(default_factory=lambda: DEFAULT_PRICES)
    pay_to: str = DEFAULT_PAY_TO
    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "[::1]"})
    origin_auth: str = field(default="", repr=False)
