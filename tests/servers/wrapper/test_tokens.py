"""The bearer token: valid or not, and never more than that."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Sequence

import pytest

from mcp_wrapper_scaffold import CallableSecret, SecretSource, SecretUnavailable, verify_agent_token

TOKEN = "sesame-open-0123456789"
OTHER = "abracadabra-0123456789"


def source(value: str | None) -> CallableSecret:
    return CallableSecret(lambda: value, label="the token")


def verify(header: str | None, *sources: SecretSource) -> bool:
    given: SecretSource | Sequence[SecretSource] = sources[0] if len(sources) == 1 else sources
    return asyncio.run(verify_agent_token(header, given))


class Failing:
    """A source that raises whatever a foreign source may raise."""

    label = "the vault"

    def __init__(self, make: Callable[[], Exception]) -> None:
        self._make = make

    async def get(self) -> str:
        raise self._make()


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"BEARER   {TOKEN}"])
def test_the_token_is_accepted(header: str) -> None:
    assert verify(header, source(TOKEN)) is True


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        " ",
        "Bearer",
        "Bearer ",
        TOKEN,
        f"Basic {TOKEN}",
        f"Token {TOKEN}",
        f"Bearer{TOKEN}",
        f"Bearer\t{TOKEN}",
        f" Bearer {TOKEN}",
        f"Bearer {TOKEN} ",
        f"Bearer {TOKEN}\n",
        f"Bearer {TOKEN}, Bearer {TOKEN}",
        f"Bearer {TOKEN},{TOKEN}",
        f"Bearer {TOKEN} {TOKEN}",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN.upper()}",
        f"Bearer {TOKEN[::-1]}",
        f"Bearer {TOKEN}\x00",
        f"Bearer {TOKEN}ü",
        "Bearer ſesame-open-0123456789",
        "Bearer " + "x" * 5000,
        'Bearer token="' + TOKEN + '"',
    ],
)
def test_anything_else_is_refused(header: str | None) -> None:
    assert verify(header, source(TOKEN)) is False


@pytest.mark.parametrize(
    "value", [None, "", " ", "two words", "tökén-0123456789", "x\ny", "x" * 5000, "\x00"]
)
def test_a_source_without_a_usable_token_accepts_none(value: str | None) -> None:
    for presented in (value or "", TOKEN):
        assert verify(f"Bearer {presented}", source(value)) is False


@pytest.mark.parametrize(
    "make",
    [
        lambda: SecretUnavailable("the vault"),
        lambda: RuntimeError(f"{TOKEN} cannot be read"),
        lambda: OSError(TOKEN),
        lambda: ValueError(TOKEN),
    ],
)
def test_a_source_that_fails_accepts_none_and_the_log_has_no_token(
    make: Callable[[], Exception], caplog: pytest.LogCaptureFixture
) -> None:
    assert verify(f"Bearer {TOKEN}", Failing(make)) is False
    assert "no token can be checked" in caplog.text
    assert TOKEN not in caplog.text


def test_two_tokens_are_valid_while_one_replaces_the_other() -> None:
    for header in (f"Bearer {TOKEN}", f"Bearer {OTHER}"):
        assert verify(header, source(TOKEN), source(OTHER)) is True
        assert verify(header, source(OTHER), source(TOKEN)) is True
    assert verify("Bearer neither", source(TOKEN), source(OTHER)) is False


@pytest.mark.parametrize("broken", [source(None), Failing(lambda: OSError("gone"))])
def test_one_source_that_fails_does_not_take_the_other_down(broken: SecretSource) -> None:
    for sources in ((source(TOKEN), broken), (broken, source(TOKEN))):
        assert verify(f"Bearer {TOKEN}", *sources) is True
        assert verify(f"Bearer {OTHER}", *sources) is False


def test_no_sources_accept_nothing() -> None:
    assert asyncio.run(verify_agent_token(f"Bearer {TOKEN}", [])) is False


def test_every_source_is_asked_even_after_a_match() -> None:
    asked: list[str] = []

    def make(name: str, value: str) -> CallableSecret:
        def ask() -> str:
            asked.append(name)
            return value

        return CallableSecret(ask)

    assert verify(f"Bearer {TOKEN}", make("first", TOKEN), make("second", OTHER)) is True
    assert asked == ["first", "second"]


def test_the_comparison_is_the_library_s_over_digests_of_one_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[tuple[int, int]] = []
    compare = hmac.compare_digest

    def remember(a: bytes, b: bytes) -> bool:
        compared.append((len(a), len(b)))
        return compare(a, b)

    monkeypatch.setattr("mcp_wrapper_scaffold.tokens.hmac.compare_digest", remember)
    for presented in ("x", TOKEN, TOKEN[:-1], "y" * 4096):
        verify(f"Bearer {presented}", source(TOKEN))
    assert compared == [(32, 32)] * 4
