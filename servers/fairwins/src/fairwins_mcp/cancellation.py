"""A caller's wish that a running call stop, carried from the transport to the socket."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Cancellation:
    """Remember whether a call was cancelled and interrupt what it waits for.

    One thread runs the call, another cancels it. Each side writes its own attribute before it
    reads the other's, so an interrupt is never lost, whichever comes first.
    """

    __slots__ = ("_interrupt", "requested")

    def __init__(self) -> None:
        self.requested = False
        self._interrupt: Callable[[], None] | None = None

    def on_request(self, interrupt: Callable[[], None] | None) -> None:
        """Set what a cancellation does to the call now; None takes it back."""
        self._interrupt = interrupt
        if self.requested and interrupt is not None:
            interrupt()

    @property
    def is_armed(self) -> bool:
        """Tell whether the call is at something that a cancellation would interrupt."""
        return self._interrupt is not None

    def request(self) -> None:
        """Ask the call to stop. Asking twice, or after its end, does nothing."""
        self.requested = True
        interrupt = self._interrupt
        if interrupt is not None:
            interrupt()
