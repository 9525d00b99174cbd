"""Quotas: how much of something a window of time permits."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from fairwins_gateway.clock import Clock
from fairwins_gateway.errors import Refusal

MINUTE = 60
HOUR = 3600
_MAX_WINDOWS = 10_000


@dataclass(frozen=True)
class Claim:
    """Ask for ``amount`` out of ``limit`` in a window of ``seconds``, which ``key`` names."""

    key: tuple[str, ...]
    limit: int
    seconds: int = MINUTE
    amount: int = 1


class Quotas:
    """Count claims in windows. A window opens with its first claim and has a fixed length."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._windows: dict[tuple[str, ...], tuple[int, int]] = {}  # key: (ends at, used)

    def take(self, claims: Iterable[Claim], code: str = "quota_exceeded") -> None:
        """Count all claims, or none of them when one does not fit.

        Raises:
            Refusal: one does not fit; ``retry_after`` says when its window ends.
        """
        now = self._clock.seconds()
        with self._lock:
            if len(self._windows) > _MAX_WINDOWS:
                self._windows = {k: w for k, w in self._windows.items() if w[0] > now}
            counted: dict[tuple[str, ...], tuple[int, int]] = {}
            for claim in claims:
                ends, used = self._windows.get(claim.key, (0, 0))
                if ends <= now:
                    ends, used = now + claim.seconds, 0
                if used + claim.amount > claim.limit:
                    raise Refusal(429, code, _sentence(claim), max(ends - now, 1))
                counted[claim.key] = (ends, used + claim.amount)
            self._windows.update(counted)


def _sentence(claim: Claim) -> str:
    return f"the quota of {claim.limit} in {claim.seconds} s ({claim.key[0]}) is used up"
