"""Withdrawn keys."""

from __future__ import annotations

from fairwins_gateway.database import Database


def signed_text(account: str, key_id: str, revoked_at: int) -> str:
    """Return the text that is signed: the struct ApiKeyRevocation, a line for each field."""
    return "\n".join(("ApiKeyRevocation", account.lower(), key_id.lower(), str(revoked_at)))


def revoke(database: Database, account: str, key_id: str, revoked_at: int) -> None:
    """Withdraw a key; the first time counts."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO revocations VALUES (?, ?, ?)",
            (account.lower(), key_id.lower(), revoked_at),
        )
