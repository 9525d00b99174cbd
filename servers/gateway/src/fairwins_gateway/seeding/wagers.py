"""Wagers between the sandbox's people and strangers."""

from __future__ import annotations

import sqlite3
from typing import Any

from fairwins_gateway.seeding.draws import Draw
from fairwins_gateway.seeding.members import ALICE, BOB, CAROL, DAVE

HOUR = 3600
# Chain, its stake token, number of the first wager, and how many there are.
CHAINS = (
    (137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 4000, 180),
    (63, "0x00000000000000000000000000000000000c0163", 1, 24),
)
STATUSES = (
    "open",
    "active",
    "active",
    "active",
    "draw_proposed",
    "resolved",
    "resolved",
    "resolved",
    "drawn",
    "refunded",
    "cancelled",
    "declined",
    None,
)
_ENDED = frozenset({"resolved", "drawn", "refunded", "cancelled", "declined"})
_PLAYERS = (ALICE, ALICE, ALICE, BOB, BOB, DAVE, CAROL)


def fill_wagers(connection: sqlite3.Connection, draw: Draw, today: int) -> None:
    """Write the wagers of every chain; newer ones have higher numbers."""
    for chain, token, first, count in CHAINS:
        rows = [
            _wager(draw, today, chain, token, first + step, count - step) for step in range(count)
        ]
        marks = ", ".join("?" * 14)
        connection.executemany(f"INSERT INTO wagers VALUES ({marks})", rows)  # noqa: S608 - marks


def _wager(
    draw: Draw, today: int, chain: int, token: str, number: int, age: int
) -> tuple[Any, ...]:
    name = ("wager", chain, number)
    status = draw.pick(STATUSES, *name, "status")
    creator = draw.pick(_PLAYERS, *name, "creator")
    opponent = draw.pick([p for p in _PLAYERS if p != creator], *name, "opponent")
    stranger = f"0x{draw.digits(40, *name, 'stranger')}"
    opponent = draw.pick([opponent, opponent, stranger], *name, "who")
    created = today - age * 18 * HOUR + draw.number(0, 17 * HOUR, *name, "created")
    stake = draw.number(1, 400, *name, "stake") * 250_000
    odds = draw.pick([1, 1, 1, 2, 3], *name, "odds")
    ended = created + draw.number(2, 17, *name, "ended") * HOUR if status in _ENDED else None
    winner = draw.pick([creator, opponent], *name, "winner") if status == "resolved" else None
    has_text = draw.number(0, 5, *name, "text") > 0
    return (
        chain,
        str(number),
        status,
        draw.pick([0, 1, 1, 2, None], *name, "resolution"),
        creator,
        None if status in ("open", None) else opponent,
        token,
        str(stake),
        None if status is None else str(stake * odds),
        winner,
        created,
        ended,
        f"ipfs://bafybei{draw.digits(52, *name, 'uri')}" if has_text else None,
        f"0x{draw.digits(64, *name, 'hash')}" if has_text else None,
    )
