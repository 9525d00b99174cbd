"""One request to the Member API under way, with the time that is left for it."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairwins_mcp.cancellation import Cancellation
    from fairwins_mcp.routes import ApiRequest
    from fairwins_mcp.settings import BaseUrl


class Exchange:
    """A request that somebody has to carry to the API at ``base``, and bring its answer back.

    ``limit`` counts the seconds that it may take, and ``end`` is when they are over, on the
    monotonic clock. ``is_sent`` is False as long as it certainly has not left.
    """

    __slots__ = ("base", "cancellation", "end", "headers", "is_sent", "limit", "request")

    def __init__(
        self,
        base: BaseUrl,
        request: ApiRequest,
        headers: dict[str, str],
        limit: float,
        cancellation: Cancellation,
    ) -> None:
        self.base = base
        self.request = request
        self.headers = headers
        self.limit = limit
        self.end = time.monotonic() + limit
        self.cancellation = cancellation
        self.is_sent = False

    def left(self) -> float:
        """Return the seconds that are left.

        Raises:
            TimeoutError: there are none.
        """
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds

    @property
    def is_over(self) -> bool:
        """Tell whether nobody waits for an answer any more."""
        return self.cancellation.requested or time.monotonic() >= self.end
