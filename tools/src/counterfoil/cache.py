"""A store of slow results, keyed by the content that they were made from.

It may be deleted at any time. Entries are checked against a seal when they are read, so
a torn or edited file is a miss.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = ".counterfoil"
_SEAL = 64
_numbers = itertools.count()
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of counterfoil; delete it freely.\n"


def key_of(*parts: str | bytes) -> str:
    """Return a key for parts; the boundaries between parts count."""
    joined = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        joined.update(f"{len(raw)}:".encode())
        joined.update(raw)
    return joined.hexdigest()


class Cache:
    """Keep results under a folder, or nowhere.

    Args:
        folder: where to keep them; ``None`` forgets everything at once.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._used: set[str] = set()

    def get(self, key: str) -> bytes | None:
        """Return the entry of a key, or ``None``."""
        if self.folder is None:
            return None
        self._used.add(key)
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
        self._used.add(key)
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

    def prune(self, keep: Iterable[str] = (), spare: int = 4096) -> None:
        """Drop entries that this run did not use, once there are more than ``spare`` of them."""
        if self.folder is None:
            return
        used = self._used.union(keep)
        idle = [path for path in self.folder.glob("??/*") if path.name not in used]
        if len(idle) <= spare:
            return
        for path in idle:
            path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / key

    def _prepare(self, folder: Path) -> None:
        assert self.folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            if not (self.folder / name).exists():
                replace_file(self.folder / name, text.encode())


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    The file keeps its mode; a new one gets the usual mode of a new file.
    """
    scrap = path.with_name(f".{path.name}.{os.getpid()}-{next(_numbers)}.tmp")
    with scrap.open("xb") as file:
        file.write(content)
    try:
        with contextlib.suppress(FileNotFoundError):
            scrap.chmod(path.stat().st_mode & 0o777)
        scrap.replace(path)
    except BaseException:
        scrap.unlink()
        raise


def _seal(key: str, content: bytes) -> str:
    return key_of(key, content)
