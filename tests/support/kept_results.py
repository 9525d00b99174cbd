"""The store of slow results as it lies in its folder, read and changed behind its back."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from counterfoil.cache import STORE


def kept(folder: Path) -> dict[str, bytes]:
    """Return the contents of all entries by key; none where there is no store."""
    if not (folder / STORE).exists():
        return {}
    with contextlib.closing(sqlite3.connect(folder / STORE)) as store:
        return dict(store.execute("SELECT key, content FROM entries"))


def change(folder: Path, statement: str, *values: object) -> int:
    """Run a statement over the table ``entries``, and return how many rows it changed."""
    with contextlib.closing(sqlite3.connect(folder / STORE)) as store, store:
        return store.execute(statement, values).rowcount


def damage(folder: Path) -> int:
    """Take the last byte of every entry, and return how many there are."""
    return change(folder, "UPDATE entries SET content = substr(content, 1, length(content) - 1)")
