"""Memberships as the chain would tell them, and the short memory of those that were read."""

from __future__ import annotations

import threading

from fairwins_gateway.clock import Clock
from fairwins_gateway.database import Database
from fairwins_gateway.faults import Faults
from fairwins_gateway.jsontext import JsonObject

CHAIN = 137
ROLE = "WAGER_PARTICIPANT"
TIERS = (None, "Bronze", "Silver", "Gold", "Platinum")
CACHE_SECONDS = 60


class Memberships:
    """Read memberships, each in one of the three states of the Member API."""

    def __init__(self, database: Database, clock: Clock, faults: Faults) -> None:
        self._database = database
        self._clock = clock
        self._faults = faults
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[int, bool]] = {}  # account: (read at, active)

    def read(self, account: str) -> JsonObject:
        """Read a membership now."""
        asked = {"chainId": CHAIN, "role": ROLE}
        if self._faults.value("membership-not-configured") is not None:
            reason = "no membership contract is set up on this gateway"
            return {"state": "not-configured", **asked, "reason": reason}
        if self._faults.value("membership-unreadable") is not None:
            reason = "the membership contract could not be read, try again"
            return {"state": "unreadable", **asked, "reason": reason}
        row = self._database.row(
            "SELECT tier, expires_at FROM members WHERE account = ?", (account.lower(),)
        )
        tier, ends = (0, None) if row is None else (row["tier"], row["expires_at"])
        active = tier > 0 and (ends is None or ends > self._clock.seconds())
        return {
            "state": "read",
            **asked,
            "tier": tier,
            "tierName": TIERS[tier],
            "active": active,
            "expiresAt": ends,
        }

    def is_active(self, account: str) -> bool | None:
        """Tell whether a member may come in; None when that could not be read.

        A reading is good for 60 s; a failed one is not kept. Without a membership contract there
        is nothing that a member could lack, so everyone may.
        """
        now = self._clock.seconds()
        with self._lock:
            read_at, active = self._kept.get(account.lower(), (-CACHE_SECONDS, False))
        if now - read_at < CACHE_SECONDS:
            return active
        membership = self.read(account)
        if membership["state"] != "read":
            return True if membership["state"] == "not-configured" else None
        with self._lock:
            self._kept = {a: k for a, k in self._kept.items() if now - k[0] < CACHE_SECONDS}
            self._kept[account.lower()] = (now, membership["active"])
        return bool(membership["active"])
