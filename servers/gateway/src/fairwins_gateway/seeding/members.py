"""The sandbox's people: who they are is fixed, whatever the seed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType

ALICE = "0x00000000000000000000000000000000000a11ce"
BOB = "0x0000000000000000000000000000000000000b0b"
CAROL = "0x00000000000000000000000000000000000ca401"
DAVE = "0x000000000000000000000000000000000000dabe"
MALLORY = "0x000000000000000000000000000000000bad0bad"
POOR = "0x0000000000000000000000000000000000000e0e"

# What each is good for, as the README tells.
PEOPLE: Mapping[str, str] = MappingProxyType(
    {
        ALICE: "a Gold member with a long history",
        BOB: "a Bronze member with a short one",
        CAROL: "has never been a member",
        DAVE: "whose membership has ended",
        MALLORY: "a member on a list of sanctions",
        POOR: "a member whose wallet is empty",
    }
)
_YEAR = 365 * 24 * 3600


def fill_members(connection: sqlite3.Connection, today: int) -> None:
    """Write memberships, sanctions and balances."""
    connection.executemany(
        "INSERT INTO members VALUES (?, ?, ?)",
        [
            (ALICE, 3, today + _YEAR),
            (BOB, 1, today + _YEAR // 4),
            (DAVE, 2, today - _YEAR // 12),
            (MALLORY, 4, None),
            (POOR, 1, None),
        ],
    )
    connection.execute("INSERT INTO sanctions VALUES (?)", (MALLORY,))
    connection.execute("INSERT INTO balances VALUES (?, '0')", (POOR,))
