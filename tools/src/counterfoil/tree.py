"""The plan against the working tree: compare, and write."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from counterfoil.cache import replace_file
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule
from counterfoil.render import COMMAND, read_stamp
from counterfoil.targets.target import Planned

_DIFF_LINES = 24
_DIFF_LIMIT = 200_000  # characters; comparing more costs time and helps nobody
_HEADER_LINES = 3
_HASHES = re.compile(r"sha256 [0-9a-f]{64}")
_PASSED_OVER = frozenset({".git", ".nox", ".venv", "__pycache__", "node_modules"})

Act: TypeAlias = Literal["added", "kept", "removed", "replaced", "updated"]


@dataclass(frozen=True)
class Change:
    """What `generate` did to one file.

    Attributes:
        path: the file, relative to the project.
        act: ``replaced`` is an update that went over edits by hand; ``kept`` is a file that
            was left alone although it is in the way.
        about: what of the contract it is made from.
    """

    path: str
    act: Act
    about: str


def read_file(root: Path, path: str) -> bytes | None:
    """Return a file's bytes with ``\\n`` line ends, or ``None`` where there is no file."""
    try:
        return (root / path).read_bytes().replace(b"\r\n", b"\n")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except OSError as error:
        raise CounterfoilError(
            f"cannot be read: {error.strerror}", place=path, hint="check its permissions"
        ) from error


def compare(files: Mapping[str, Planned], root: Path, folders: Iterable[str]) -> list[Finding]:
    """Report where the tree is not as planned (CF201 to CF205). Nothing is changed.

    Args:
        files: the plan.
        root: the project's folder.
        folders: where generated files live; a file there that carries our header and is not
            planned is reported.
    """
    found = [
        finding for planned in files.values() if (finding := _judge(planned, root)) is not None
    ]
    found += [
        _finding("CF202", path, "no part of the contract asks for this file")
        for path in strays(files, root, folders)
    ]
    return sorted(found)


def write(
    files: Mapping[str, Planned], root: Path, folders: Iterable[str], *, force: bool = False
) -> Iterator[Change]:
    """Make the tree as planned, and yield what was done, a file each.

    Each file is replaced atomically. A file without our header is kept, and so is an
    edited one that is no longer planned, unless ``force`` is given.

    Raises:
        CounterfoilError: a path leads out of the project, or cannot be written.
    """
    for path in list(strays(files, root, folders)):
        stamp = read_stamp(read_file(root, path) or b"")
        if force or (stamp and stamp.intact):
            _remove(root, path)
            yield Change(path, "removed", "")
        else:
            yield Change(path, "kept", "edited by hand, no longer planned")
    ready: set[Path] = set()
    for planned in files.values():
        current = read_file(root, planned.path)
        if current == planned.content:
            continue
        folder = current is None and (root / planned.path).is_dir()
        act = "kept" if folder else _act(current)
        if act == "kept" and (folder or not force):
            yield Change(planned.path, "kept", "a file that we did not make")
            continue
        _replace(root, planned, ready)
        yield Change(planned.path, "updated" if act == "kept" else act, planned.about)


def generated_files(root: Path, folders: Iterable[str]) -> dict[str, bytes]:
    """Return the content, with ``\\n`` line ends, of files below the folders with our header."""
    found: dict[str, bytes] = {}
    for folder in folders:
        for path in _walk(root / folder):
            shown = path.relative_to(root).as_posix()
            if shown not in found and _ours(path):
                found[shown] = read_file(root, shown) or b""
    return found


def strays(
    files: Mapping[str, Planned] | frozenset[str], root: Path, folders: Iterable[str]
) -> Iterator[str]:
    """Yield files below the folders that carry our header and are not planned, sorted."""
    seen: set[str] = set()
    for folder in folders:
        for path in _walk(root / folder):
            shown = path.relative_to(root).as_posix()
            if shown not in files and shown not in seen and _ours(path):
                seen.add(shown)
    yield from sorted(seen)


def _walk(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _PASSED_OVER)
        for name in names:
            yield Path(base, name)


def _ours(path: Path) -> bool:
    if path.is_symlink() or path.suffix == ".pyc":
        return False
    try:
        with path.open("rb") as file:
            return read_stamp(file.read(4096)) is not None
    except OSError:
        return False


def _judge(planned: Planned, root: Path) -> Finding | None:
    if (root / planned.path).is_dir():
        return _finding("CF205", planned.path, "a folder stands where the file goes")
    current = read_file(root, planned.path)
    if current is None:
        return _finding("CF201", planned.path, f"missing; it is made from {planned.about}")
    if current == planned.content:
        return None
    stamp = read_stamp(current)
    line, detail = _difference(current, planned.content, planned.path)
    if stamp is None:
        if current.strip():
            return _finding("CF205", planned.path, "this file has no header of ours", line=1)
        return _finding("CF201", planned.path, f"empty; it is made from {planned.about}")
    if stamp.intact:
        message = f"stale since a change of {planned.about}"
        return _finding("CF203", planned.path, message, line=line, detail=detail)
    message = f"edited by hand; it is made from {planned.about}"
    return _finding("CF204", planned.path, message, line=line, detail=detail)


def _finding(code: str, path: str, message: str, *, line: int = 0, detail: str = "") -> Finding:
    entry = rule(code)
    return Finding(
        path=path,
        line=line,
        column=1 if line else 0,
        pointer="",
        code=code,
        message=message,
        hint=f"run `{COMMAND}`" if code in ("CF201", "CF202", "CF203") else entry.mend,
        severity=entry.severity,
        detail=detail,
    )


def _difference(current: bytes, wanted: bytes, path: str) -> tuple[int, str]:
    """Return the first line that differs, below the header, and a unified diff, cut when long."""
    if len(current) + len(wanted) > 2 * _DIFF_LIMIT:
        return 1, "the files are too large to show a difference"
    before, after = _lines(current), _lines(wanted)
    lines = list(difflib.unified_diff(before, after, path, f"{path} (planned)", n=1, lineterm=""))
    hunk = next((line for line in lines if line.startswith("@@ -")), "")
    start = int(hunk[4:].split(" ")[0].split(",")[0]) if hunk else 1
    if len(lines) > _DIFF_LINES:
        rest = len(lines) - _DIFF_LINES
        lines = [*lines[:_DIFF_LINES], f"… {rest} more lines"]
    return max(start, 1), "\n".join(lines)


def _lines(content: bytes) -> list[str]:
    """Return the lines of a file with the hashes of its header left out: they always differ."""
    lines = content.decode("utf-8", "replace").split("\n")
    return [_HASHES.sub("sha256 …", line) for line in lines[:_HEADER_LINES]] + lines[_HEADER_LINES:]


def _act(current: bytes | None) -> Act:
    if current is None:
        return "added"
    stamp = read_stamp(current)
    if stamp is None:
        return "kept" if current.strip() else "added"
    return "updated" if stamp.intact else "replaced"


def _replace(root: Path, planned: Planned, ready: set[Path]) -> None:
    """Write a file; folders that are known to be there and inside the project are ready."""
    path = root / planned.path
    try:
        if path.parent not in ready:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.parent.resolve().is_relative_to(root.resolve()):
                raise CounterfoilError(
                    "a symbolic link leads out of the project",
                    place=planned.path,
                    hint="choose an output path without links",
                )
            ready.add(path.parent)
        replace_file(path, planned.content)
    except OSError as error:
        raise CounterfoilError(
            f"cannot be written: {error.strerror}",
            place=planned.path,
            hint="check what is at that path, and its permissions",
        ) from error


def _remove(root: Path, path: str) -> None:
    """Remove a file and the folders that it leaves empty."""
    target = root / path
    target.unlink(missing_ok=True)
    for folder in target.parents:
        if folder == root or any(entry.name != "__pycache__" for entry in folder.iterdir()):
            break
        for cached in (folder / "__pycache__").glob("*"):
            cached.unlink()
        if (folder / "__pycache__").is_dir():
            (folder / "__pycache__").rmdir()
        folder.rmdir()
