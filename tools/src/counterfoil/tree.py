"""The plan against the working tree: compare, and write."""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from counterfoil.cache import replace_file
from counterfoil.errors import CounterfoilError
from counterfoil.findings import Finding, rule
from counterfoil.render import COMMAND, read_stamp
from counterfoil.targets.target import Planned
from counterfoil.territory import Territory

_DIFF_LINES = 24
_DIFF_LIMIT = 2_000  # lines that are compared, from the first difference on
_HUNK = re.compile(r"([-+])([0-9]+)")
_NAMED = 5  # tools that a message names
_CHANGED = frozenset({"CF201", "CF203"})
_HEADER_LINES = 3
_HASHES = re.compile(r"sha256 [0-9a-f]{64}")

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


def compare(files: Mapping[str, Planned], territory: Territory) -> list[Finding]:
    """Report where the tree is not as planned (CF201 to CF205). Nothing is changed.

    Args:
        files: the plan.
        territory: where generated files lie; one of the project's own that is not planned
            is reported.
    """
    root = territory.root
    found = [
        finding for planned in files.values() if (finding := _judge(planned, root)) is not None
    ]
    found += [
        _finding("CF202", path, "no part of the contract asks for this file")
        for path in strays(files, territory)
    ]
    return sorted(_with_tools(found, files))


def write(
    files: Mapping[str, Planned], territory: Territory, *, force: bool = False
) -> Iterator[Change]:
    """Make the tree as planned, and yield what was done, a file each.

    Each file is replaced atomically. A file without our header is kept, and so is an
    edited one that is no longer planned, unless ``force`` is given.

    Raises:
        CounterfoilError: a path leads out of the project, or cannot be written.
    """
    root = territory.root
    for path in strays(files, territory):
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
            what = "a folder stands there" if folder else "a file that we did not make"
            yield Change(planned.path, "kept", what)
            continue
        _replace(root, planned, ready)
        yield Change(planned.path, "updated" if act == "kept" else act, planned.about)


def generated_files(territory: Territory) -> dict[str, bytes]:
    """Return the content, with ``\\n`` line ends, of the project's own generated files."""
    return {path: read_file(territory.root, path) or b"" for path in territory.own()}


def strays(files: Mapping[str, object] | frozenset[str], territory: Territory) -> list[str]:
    """Return the project's own generated files that are not planned, sorted."""
    return territory.own(besides=files)


def _with_tools(found: list[Finding], files: Mapping[str, Planned]) -> list[Finding]:
    """Name the tools whose own files are stale in findings about their whole server."""
    tools: dict[str, set[str]] = {}
    for finding in found:
        about = files[finding.path].about if finding.path in files else ""
        if finding.code in _CHANGED and about.startswith("tool "):
            server, _, name = about.removeprefix("tool ").partition("/")
            tools.setdefault(f"server {server}", set()).add(name)
    made: list[Finding] = []
    for finding in found:
        names = tools.get(files[finding.path].about) if finding.path in files else None
        if names and finding.code in _CHANGED:
            finding = replace(finding, message=f"{finding.message} ({_listed(sorted(names))})")
        made.append(finding)
    return made


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        shown += f" and {len(names) - _NAMED} more"
    return f"{'tool' if len(names) == 1 else 'tools'} {shown}"


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
    """Return the first line that differs and a unified diff, cut when long."""
    before, after = _lines(current), _lines(wanted)
    start = _shared(before, after)
    end = min(_shared(before[:start:-1], after[:start:-1]), len(before) - start - 1)
    skipped = max(start - 1, 0)
    ours = before[skipped : max(len(before) - end + 1, skipped)][:_DIFF_LIMIT]
    theirs = after[skipped : max(len(after) - end + 1, skipped)][:_DIFF_LIMIT]
    lines = [
        _HUNK.sub(lambda found: f"{found[1]}{int(found[2]) + skipped}", line)
        if line.startswith("@@")
        else line
        for line in difflib.unified_diff(ours, theirs, path, f"{path} (planned)", n=1, lineterm="")
    ]
    if len(lines) > _DIFF_LINES:
        rest = len(lines) - _DIFF_LINES
        lines = [*lines[:_DIFF_LINES], f"… {rest} more lines"]
    return start + 1, "\n".join(lines)


def _shared(before: list[str], after: list[str]) -> int:
    """Return how many lines two texts begin with together."""
    pairs = enumerate(zip(before, after, strict=False))
    return next(
        (number for number, (old, new) in pairs if old != new), min(len(before), len(after))
    )


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
            if not path.parent.resolve().is_relative_to(root.resolve()):
                raise CounterfoilError(
                    "a symbolic link leads out of the project",
                    place=planned.path,
                    hint="choose an output path without links",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            ready.add(path.parent)
        replace_file(path, planned.content)
    except OSError as error:
        raise CounterfoilError(
            f"cannot be written: {error.strerror}",
            place=planned.path,
            hint="check what is at that path, and its permissions",
        ) from error


def _remove(root: Path, path: str) -> None:
    """Remove a file and the folders that it leaves empty.

    Raises:
        CounterfoilError: it cannot be removed.
    """
    target = root / path
    try:
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == root or any(entry.name != "__pycache__" for entry in folder.iterdir()):
                break
            shutil.rmtree(folder)
    except OSError as error:
        raise CounterfoilError(
            f"cannot be removed: {error.strerror}",
            place=path,
            hint="check the permissions of its folder",
        ) from error
