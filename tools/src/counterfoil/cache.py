"""A store of slow results, keyed by the content that they were made from.

It is the user's and not the project's: what a repository brings along is never taken for a
result of ours. It may be deleted at any time. Entries are checked against a seal when they are
read, so a torn file is a miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path

VARIABLE = "COUNTERFOIL_CACHE_DIR"
_SEAL = 64
_numbers = itertools.count()
_AGE = 30 * 24 * 3600.0  # seconds after which an entry is made again
_ROUND = 24 * 3600.0  # seconds between two searches for old entries
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of counterfoil; delete it freely.\n"


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
    """Keep results under a folder, or nowhere.

    Args:
        folder: where to keep them; ``None`` forgets everything at once.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """Return the entry of a key, or ``None``."""
        if self.folder is None:
            return None
        try:
            raw = self._path(key).read_bytes()
        except OSError:
            return None
        seal, content = raw[:_SEAL], raw[_SEAL:]
        return content if seal.decode("ascii", "replace") == _seal(key, content) else None

    def put(self, key: str, content: bytes) -> None:
        """Keep an entry. A store that cannot be written to is no failure."""
        if self.folder is None:
            return
        path = self._path(key)
        try:
            if not path.parent.is_dir():
                self._prepare(path.parent)
            replace_file(path, _seal(key, content).encode() + content)
        except OSError:
            return

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
            for path in self.folder.glob("??/*"):
                if now - path.stat().st_mtime > _AGE:
                    path.unlink(missing_ok=True)
        except OSError:
            return  # another process prunes, or nobody may

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / key

    def _prepare(self, folder: Path) -> None:
        assert self.folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        mark = self.folder / "CACHEDIR.TAG"
        if not mark.exists():
            replace_file(mark, _TAG.encode())


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
