"""Routes about a member: profile, membership, keys."""

from __future__ import annotations

from fairwins_gateway.admission import CLOCK_ALLOWANCE_SECONDS, is_revoked
from fairwins_gateway.errors import Refusal
from fairwins_gateway.messages import Reply, data
from fairwins_gateway.revocations import revoke, signed_text
from fairwins_gateway.routes.binding import Call


def read_profile(call: Call) -> Reply:
    """Say what the token stands for."""
    grant = call.caller.grant
    assert grant is not None  # the route has no price, so nobody gets here without a token
    profile = {
        "account": grant.account,
        "keyId": grant.key_id,
        "scopes": list(grant.scopes),
        "issuedAt": grant.issued_at,
        "expiresAt": grant.expires_at,
        "membership": call.gateway.memberships.read(grant.account),
        "revocation": {"revoked": False, "durable": False},
    }
    if grant.label is not None:
        profile["label"] = grant.label
    return data(profile)


def read_membership(call: Call) -> Reply:
    """Read the membership now, whatever admitted the caller."""
    return data(call.gateway.memberships.read(call.caller.account))


def read_key_status(call: Call) -> Reply:
    """Say whether one of the member's keys is withdrawn."""
    values = call.values()
    account = call.caller.account
    if values.get("account", account).lower() != account.lower():
        raise Refusal(400, "bad_request", "account is not the token's own")
    return data(
        {
            "account": account,
            "keyId": values["keyId"],
            "revoked": is_revoked(call.gateway, account, values["keyId"]),
            "durable": False,
        }
    )


def revoke_key(call: Call) -> Reply:
    """Withdraw a key for a signed wish; the signature is the only credential."""
    body = call.body()
    wish, signature = body["revocation"], bytes.fromhex(body["signature"][2:])
    account, key_id, moment = wish["account"], wish["keyId"], int(wish["revokedAt"])
    if moment > call.gateway.clock.seconds() + CLOCK_ALLOWANCE_SECONDS:
        raise Refusal(400, "bad_request", "revokedAt lies in the future")
    call.gateway.fail_at("signature", call.operation)
    if not call.gateway.signer.accepts(account, signed_text(account, key_id, moment), signature):
        raise Refusal(401, "invalid_signature", "the signature is not the account's")
    revoke(call.gateway.database, account, key_id, moment)
    reason = (
        "This sandbox remembers it as long as it keeps its database. The token's own end stays "
        "where it was."
    )
    return data({"revoked": True, "durable": False, "reason": reason})
