"""Invented data: the same seed and the same day give the same database."""

from __future__ import annotations

import sqlite3

from fairwins_gateway.seeding.draws import Draw
from fairwins_gateway.seeding.markets import fill_markets
from fairwins_gateway.seeding.members import fill_members
from fairwins_gateway.seeding.news import fill_news
from fairwins_gateway.seeding.perps import fill_pairs
from fairwins_gateway.seeding.wagers import fill_wagers

DAY = 24 * 3600
FEES = (
    ("earn.lend", 0, 250),
    ("perps.hyperliquid.builder", 0, 10),
    ("polymarket.maker", 0, 50),
    ("polymarket.taker", 50, 100),
)


def fill(connection: sqlite3.Connection, seed: str, now: int) -> None:
    """Fill an empty database; ``now`` in unix seconds, of which the day counts."""
    draw = Draw(seed)
    today = now - now % DAY
    connection.executemany("INSERT INTO fees VALUES (?, ?, ?)", FEES)
    fill_members(connection, today)
    fill_wagers(connection, draw, today)
    fill_markets(connection, draw, today)
    fill_pairs(connection, draw)
    fill_news(connection, draw, today)
