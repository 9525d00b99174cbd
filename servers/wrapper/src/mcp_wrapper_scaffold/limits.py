"""What one server may be made to hold, and for how long."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of a wrapper. Sizes count bytes, times count seconds.

    Attributes:
        concurrent_calls: tools that run at once; a further call is refused with 503 and
            Retry-After, so that what waits takes no memory here.
        request_bytes: of the body of one request.
        request_seconds: for the body of a request to come.
        answer_bytes: of a handler's answer as JSON; a larger one is an error of the call.
        response_bytes: of one upstream answer.
        fetch_seconds: for one upstream exchange.
        batch_members: messages in one array, in revisions that have arrays.
    """

    concurrent_calls: int = 512
    request_bytes: int = 1 << 20
    request_seconds: float = 20.0
    answer_bytes: int = 4 << 20
    response_bytes: int = 8 << 20
    fetch_seconds: float = 30.0
    batch_members: int = 20

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} is a number above 0")
