"""The member's wagers, each chain in its own state."""

from __future__ import annotations

from fairwins_gateway.chains import INDEXED
from fairwins_gateway.database import Row
from fairwins_gateway.errors import Refusal
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.routes.binding import Call

DEFAULT_FIRST = 50
_QUERY = """
SELECT * FROM wagers WHERE chain_id = ? AND (creator = ? OR opponent = ?)
ORDER BY created_at DESC, CAST(id AS INTEGER) DESC LIMIT ?
"""


def list_wagers(call: Call) -> Reply:
    """List wagers of one chain or of all; a chain that was not read has a state and no list."""
    values = call.values()
    wanted = [values["chainId"]] if "chainId" in values else list(INDEXED)
    if wanted[0] not in INDEXED:
        served = ", ".join(map(str, INDEXED))
        reason = f"chain {wanted[0]} is not served here; served are {served}"
        raise Refusal(400, "bad_request", reason)
    first = values.get("first", DEFAULT_FIRST)
    account = call.caller.account
    chains = {str(chain): _chain(call.gateway, chain, account, first) for chain in wanted}
    unread = [name for name, chain in chains.items() if chain["state"] != "read"]
    return data(
        {
            "account": account,
            "chains": chains,
            "partial": unread or None,
            "asOf": call.gateway.clock.instant(),
        }
    )


def _chain(gateway: Gateway, chain: int, account: str, first: int) -> JsonObject:
    if not INDEXED[chain]:
        reason = "no indexer is set up for this chain"
        return {"chainId": chain, "state": "not-configured", "reason": reason}
    if gateway.faults.names("chain-unreadable", str(chain)):
        reason = "the indexer could not be reached, try again"
        return {"chainId": chain, "state": "unreadable", "reason": reason}
    mine = account.lower()
    rows = gateway.database.rows(_QUERY, (chain, mine, mine, first))
    return {"chainId": chain, "state": "read", "wagers": [_wager(row) for row in rows]}


def _wager(row: Row) -> JsonObject:
    return {
        "id": row["id"],
        "chainId": row["chain_id"],
        "status": row["status"],
        "resolutionType": row["resolution_type"],
        "creator": row["creator"],
        "opponent": row["opponent"],
        "token": row["token"],
        "creatorStake": row["creator_stake"],
        "opponentStake": row["opponent_stake"],
        "winner": row["winner"],
        "createdAt": row["created_at"],
        "resolvedAt": row["resolved_at"],
        "metadataUri": row["metadata_uri"],
        "metadataHash": row["metadata_hash"],
    }
