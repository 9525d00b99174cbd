"""Building intents, and the relay that takes signed ones."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from fairwins_gateway.actions import Action, built_intent, domain, find_action, struct
from fairwins_gateway.admission import screen
from fairwins_gateway.errors import Refusal
from fairwins_gateway.jsontext import JsonObject
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.routes.binding import Call
from fairwins_gateway.tokens import ADDRESS

# How long an intent stays in each state, by the gateway's clock.
MINED_AFTER_SECONDS = 5
CONFIRMED_AFTER_SECONDS = 30


def build_intent(call: Call) -> Reply:
    """Build unsigned typed data; the actor is the caller, whatever the parameters say."""
    body = call.body()
    params = body.get("params", {})
    return data(built_intent(body["action"], int(body["chainId"]), call.caller.account, params))


def submit_intent(call: Call) -> Reply:
    """Take a signed intent; the same one twice is one intent."""
    body = call.body()
    name, chain = body["action"], int(body["chainId"])
    action, target = find_action(name, chain)
    message = _require_message(action, target, chain, body.get("typedData"))
    actor = str(message[action.actor])
    call.gateway.fail_at("signature", call.operation)
    signature = bytes.fromhex(body["signature"][2:])
    if not call.gateway.signer.accepts(actor, signed_text(body["typedData"]), signature):
        raise Refusal(401, "invalid_signature", f"the signature is not that of {action.actor}")
    screen(call.gateway, call.operation, actor)
    identifier = f"int_{hashlib.sha256(signature).hexdigest()[:32]}"
    with call.gateway.database.transaction() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO intents VALUES (?, ?, ?, ?, ?)",
            (identifier, actor, name, chain, call.gateway.clock.seconds()),
        )
    return _status(call, identifier)


def read_intent(call: Call) -> Reply:
    """Say how far an intent has come: in this sandbox, that is a matter of time alone."""
    return _status(call, call.values()["id"])


def signed_text(typed: JsonObject) -> str:
    """Return the text that a sandbox wallet signs: the typed data as sorted, compact JSON."""
    return json.dumps(typed, sort_keys=True, separators=(",", ":"))


def _require_message(action: Action, target: str, chain: int, typed: Any) -> JsonObject:
    """Return the message of typed data that is the action's own, complete with what wallets add."""
    if typed is None:
        raise Refusal(400, "bad_request", "typedData is missing: nobody can tell what was signed")
    if typed["domain"] != domain(action, target, chain):
        raise Refusal(400, "bad_request", "the domain is not that of the action on this chain")
    if typed["types"].get(action.struct) != struct(action) or typed["primaryType"] != action.struct:
        raise Refusal(400, "bad_request", f"the typed data is no {action.struct}")
    message: JsonObject = typed["message"]
    missing = [field["name"] for field in struct(action) if field["name"] not in message]
    if missing:
        raise Refusal(400, "bad_request", f"the message lacks {', '.join(missing)}")
    actor = message[action.actor]
    if not isinstance(actor, str) or not ADDRESS.fullmatch(actor):
        raise Refusal(400, "bad_request", f"{action.actor} is no address")
    return message


def _status(call: Call, identifier: str) -> Reply:
    row = call.gateway.database.row("SELECT * FROM intents WHERE id = ?", (identifier,))
    if row is None:
        raise Refusal(400, "bad_request", "the relay knows no intent of this id")
    age = call.gateway.clock.seconds() - row["received_at"]
    status = "pending"
    if age >= MINED_AFTER_SECONDS:
        status = "mined" if age < CONFIRMED_AFTER_SECONDS else "confirmed"
    digest = hashlib.sha256(identifier.encode()).hexdigest()
    found = None if status == "pending" else f"0x{digest}"
    return data({"id": identifier, "status": status, "txHash": found})
