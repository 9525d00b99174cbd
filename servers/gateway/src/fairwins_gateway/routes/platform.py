"""Routes about the platform itself: its document, its health, its fees."""

from __future__ import annotations

from fairwins_gateway import __version__
from fairwins_gateway.chains import INDEXED
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.payments.offers import NETWORK, is_withdrawn, price_of
from fairwins_gateway.routes.assistant import MAX_ROUNDS
from fairwins_gateway.routes.binding import Call

SANDBOX_NOTICE = (
    "This is a sandbox of the Member API: its members, wagers and markets are invented, and no "
    "payment moves anything."
)
FEE_ROUTER = "0x00000000000000000000000000000000000fee01"
FEE_CHAIN = 137
PERPS_VENUES = ("gains", "gmx", "hyperliquid")
PRICED = ("read", "build", "assistant")


def read_document(call: Call) -> Reply:
    """Serve the document of which this gateway's routes are made, byte for byte."""
    return Reply(200, call.gateway.document)


def read_fees(call: Call) -> Reply:
    """Read the fee rates; one that was not read is null, never zero."""
    gateway = call.gateway
    services: JsonObject = {}
    for row in gateway.database.rows("SELECT * FROM fees ORDER BY service"):
        unread = gateway.faults.names("fees-unreadable", row["service"])
        services[row["service"]] = {
            "bps": None if unread else row["bps"],
            "capBps": row["cap_bps"],
            "source": "unreadable" if unread else "chain",
        }
    router = {"address": FEE_ROUTER, "chainId": FEE_CHAIN}
    return data({"feeRouter": router, "services": services, "asOf": gateway.clock.instant()})


def read_status(call: Call) -> Reply:
    """Say how the gateway is doing, and that it is a sandbox."""
    gateway = call.gateway
    switch = gateway.faults.value("kill-switch")
    down = {str(chain): gateway.faults.names("chain-unreadable", str(chain)) for chain in INDEXED}
    taker = gateway.database.row("SELECT bps FROM fees WHERE service = 'polymarket.taker'")
    return data(
        {
            "status": "ok",
            "sandbox": SANDBOX_NOTICE,
            "build": {"version": __version__, "gitSha": None, "released": False},
            "chains": {chain: {"rpc": "down" if gone else "up"} for chain, gone in down.items()},
            "killSwitch": switch == "gateway",
            "fees": {"takerBps": None if taker is None else taker["bps"]},
            "perps": {
                "enabled": switch != "perps",
                "venues": list(PERPS_VENUES),
                "attribution": None,
            },
            "memberApi": {
                "enabled": True,
                "killSwitch": switch == "member-api",
                "assistant": {"configured": True, "maxRounds": MAX_ROUNDS},
                "x402": _payments(call),
            },
        }
    )


def _payments(call: Call) -> JsonObject:
    prices = {kind: price_of(call.gateway, kind) for kind in PRICED}
    enabled = any(prices.values())
    return {
        "enabled": enabled,
        "killSwitch": is_withdrawn(call.gateway),
        "network": NETWORK if enabled else None,
        "priced": {kind: None if price is None else str(price) for kind, price in prices.items()},
    }
