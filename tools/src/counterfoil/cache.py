"""A store of slow results, keyed by the content that they were made from.

It is the user's and not the project's: what a repository brings along is never taken for a
result of ours. It may be deleted at any time. Entries are checked against a seal when they are
read, so a torn or edited one is a miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE = "COUNTERFOIL_CACHE_DIR"
STORE = "results-1.sqlite"
_numbers = itertools.count()
_AGE = 30 * 24 * 3600.0  # seconds after which an entry is made again
_ROUND = 24 * 3600.0  # seconds between two searches for old entries
_PATIENCE = 5.0  # seconds to wait for another process that writes
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of counterfoil; delete it freely.\n"
_TABLE = """
    CREATE TABLE IF NOT EXISTS entries
    (key TEXT PRIMARY KEY, made REAL NOT NULL, seal TEXT NOT NULL, content BLOB NOT NULL)
"""


def key_of(*parts: str | bytes) -> str:
    """Return a key for parts; the boundaries between parts count."""
    joined = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        joined.update(f"{len(raw)}:".encode())
        joined.update(raw)
    return joined.hexdigest()


def user_folder() -> Path:
    """Return where results are kept: ``COUNTERFOIL_CACHE_DIR``, or the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path  # not needed where the folder is named

    return user_cache_path("counterfoil", appauthor=False)


class Cache:
    """Keep results in one file of a folder, or nowhere.

    A file for each result would be simpler, and on many disks takes longer to open than the
    result took to make. Processes may share a folder. A store that cannot be read or written is
    no failure: its results are made again.

    Args:
        folder: where to keep them; ``None`` forgets everything at once.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._opened: sqlite3.Connection | None = None
        self._lost = folder is None

    def get(self, key: str) -> bytes | None:
        """Return the entry of a key, or ``None``."""
        rows = self._run("SELECT seal, content FROM entries WHERE key = ?", key)
        for seal, content in rows:
            if isinstance(content, bytes) and seal == _seal(key, content):
                return content
        return None

    def put(self, key: str, content: bytes) -> None:
        """Keep an entry."""
        entry = (key, time.time(), _seal(key, content), content)
        self._run("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", *entry)

    def remember(self, key: str, make: Callable[[], str]) -> str:
        """Return the text of a key, made and kept if it is not there."""
        known = self.get(key)
        if known is None:
            known = make().encode()
            self.put(key, known)
        return known.decode()

    def prune(self, now: float) -> None:
        """Drop entries that are a month old, once a day at the most.

        Args:
            now: seconds since the epoch.
        """
        if self.folder is None:
            return
        mark = self.folder / "CACHEDIR.TAG"
        try:
            if now - mark.stat().st_mtime < _ROUND:
                return
            os.utime(mark, (now, now))
        except OSError:
            return  # another process prunes, or nobody may
        self._run("DELETE FROM entries WHERE made < ?", now - _AGE)

    def close(self) -> None:
        """Let go of the file; a later call opens it again."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _run(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """Run a statement and return its rows; none where the store is of no use."""
        if self._lost:
            return []
        try:
            if self._opened is None:
                self._opened = self._open()
            return self._opened.execute(statement, values).fetchall()
        except sqlite3.OperationalError:
            self._lost = True  # nobody may write here, or another process holds on to it
        except sqlite3.DatabaseError:
            self._discard()
        except OSError:
            self._lost = True
        return []

    def _open(self) -> sqlite3.Connection:
        """Open the file, and make it where it is not there.

        Raises:
            OSError: the folder cannot be made.
            sqlite3.Error: the file cannot be used.
        """
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        mark = self.folder / "CACHEDIR.TAG"
        if not mark.exists():
            replace_file(mark, _TAG.encode())
        path = self.folder / STORE
        opened = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        opened.execute("PRAGMA journal_mode = WAL")
        # A crash may cost entries, which their seals tell; nobody waits for the disk.
        opened.execute("PRAGMA synchronous = OFF")
        opened.execute(_TABLE)
        return opened

    def _discard(self) -> None:
        """Throw a damaged file away; the next call begins another."""
        self.close()
        assert self.folder is not None
        for path in self.folder.glob(f"{STORE}*"):
            with contextlib.suppress(OSError):
                path.unlink()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    The file keeps its mode; a new one gets the usual mode of a new file.
    """
    scrap = path.with_name(f".{path.name}.{os.getpid()}-{next(_numbers)}.tmp")
    try:
        scrap.write_bytes(content)
        with contextlib.suppress(FileNotFoundError):
            scrap.chmod(path.stat().st_mode & 0o777)
        scrap.replace(path)
    except BaseException:
        scrap.unlink(missing_ok=True)
        raise


def _seal(key: str, content: bytes) -> str:
    return key_of(key, content)
