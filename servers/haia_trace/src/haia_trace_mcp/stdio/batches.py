"""Several messages in one line, which one old revision has."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcp.types import JSONRPCError, JSONRPCResponse


@dataclass(eq=False)
class Batch:
    """The answers that are there, and the requests that still wait for theirs.

    ``is_whole`` says that all its messages were taken.
    """

    is_whole: bool = False
    expected: list[int | str] = field(default_factory=list[int | str])
    answers: list[JSONRPCResponse | JSONRPCError] = field(
        default_factory=list["JSONRPCResponse | JSONRPCError"]
    )
