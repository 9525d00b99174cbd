"""All connections of a server: how many there may be, for how long, and what they share."""

from __future__ import annotations

from fairwins_mcp.protocol import locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from fairwins_mcp.http.connection import Connection
    from fairwins_mcp.http.endpoint import Call, Endpoint
    from fairwins_mcp.http.limits import Limits
    from fairwins_mcp.http.replies import Reply

    Deliver: TypeAlias = Callable[[Call, Reply | None], None]


class Connections:
    """Keep the open connections within the limits.

    ``now`` is the clock, in seconds. ``run`` takes a call's steps and hands its reply to the
    function given, some time later, in the event loop. ``note`` takes one line for the operator.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        now: Callable[[], float],
        run: Callable[[Call, Deliver], None],
        note: Callable[[str], None],
    ) -> None:
        self.endpoint = endpoint
        self.limits = limits
        self.now = now
        self.run = run
        self.note = note
        self.on_empty: Callable[[], object] | None = None
        self._open: set[Connection] = set()
        self._refused: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> bool:
        """Count a new connection in; tell whether there was room.

        Where there is none, the client that has kept this server waiting longest makes room, so
        that slow and silent clients cannot shut out the others.
        """
        if len(self._open) >= self.limits.connections:
            waiting = [other for other in self._open if other.is_evictable]
            if not waiting:
                return False
            victim = min(waiting, key=lambda other: other.since)
            self.forget(victim)
            self._each([victim], lambda connection: connection.evict())
        self._open.add(connection)
        return True

    def see_off(self, connection: Connection) -> bool:
        """Let a client for whom there is no room read so; tell whether there is room for that."""
        if len(self._refused) >= self.limits.refusals:
            return False
        self._refused.add(connection)
        return True

    def forget(self, connection: Connection) -> None:
        """Count a connection out; once more does nothing."""
        self._refused.discard(connection)
        self._open.discard(connection)
        if not self._open and self.on_empty is not None:
            self.on_empty()

    def sweep(self) -> None:
        """End what has run out of time."""
        now = self.now()
        every = (*self._open, *self._refused)
        overdue = [connection for connection in every if connection.deadline <= now]
        self._each(overdue, lambda connection: connection.expire())

    def stop(self) -> None:
        """Close what is not in a call, and let calls be the last of their connections."""
        self._each(self._open, lambda connection: connection.stop())
        self._each(self._refused, lambda connection: connection.abort())

    def cut(self) -> None:
        """Cancel the calls that still run, and say so to their clients."""
        self._each(self._open, lambda connection: connection.cut())

    def abort(self) -> None:
        """Close everything at once."""
        self._each(self._open, lambda connection: connection.abort())

    def _each(self, chosen: Iterable[Connection], end: Callable[[Connection], None]) -> None:
        """End connections one by one, whatever becomes of one of them: the others go on."""
        for connection in list(chosen):
            try:
                end(connection)
            except Exception as error:  # noqa: BLE001 - one connection must not end the server
                self.note(f"internal error: {type(error).__name__} at {locate(error)}")
                self.forget(connection)  # it would only fail again
