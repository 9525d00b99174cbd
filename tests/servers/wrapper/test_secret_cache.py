"""Secrets kept for a while: how long, and what an outage does to them."""

from __future__ import annotations

import asyncio
import logging

import pytest

from mcp_wrapper_scaffold import CallableSecret, Freshness, SecretMissing, SecretUnavailable
from mcp_wrapper_scaffold.redaction import MARK, Redaction
from mcp_wrapper_scaffold.secret_cache import CachedSecret, Secrets

TIMES = Freshness(fresh_seconds=5, grace_seconds=60, retry_seconds=1, source_seconds=0.05)


class Vault:
    """A source with a clock beside it: it counts, fails and changes as a test says."""

    label = "the vault"

    def __init__(self, value: str = "first-value") -> None:
        self.value = value
        self.fault: Exception | None = None
        self.asked = 0
        self.now = 100.0
        self.redaction = Redaction()
        self.cached = CachedSecret(self, self.redaction, TIMES, lambda: self.now)

    async def get(self) -> str:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return self.value

    def read(self) -> str | None:
        """Return what the cache says, None for nothing."""
        try:
            return asyncio.run(self.cached.get())
        except SecretUnavailable:
            return None


def test_a_value_is_used_for_its_fresh_seconds_without_asking() -> None:
    vault = Vault()
    for now in (100.0, 102.0, 104.9):
        vault.now = now
        assert vault.read() == "first-value"
    assert vault.asked == 1
    vault.value = "second-value"
    vault.now = 105.0
    assert vault.read() == "second-value"
    assert vault.asked == 2


def test_a_withdrawn_value_is_dropped_with_the_next_question() -> None:
    vault = Vault()
    assert vault.read() == "first-value"
    vault.fault = SecretMissing("the vault")
    vault.now += 4.9
    assert vault.read() == "first-value"
    vault.now += 0.1
    assert vault.read() is None


@pytest.mark.parametrize("fault", [SecretUnavailable("the vault"), OSError("down")])
def test_an_outage_keeps_the_last_value_for_the_grace_and_no_longer(fault: Exception) -> None:
    vault = Vault()
    assert vault.read() == "first-value"
    vault.fault = fault
    for now in (105.0, 120.0, 164.9):
        vault.now = now
        assert vault.read() == "first-value"
    vault.now = 166.0
    assert vault.read() is None
    vault.fault = None
    vault.now += 1
    assert vault.read() == "first-value"


def test_the_grace_counts_from_the_last_good_answer_however_often_it_is_asked() -> None:
    vault = Vault()
    assert vault.read() == "first-value"
    vault.fault = OSError("down")
    answers = []
    for step in range(200):
        vault.now = 100.0 + step
        answers.append(vault.read())
    assert answers.count("first-value") == 65
    assert answers[65:] == [None] * 135


def test_a_source_that_never_worked_gives_nothing() -> None:
    vault = Vault()
    vault.fault = OSError("down")
    vault.now = 1.0  # close to the start of a clock
    assert vault.read() is None


def test_a_failing_source_is_left_alone_between_attempts() -> None:
    vault = Vault()
    vault.fault = OSError("down")
    for now in (100.0, 100.3, 100.9):
        vault.now = now
        assert vault.read() is None
    assert vault.asked == 1
    vault.now = 101.0
    assert vault.read() is None
    assert vault.asked == 2


def test_a_source_that_hangs_counts_as_failing() -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return ""

    cached = CachedSecret(CallableSecret(hang, label="the vault"), Redaction(), TIMES)
    with pytest.raises(SecretUnavailable):
        asyncio.run(cached.get())


def test_many_readers_make_one_question() -> None:
    vault = Vault()

    async def read_all() -> list[str]:
        return list(await asyncio.gather(*(vault.cached.get() for _ in range(100))))

    assert asyncio.run(read_all()) == ["first-value"] * 100
    assert vault.asked == 1


def test_a_reader_that_gives_up_takes_the_answer_from_nobody() -> None:
    released = asyncio.Event()
    asked: list[int] = []

    async def ask() -> str:
        asked.append(1)
        await released.wait()
        return "first-value"

    async def read() -> str:
        patient = Freshness(source_seconds=20)
        cached = CachedSecret(CallableSecret(ask), Redaction(), patient)
        first = asyncio.create_task(cached.get())
        second = asyncio.create_task(cached.get())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait((first,))
        released.set()
        return await second

    assert asyncio.run(read()) == "first-value"
    assert asked == [1]


def test_what_was_read_is_kept_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    vault = Vault()
    assert vault.read() == "first-value"
    assert vault.redaction.clean("it was first-value, then") == f"it was {MARK}, then"
    vault.fault = OSError("first-value is wrong")
    vault.now += 10
    with caplog.at_level(logging.DEBUG):
        vault.read()
    assert "the last value is used for now" in caplog.text
    assert "first-value" not in caplog.text + repr(vault.cached)


def test_a_value_that_cannot_be_used_is_told_once_and_never_handed_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    vault = Vault("two words")
    cached = CachedSecret(
        vault,
        vault.redaction,
        TIMES,
        lambda: vault.now,
        find_fault=lambda value: "is no token" if " " in value else None,
    )
    for _ in range(10):
        with pytest.raises(SecretUnavailable, match="the vault is no token"):
            asyncio.run(cached.get())
    assert caplog.text.count("the vault is no token") == 1
    assert "two words" not in caplog.text
    vault.value, vault.now = "token", 105.0
    assert asyncio.run(cached.get()) == "token"


def test_secrets_are_found_by_name_and_no_other_can_be_asked_for() -> None:
    secrets = Secrets({"KEY": Vault().cached})
    assert asyncio.run(secrets.get("KEY")) == "first-value"
    with pytest.raises(LookupError, match="no secret 'HOME' is declared; declared are: KEY"):
        asyncio.run(secrets.get("HOME"))
