"""Secrets kept for a few seconds, so that a source is not asked at every request.

What is decided here, and why: a value that was read is used for ``fresh_seconds`` without asking.
Then the source is asked again. Says it that there is no such secret, the old value is dropped at
once, since that is how a token is withdrawn. Fails it, the old value is good for ``grace_seconds``
more, counted from when it was last read, so that a short outage locks nobody out; after that it is
dropped, so that an outage keeps no withdrawn token alive. A source that has just failed is left
alone for ``retry_seconds``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_wrapper_scaffold.redaction import Redaction
from mcp_wrapper_scaffold.secret_sources import SecretMissing, SecretSource, SecretUnavailable

LOG = logging.getLogger(__name__)
Clock = Callable[[], float]


@dataclass(frozen=True)
class Freshness:
    """How long a secret that was read may be used, in seconds.

    Attributes:
        fresh_seconds: without asking the source again. A withdrawn value lives on this long.
        grace_seconds: while the source fails, counted from the end of the former.
        retry_seconds: between two attempts at a source that fails.
        source_seconds: that a source may take to answer.
    """

    fresh_seconds: float = 5.0
    grace_seconds: float = 60.0
    retry_seconds: float = 1.0
    source_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value >= 0:
                raise ValueError(f"{name} is a number of seconds, and not below 0")


class CachedSecret:
    """A source that asks another one, at most once at a time and every few seconds.

    Args:
        source: is asked.
        redaction: learns every value, to keep it out of the log.
        freshness: how long values are used.
        clock: seconds that never go back.
        find_fault: returns why a value cannot be used, or None; such a value counts as a failure.
    """

    def __init__(
        self,
        source: SecretSource,
        redaction: Redaction,
        freshness: Freshness = Freshness(),
        clock: Clock = time.monotonic,
        find_fault: Callable[[str], str | None] = lambda value: None,
    ) -> None:
        self._source = source
        self._redaction = redaction
        self._freshness = freshness
        self._clock = clock
        self._find_fault = find_fault
        self._value = ""
        self._read_at = 0.0
        self._ask_at = 0.0  # when the source may be asked again
        self._fault: SecretUnavailable | None = None
        self._flight: asyncio.Task[None] | None = None

    @property
    def label(self) -> str:
        """Return a name for messages."""
        return self._source.label

    def __repr__(self) -> str:
        return f"CachedSecret({self._source!r})"

    async def get(self) -> str:
        """Return the value, asking the source if the last answer is too old.

        Raises:
            SecretMissing: the source has no such secret.
            SecretUnavailable: the source fails, and the last value is too old to be used.
        """
        if self._clock() >= self._ask_at:
            await self._refresh()
        if self._value:
            return self._value
        raise self._fault or SecretUnavailable(self.label)

    async def _refresh(self) -> None:
        """Ask the source, or wait for whoever is asking already.

        The question is a task of its own: who stops waiting does not take the answer from others.
        """
        loop = asyncio.get_running_loop()
        flight = self._flight
        if flight is None or flight.done() or flight.get_loop() is not loop:
            flight = self._flight = loop.create_task(self._ask())
        await asyncio.shield(flight)

    async def _ask(self) -> None:
        limits = self._freshness
        try:
            async with asyncio.timeout(limits.source_seconds):
                value = await self._source.get()
        except SecretMissing as fault:
            self._settle("", fault, limits.retry_seconds)
        except SecretUnavailable as fault:
            self._bridge(fault)
        except Exception as error:  # noqa: BLE001 - a foreign source; its text may quote the value
            LOG.warning("%s cannot be read: %s", self.label, type(error).__name__)
            self._bridge(SecretUnavailable(self.label))
        else:
            self._redaction.learn(value)
            self._read_at = self._clock()
            reason = self._find_fault(value)
            if reason is None:
                self._settle(value, None, limits.fresh_seconds)
            else:
                self._settle("", SecretUnavailable(self.label, reason), limits.fresh_seconds)

    def _bridge(self, fault: SecretUnavailable) -> None:
        """Keep the last value for as long as an outage may last."""
        limits = self._freshness
        too_old = self._clock() - self._read_at >= limits.fresh_seconds + limits.grace_seconds
        self._settle("" if too_old else self._value, fault, limits.retry_seconds)

    def _settle(self, value: str, fault: SecretUnavailable | None, seconds: float) -> None:
        if fault is not None:
            LOG.warning("%s%s", fault, "; the last value is used for now" if value else "")
        self._value = value
        self._fault = fault
        self._ask_at = self._clock() + seconds


class Secrets:
    """The secrets that a wrapper's handlers may ask for, by name."""

    def __init__(self, cached: Mapping[str, CachedSecret]) -> None:
        self._cached = dict(cached)

    async def get(self, name: str) -> str:
        """Return a secret's value.

        Raises:
            LookupError: no secret of this name was declared.
            SecretUnavailable: it cannot be read now.
        """
        cached = self._cached.get(name)
        if cached is None:
            declared = ", ".join(sorted(self._cached)) or "none"
            raise LookupError(f"no secret {name!r} is declared; declared are: {declared}")
        return await cached.get()
