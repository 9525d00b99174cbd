"""What long work says of itself while somebody waits for it at a terminal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from counterfoil.console import Waiting
from counterfoil.progress import listening


@contextmanager
def progress(title: str) -> Generator[None]:
    """Show what the block does and how far it is, once it takes more than a second."""
    with Waiting(title) as waiting:

        def show(done: int, total: int, what: str) -> None:
            waiting.say(f"{what or title}, {done} of {total}")

        with listening(show):
            yield
