"""Where generated files may lie, and which of the files there are this project's own."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from counterfoil.config import FILE, Config
from counterfoil.render import Stamp, read_stamp

# How headers name files that are the same for every contract: they come from the toolchain.
TOOLCHAIN = "counterfoil/"
_HEAD = 4096
_PASSED_OVER = frozenset({".git", ".nox", ".venv", "__pycache__", "node_modules"})
_TABLE = b"[tool.counterfoil"


@dataclass(frozen=True)
class Spot:
    """A folder to look into.

    Attributes:
        folder: relative to the project, with forward slashes; ``""`` is the project itself.
        deep: whether folders inside it are looked into, too.
    """

    folder: str
    deep: bool


@dataclass(frozen=True)
class Territory:
    """The places of a project's generated files.

    A file is the project's own if its header names the project's contract, or the toolchain as
    files do that are the same for every contract; and if it does not lie in a folder with a
    configuration of its own.

    Attributes:
        root: the project's folder.
        contract: the contract as headers name it.
        spots: the folders to look into; one that a link leads out of the project is not.
        remembered: files of an earlier generation, wherever they are.
    """

    root: Path
    contract: str
    spots: tuple[Spot, ...]
    remembered: frozenset[str] = frozenset()

    def own(self, besides: Container[str] = ()) -> list[str]:
        """Return the paths of the project's own generated files, sorted.

        Args:
            besides: paths that are left out, and whose files are not opened.
        """
        found = {path for spot in self.spots for path in self._below(spot)}
        found.update(self.remembered)
        return sorted(path for path in found if path not in besides and self.owns(path))

    def owns(self, path: str) -> bool:
        """Say whether a file carries a header of this project."""
        place = self.root / path
        if place.is_symlink() or not self._inside(place.parent):
            return False
        try:
            with place.open("rb") as file:
                stamp = read_stamp(file.read(_HEAD))
        except OSError:
            return False
        return stamp is not None and self._made_from_ours(stamp)

    def _made_from_ours(self, stamp: Stamp) -> bool:
        source = stamp.source.partition("#")[0]
        return source == self.contract or source.startswith(TOOLCHAIN)

    def _below(self, spot: Spot) -> Iterator[str]:
        top = self.root / spot.folder
        start = len(str(self.root)) + 1
        if not self._inside(top):
            return
        for base, folders, names in os.walk(top):
            folders[:] = [
                name
                for name in sorted(folders)
                if spot.deep and name not in _PASSED_OVER and not _is_project(Path(base, name))
            ]
            for name in names:
                if not name.endswith(".pyc"):
                    yield Path(base, name).as_posix()[start:]

    def _inside(self, folder: Path) -> bool:
        return folder.resolve().is_relative_to(self.root.resolve())


def territory(config: Config, remembered: frozenset[str] = frozenset()) -> Territory:
    """Return where a configuration's outputs may lie.

    Below a folder that an output fills, and below the part of a path in front of
    ``{server}``, every folder is looked into; beside a single file, only its neighbours are.
    """
    spots: set[Spot] = set()
    for output in config.outputs:
        base, placeholder, _ = output.path.partition("{")
        fills = not placeholder and (config.root / base).is_dir()
        folder = base if fills else base.rpartition("/")[0]
        spots.add(Spot(folder, deep=bool(folder) and (fills or bool(placeholder))))
    ordered = sorted(spots, key=lambda spot: (spot.folder, spot.deep))
    return Territory(config.root, config.contract, tuple(ordered), remembered)


def _is_project(folder: Path) -> bool:
    try:
        return _TABLE in (folder / FILE).read_bytes()
    except OSError:
        return False
