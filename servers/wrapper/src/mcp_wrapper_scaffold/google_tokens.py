"""Access tokens kept until shortly before they expire, each fetched once at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from mcp_wrapper_scaffold.errors import FetchError
from mcp_wrapper_scaffold.gate import Fetch
from mcp_wrapper_scaffold.tooldefs import ToolError

MARGIN_SECONDS: Final = 60  # a token that is handed out is used for a while yet
_MOST: Final = 64

TokenKey: TypeAlias = tuple[str, ...]


@dataclass(eq=False, slots=True)
class AccessToken:
    """A bearer token for Google's APIs.

    Attributes:
        access_token: the secret; it is not in the ``repr``.
        expires_at: in seconds since 1970.
        is_discarded: whether it is not to be handed out again.
    """

    access_token: str = field(repr=False)
    expires_at: float
    is_discarded: bool = False

    def is_good(self, now: float) -> bool:
        """Tell whether it may be handed out at a time."""
        return not self.is_discarded and now < self.expires_at - MARGIN_SECONDS

    def discard(self) -> None:
        """Let the next call get another one, as after an API's status 401 for this one."""
        self.is_discarded = True

    @property
    def authorization(self) -> str:
        """Return the value of the Authorization header that carries it."""
        return f"Bearer {self.access_token}"


class GoogleTokenError(ToolError):
    """Say why there is no access token; left alone, it ends the call with its text.

    Attributes:
        code: ``service_account`` for a JSON that cannot be used, ``bad_answer`` for an answer that
            is no token, or else what Google said, such as ``invalid_grant``; ``refused`` where it
            said nothing.
        status: the status of Google's answer, or None.
        retry_after: for how many seconds Google asks to be left alone, or None.
    """

    def __init__(
        self, code: str, text: str, *, status: int | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.status = status
        self.retry_after = retry_after


# What became of an exchange; None if whoever made it was cancelled, or was refused by its own gate.
_Outcome: TypeAlias = AccessToken | FetchError | GoogleTokenError | None


class AccessTokens:
    """The tokens of one wrapper."""

    def __init__(self) -> None:
        self._held: dict[TokenKey, AccessToken] = {}
        self._flights: dict[TokenKey, asyncio.Future[_Outcome]] = {}

    async def get(
        self,
        key: TokenKey,
        exchange: Callable[[], Awaitable[AccessToken]],
        clock: Callable[[], float],
    ) -> AccessToken:
        """Return the token of a key that is held, or else what an exchange gives.

        Of calls that wait at the same time, one makes the exchange, in its own call, and the others
        get what became of it. If that call is cancelled, the next one makes its own.

        Raises:
            FetchError, GoogleTokenError: as the exchange that was waited for.
        """
        while True:
            held = self._held.get(key)
            if held is not None and held.is_good(clock()):
                return held
            flight = self._flights.get(key)
            if flight is None:
                return await self._lead(key, exchange)
            outcome = await asyncio.shield(flight)
            if isinstance(outcome, AccessToken):
                return outcome
            if outcome is not None:
                raise outcome

    async def _lead(
        self, key: TokenKey, exchange: Callable[[], Awaitable[AccessToken]]
    ) -> AccessToken:
        flight: asyncio.Future[_Outcome] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        outcome: _Outcome = None
        try:
            token = outcome = await exchange()
            self._hold(key, token)
        except (FetchError, GoogleTokenError) as error:
            outcome = error
            raise
        finally:
            del self._flights[key]
            flight.set_result(outcome)
        return token

    def _hold(self, key: TokenKey, token: AccessToken) -> None:
        self._held.pop(key, None)
        self._held[key] = token
        while len(self._held) > _MOST:
            del self._held[next(iter(self._held))]


# By the fetch of a call, so that two wrappers in one process share nothing.
_TOKENS: WeakKeyDictionary[Fetch, AccessTokens] = WeakKeyDictionary()


def keep_tokens(fetch: Fetch, tokens: AccessTokens) -> None:
    """Let the fetch of a call use its wrapper's tokens, for as long as that fetch lives."""
    _TOKENS[fetch] = tokens


def tokens_of(fetch: Fetch) -> AccessTokens:
    """Return the tokens of the wrapper that a fetch belongs to; of none, it has its own."""
    return _TOKENS.setdefault(fetch, AccessTokens())
