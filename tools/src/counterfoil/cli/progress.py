"""A progress bar for work that may take long, on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

from counterfoil.console import is_terminal
from counterfoil.progress import listening


@contextmanager
def progress(title: str) -> Generator[None]:
    """Show a bar on standard error while the block runs, if that is a terminal."""
    if not is_terminal(sys.stderr) or os.environ.get("TERM", "dumb") == "dumb":
        yield
        return
    from tqdm import tqdm  # not needed, and so not imported, where nobody looks

    with tqdm(desc=title, unit="schema", leave=False, delay=1) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        with listening(show):
            yield
