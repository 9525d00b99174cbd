"""What one client may cost: bytes, seconds and connections."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of the transport. Sizes count bytes, times count seconds."""

    head_bytes: int = 32 << 10  # room for the longest token and a payment beside it
    target_bytes: int = 2 << 10
    fields: int = 100
    body_bytes: int = 256 << 10
    batch_members: int = 50  # a list is some 40 KiB, so a small batch could ask for a large answer
    connections: int = 256  # a call takes two descriptors, and 1024 are usual for a process
    refusals: int = 256  # clients for whom there is no room, and who are still told so
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    idle_seconds: float = 75.0
    write_seconds: float = 20.0
    linger_seconds: float = 2.0


# What waits unread while an answer is awaited: more than that, and reading stops.
READ_AHEAD_BYTES = 64 << 10
