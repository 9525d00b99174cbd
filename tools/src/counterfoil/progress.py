"""How far long work has come, for whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int, str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Call the listener with (steps done, steps in all, what is done) while the block runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: int, total: int, what: str = "") -> None:
    """Tell the listener, if there is one; ``what`` is for people, as "asking notes"."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, what)
