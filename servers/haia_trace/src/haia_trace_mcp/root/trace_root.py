"""A folder that everything is read below, resolved once."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from haia_trace_mcp.errors import AbsentError, RootError
from haia_trace_mcp.root.folder import FOLDER_FLAGS, HAS_DESCRIPTORS, Folder, is_plain_name

# Folders on the way need not be readable for whoever may go through them. Where there is no
# O_PATH, they have to be.
_WALK_FLAGS: Final = FOLDER_FLAGS | getattr(os, "O_PATH", 0)


class TraceRoot:
    """A root such as ``.trace``, or the folder of ``--templates-dir``.

    Links in the path that the operator gave are followed once, here. After that, every component
    from the top of the file system is opened without following any.
    """

    def __init__(self, path: Path, place: str | None = None) -> None:
        """Resolve the path; the folder need not be there yet."""
        self.path = Path(os.path.realpath(path))
        self.place = place if place is not None else str(path)

    @contextmanager
    def folder(self, *names: str, create: bool = False) -> Generator[Folder]:
        """Open the root, or a folder below it; ``create`` makes what is not there.

        Raises:
            AbsentError: it is not there.
            RootError: something on the way is a link or no folder, or may not be read.
        """
        place = "/".join((self.place, *names))
        path = self.path.joinpath(*names)
        if not all(map(is_plain_name, names)):
            raise RootError(place, "is not below the root")
        if not HAS_DESCRIPTORS:
            if create:
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _look_at_each(path, place)
            yield Folder(path, None, place)
            return
        made = len(names) + 1 if create else 0
        descriptor = _descend(path, place, made)
        try:
            yield Folder(path, descriptor, place)
        finally:
            os.close(descriptor)


def _descend(path: Path, place: str, made: int) -> int:
    """Open a folder one component at a time, and return its descriptor.

    The last ``made`` components are made where they are not there.
    """
    names = path.parts[1:]
    descriptor = os.open(path.anchor, _WALK_FLAGS if names else FOLDER_FLAGS)
    for after, name in zip(reversed(range(len(names))), names, strict=True):
        flags = _WALK_FLAGS if after else FOLDER_FLAGS
        try:
            inner = _enter(name, descriptor, flags, may_make=after < made)
        except FileNotFoundError as error:
            raise AbsentError(place, "is not there") from error
        except NotADirectoryError as error:  # what Linux says of a link, too
            raise RootError(place, f"{name!r} is a symbolic link or no folder") from error
        except OSError as error:
            raise RootError(place, f"{name!r} cannot be opened: {error.strerror}") from error
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _enter(name: str, parent: int, flags: int, *, may_make: bool) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        if not may_make:
            raise
    # What is gone through cannot be flushed.
    listed = os.open(".", FOLDER_FLAGS, dir_fd=parent)
    try:
        with suppress(FileExistsError):  # another process was faster
            os.mkdir(name, 0o700, dir_fd=listed)
            os.fsync(listed)
        return os.open(name, flags, dir_fd=listed)
    finally:
        os.close(listed)


def _look_at_each(path: Path, place: str) -> None:
    """Refuse links among the components, where folders cannot be opened one by one."""
    if not path.exists():
        raise AbsentError(place, "is not there")
    if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path) or not path.is_dir():
        raise RootError(place, "is reached through a symbolic link, or is no folder")
