"""Perpetual futures of three venues. Figures are decimal text, which the contract permits."""

from __future__ import annotations

import sqlite3

from fairwins_gateway.jsontext import JsonObject, dump
from fairwins_gateway.seeding.draws import Draw, decimal

# Base, and its price in hundredths of a US dollar.
COINS = (("BTC", 6_300_000), ("ETH", 310_000), ("SOL", 14_200), ("POL", 21), ("ETC", 1_980))
# Venue, chain, order book, highest leverage, and the rate of its fee in millionths.
BOOKS: tuple[tuple[str, int | None, str, int, int | None], ...] = (
    ("gains", 137, "", 200, 350),
    ("gains", 42161, "", 250, 350),
    ("gmx", 42161, "", 100, 500),
    ("hyperliquid", None, "", 50, None),
    ("hyperliquid", None, "xyz", 20, None),
)


def fill_pairs(connection: sqlite3.Connection, draw: Draw) -> None:
    """Write the pairs, venue by venue."""
    rows = [
        (venue, _pair(draw, (venue, chain, book), leverage, rate, coin, cents))
        for venue, chain, book, leverage, rate in BOOKS
        for coin, cents in COINS
    ]
    for position, (venue, pair) in enumerate(rows):
        document = dump(pair).decode()
        connection.execute("INSERT INTO pairs VALUES (?, ?, ?)", (position, venue, document))


def _pair(
    draw: Draw,
    where: tuple[str, int | None, str],
    leverage: int,
    rate: int | None,
    coin: str,
    cents: int,
) -> JsonObject:
    venue, chain, book = where
    place = str(chain) if chain is not None else book
    identifier = ":".join(part for part in (venue, place, f"{coin}/USD") if part)
    off = draw.number(-40, 40, identifier, "price")
    known = chain is None
    return {
        "id": identifier,
        "venue": venue,
        "chainId": chain,
        "symbol": f"{coin}/USD",
        "base": coin,
        "quote": "USD",
        "price": decimal(cents * 10_000 + cents * off, 6),
        "fundingRate": decimal(draw.number(0, 900, identifier, "funding"), 7),
        "fundingIntervalHours": "1" if venue != "gmx" else None,
        "openInterestUsd": str(draw.number(10_000, 90_000_000, identifier, "interest")),
        "maxLeverage": str(leverage),
        "volume24hUsd": str(draw.number(0, 400_000_000, identifier, "volume")) if known else None,
        "venueFee": None if rate is None else _fee(rate),
        "minNotional": "10" if known else None,
        "minCollateralUsd": None if known else "5",
    }


def _fee(rate: int) -> JsonObject:
    text = decimal(rate, 6)
    return {"basis": "published-rate", "openRate": text, "closeRate": text}
