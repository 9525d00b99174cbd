"""Routes that pass on what vendors say: markets, perpetual futures, news."""

from __future__ import annotations

import json

from fairwins_gateway.errors import Refusal
from fairwins_gateway.faults import Faults
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.routes.binding import Call

MARKET_CHAIN = "137"
PAGE = 100
DEFAULT_HEADLINES = 8


def list_markets(call: Call) -> Reply:
    """List one page of markets; a search looks at this page only."""
    values = call.values()
    if values["chainId"] != MARKET_CHAIN:
        reason = f"there are no markets on chain {values['chainId']}"
        raise Refusal(404, "unsupported_chain", reason)
    start = int(values.get("next", "0"))
    rows = call.gateway.database.rows(
        "SELECT question, document FROM markets WHERE position >= ? ORDER BY position LIMIT ?",
        (start, PAGE + 1),
    )
    words = values.get("q", "").casefold()
    return data(
        {
            "markets": [
                json.loads(row["document"])
                for row in rows[:PAGE]
                if words in row["question"].casefold()
            ],
            "next": str(start + PAGE) if len(rows) > PAGE else None,
            "fetchedAt": call.gateway.clock.instant(),
            "stale": False,
        }
    )


def list_pairs(call: Call) -> Reply:
    """List the pairs of all venues; a venue that was not read has no rows, and says so."""
    faults = call.gateway.faults
    sources: JsonObject = {
        "gains": _venue(faults, "gains", {"chains": [137, 8453, 42161]}),
        "gmx": _venue(faults, "gmx", {"chains": [42161]}),
        "hyperliquid": _venue(
            faults,
            "hyperliquid",
            {"chains": [], "dexes": ["", "xyz"], "unreadDexes": [], "partial": False},
        ),
    }
    read = {name for name, source in sources.items() if source["status"] == "read"}
    if not read:
        raise Refusal(502, "upstream_failed", "no venue could be read, so no pair is known")
    rows = call.gateway.database.rows("SELECT venue, document FROM pairs ORDER BY position")
    pairs = [json.loads(row["document"]) for row in rows if row["venue"] in read]
    return data({"pairs": pairs, "sources": sources, "asOf": call.gateway.clock.instant()})


def list_news(call: Call) -> Reply:
    """List headlines about an asset; a failed read is told with status 200."""
    values = call.values()
    failed = call.gateway.faults.value("news-unreadable")
    if failed is not None:
        return data({"state": "unreadable", "reason": failed})
    rows = call.gateway.database.rows(
        "SELECT document FROM news WHERE slug = ? ORDER BY position LIMIT ?",
        (values["slug"], values.get("limit", DEFAULT_HEADLINES)),
    )
    return data(
        {
            "state": "read",
            "fetchedAt": call.gateway.clock.instant(),
            "stale": False,
            "items": [json.loads(row["document"]) for row in rows],
        }
    )


def _venue(faults: Faults, name: str, read: JsonObject) -> JsonObject:
    if not faults.names("perps-degraded", name):
        return {"status": "read", "stale": False, **read}
    degraded: JsonObject = {"status": "degraded", "stale": False, "chains": []}
    if "dexes" in read:  # not even the names of the order books are known now
        degraded |= {"dexes": [], "unreadDexes": None, "partial": True}
    return degraded
