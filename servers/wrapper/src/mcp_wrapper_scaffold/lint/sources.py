"""The Python files of a package, with the names that they are imported by."""

from __future__ import annotations

import ast
import io
import os
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcp_wrapper_scaffold.errors import WrapperError
from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.rules import RULES

LIMIT = 4_000_000  # bytes of one source; people write less
_CODE = frozenset({".dll", ".dylib", ".egg", ".pth", ".pyc", ".pyd", ".pyo", ".pyw", ".so", ".zip"})
_PASSED_OVER = frozenset({"__pycache__", "node_modules"})


class SourceError(WrapperError):
    """Say that a path holds nothing to check."""


@dataclass(frozen=True)
class Source:
    """One Python file.

    Attributes:
        path: as findings show it.
        module: the dotted name that it is imported by.
        is_package: whether it is an ``__init__.py``.
        content: its bytes.
    """

    path: str
    module: str
    is_package: bool
    content: bytes

    @property
    def package(self) -> str:
        """Return the package that its relative imports begin at."""
        return self.module if self.is_package else self.module.rpartition(".")[0]

    def parse(self) -> ast.Module | Finding:
        """Return its syntax tree, or why there is none."""
        try:
            # UTF-8 alone: under another encoding, Python reads other text than a reviewer.
            encoding, _ = tokenize.detect_encoding(io.BytesIO(self.content).readline)
            if encoding not in ("utf-8", "utf-8-sig"):
                return self._unread(f"declares the encoding {encoding!r}", 1)
            return ast.parse(self.content.decode("utf-8-sig"), self.path)
        except UnicodeDecodeError as error:
            return self._unread(f"is not UTF-8 from byte {error.start} on", 0)
        except SyntaxError as error:
            return self._unread(f"does not parse: {error.msg}", error.lineno or 0)
        except (ValueError, RecursionError, MemoryError) as error:
            return self._unread(f"does not parse: {error}", 0)

    def _unread(self, what: str, line: int) -> Finding:
        column = 1 if line else 0
        return Finding(self.path, line, column, "MW100", f"the source {what}", RULES["MW100"].mend)


@dataclass(frozen=True)
class Reading:
    """What was found below paths.

    Attributes:
        sources: the Python files.
        findings: files that Python runs and that cannot be read.
    """

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]


def read_sources(paths: Iterable[Path]) -> Reading:
    """Read every Python file below paths.

    Raises:
        SourceError: a path is not there, or none of them has a Python file.
    """
    sources: dict[str, Source] = {}
    found: list[Finding] = []
    for path in paths:
        if not path.exists():
            raise SourceError(f"{path}: there is nothing at this path")
        for file in _files(path):
            shown = file.as_posix()
            if file.is_symlink() and file.is_dir():
                found.append(_unreadable(shown, "is a link to a folder"))
            elif file.suffix == ".py":
                sources[shown] = source_at(file)
            elif file.suffix in _CODE:
                found.append(_unreadable(shown, f"is {file.suffix}"))
    if not sources and not found:
        raise SourceError("there is no Python file at the given paths")
    return Reading(tuple(sources.values()), tuple(found))


def source_at(path: Path) -> Source:
    """Read one Python file; its name begins at the outermost folder with an ``__init__.py``.

    Raises:
        SourceError: it cannot be read, or is far too large.
    """
    try:
        if path.stat().st_size > LIMIT:
            raise SourceError(f"{path}: is larger than {LIMIT} bytes")
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from error
    whole = path.absolute()
    outside = _outside(whole)
    return named_source(path.as_posix(), whole.relative_to(outside).as_posix(), content)


def outermost(path: Path) -> Path:
    """Return the outermost package around a path, or the path itself."""
    whole = path.absolute()
    outside = _outside(whole)
    if outside == whole.parent:
        return path
    package = outside / whole.relative_to(outside).parts[0]
    return package if path.is_absolute() else Path(os.path.relpath(package))


def _outside(path: Path) -> Path:
    """Return the folder that imports of a file or package begin at."""
    outside = path.parent
    while (outside / "__init__.py").is_file():
        outside = outside.parent
    return outside


def named_source(shown: str, place: str, content: bytes) -> Source:
    """Return the source of a file whose path is given from where imports begin."""
    parts = PurePosixPath(place).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    names = parts[:-1] if is_package else parts
    return Source(shown, ".".join(names), is_package, content)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for base, folders, names in os.walk(path):
        inside = Path(base)
        yield from (inside / name for name in folders if (inside / name).is_symlink())
        folders[:] = sorted(
            name for name in folders if name not in _PASSED_OVER and not name.startswith(".")
        )
        yield from (inside / name for name in sorted(names))


def _unreadable(path: str, what: str) -> Finding:
    return Finding(path, 0, 0, "MW120", f"the file {what}", RULES["MW120"].mend)
