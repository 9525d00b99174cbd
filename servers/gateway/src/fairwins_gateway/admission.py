"""Who may come in: the checks of a token in their fixed order.

parse, expiry, life, signature, revocation, membership, sanctions, scope, quota. The first one that
fails decides, so a caller learns the same thing here as at the Member API.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairwins_gateway.document import Operation
from fairwins_gateway.errors import Refusal
from fairwins_gateway.gateway import Gateway
from fairwins_gateway.quotas import Claim
from fairwins_gateway.tokens import MAX_LIFE_SECONDS, Grant, parse_token

CLOCK_ALLOWANCE_SECONDS = 300


@dataclass(frozen=True)
class Caller:
    """In whose name a request is answered; ``grant`` is None for one that paid, or is public."""

    account: str
    grant: Grant | None = None


def admit(gateway: Gateway, operation: Operation, credentials: list[str]) -> Caller:
    """Return the caller behind the values of a request's Authorization headers.

    Raises:
        Refusal: 401, 403, 429 or 503, from the first check that fails.
    """
    grant, signature = parse_token(_bearer(credentials))
    now = gateway.clock.seconds()
    if grant.issued_at > now + CLOCK_ALLOWANCE_SECONDS:
        raise Refusal(401, "invalid_token", "the token was issued in the future")
    if grant.expires_at <= now:
        raise Refusal(401, "token_expired", "the token has expired")
    if grant.expires_at - grant.issued_at > MAX_LIFE_SECONDS:
        raise Refusal(401, "token_ttl_exceeded", "the token lives for more than 90 days")
    gateway.fail_at("signature", operation)
    if not gateway.signer.accepts(grant.account, grant.signed_text(), signature):
        raise Refusal(401, "invalid_signature", "the token's signature is not the account's")
    if is_revoked(gateway, grant.account, grant.key_id):
        raise Refusal(401, "token_revoked", "the token's key is withdrawn on this gateway")
    _require_membership(gateway, operation, grant.account)
    screen(gateway, operation, grant.account)
    if operation.scope not in grant.scopes:
        reason = f"the token does not permit {operation.scope}"
        raise Refusal(403, "insufficient_scope", reason)
    count(gateway, operation, grant.account)
    return Caller(grant.account, grant)


def screen(gateway: Gateway, operation: Operation, account: str) -> None:
    """Let an account pass that is on no list of sanctions.

    Raises:
        Refusal: it is on one (403), or that could not be found out (503): never let through then.
    """
    gateway.fail_at("screening", operation)
    row = gateway.database.row("SELECT 1 FROM sanctions WHERE account = ?", (account.lower(),))
    if row is not None:
        raise Refusal(403, "sanctioned_signer", "the account is on a list of sanctions")


def count(gateway: Gateway, operation: Operation, account: str) -> None:
    """Count a member's request, or one that an account pays for.

    Raises:
        Refusal: ``quota_exceeded``.
    """
    module, each, together = (
        ("assistant", 20, 60) if operation.kind == "assistant" else ("member", 120, 600)
    )
    own = Claim((f"{module}, by account", account.lower()), each)
    gateway.quotas.take([own, Claim((f"{module}, all accounts",), together)])


def count_public(gateway: Gateway, operation: Operation, address: str) -> None:
    """Count a request that needs no token; news and perps by the address that it comes from.

    Raises:
        Refusal: ``quota_exceeded``.
    """
    if operation.id == "revoke":
        claim = Claim(("revocations",), 60)
    elif operation.id in ("news", "pairs"):
        claim = Claim((f"{operation.id}, by address", address), 240)
    else:
        claim = Claim(("public",), 240)
    gateway.quotas.take([claim])


def is_revoked(gateway: Gateway, account: str, key_id: str) -> bool:
    """Tell whether a key is withdrawn on this gateway."""
    row = gateway.database.row(
        "SELECT 1 FROM revocations WHERE account = ? AND key_id = ?",
        (account.lower(), key_id.lower()),
    )
    return row is not None


def _bearer(credentials: list[str]) -> str:
    if len(credentials) != 1:
        what = "no token came with the request" if not credentials else "more than one token came"
        raise Refusal(401, "invalid_token", what)
    scheme, _, token = credentials[0].partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refusal(401, "invalid_token", "the Authorization header holds no bearer token")
    return token.strip()


def _require_membership(gateway: Gateway, operation: Operation, account: str) -> None:
    gateway.fail_at("membership", operation)
    active = gateway.memberships.is_active(account)
    if active is None:
        reason = "the membership could not be read, so nothing is known about it; try again"
        raise Refusal(503, "membership_unreadable", reason)
    if not active:
        raise Refusal(403, "membership_required", "the account has no membership in force")
