"""What the commands that compare two editions share: their options, and the two editions."""

from __future__ import annotations

import argparse
import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.config import FILE, Breaking, Config, read_config, seek_project
from counterfoil.errors import CounterfoilError

if TYPE_CHECKING:
    from counterfoil.breaking import Level
    from counterfoil.editions import Edition, Room
    from counterfoil.review import Accepted, Weighing

LEVELS: tuple[Level, ...] = ("wire", "generated", "agent")


@dataclass(frozen=True)
class Pair:
    """Two editions to compare, and how.

    Attributes:
        base, target: narrowed to one server where one is meant.
        weighing: how to weigh what changed.
        root: the project's folder; without a project, where the command runs.
    """

    base: Edition
    target: Edition
    weighing: Weighing
    root: Path


def comparing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is compared."""
    parser.add_argument(
        "--against",
        metavar="BASE",
        help="what to compare with; default: [tool.counterfoil.breaking] against, else the file "
        "as it was where this branch left the main one",
    )
    parser.add_argument("--server", metavar="ID", help="compare only this server of the contract")
    parser.add_argument(
        "--project",
        metavar="DIR",
        help=f"folder with the {FILE}; default: the nearest with [tool.counterfoil], if any",
    )


def open_pair(arguments: argparse.Namespace, level: Level | None = None) -> Pair:
    """Read what the options name.

    Raises:
        CounterfoilError: an edition cannot be read, or nothing says which one is meant.
    """
    from counterfoil.editions import open_edition, open_target
    from counterfoil.review import Weighing, narrow
    from counterfoil.review.weighing import today

    config = _config(arguments.project)
    room = _room(config)
    word: str | None = arguments.target
    file = room.file if word is None else room.find_file(word) or room.file
    # The base first: that it cannot be read is never hidden by a fault of the target.
    base = _base(arguments, config, room, file)
    target = open_target(room) if word is None else open_edition(word, room, file)
    base, target, server = narrow(base, target, arguments.server or "")
    weighing = Weighing(
        policy=config.breaking if config else Breaking(),
        severities=config.severity if config else {},
        accepted=_accepted(config, room),
        level=level,
        today=today(os.environ.get("SOURCE_DATE_EPOCH")),
        server=server,
    )
    return Pair(base, target, weighing, room.root)


def _base(
    arguments: argparse.Namespace, config: Config | None, room: Room, file: Path | None
) -> Edition:
    from counterfoil.editions import default_base, open_edition

    against: str = arguments.against or ""
    if arguments.against == "":
        raise CounterfoilError(
            "names nothing: the text is empty",
            place="--against",
            hint="name an edition, or leave it out",
        )
    if against == "-" == arguments.target:
        raise CounterfoilError(
            "standard input cannot be both editions", place="-", hint="name a file for one of them"
        )
    if not against and config is not None and config.breaking.against:
        against, room = config.breaking.against, dataclasses.replace(room, folder=room.root)
    return open_edition(against, room, file) if against else default_base(room, file)


def _config(project: str | None) -> Config | None:
    """Read the configuration; two files can be compared without one.

    Raises:
        ConfigError: the project that was named has none, or it is not understood.
    """
    if project is not None:
        return read_config(Path(project).resolve())
    root = seek_project(Path.cwd())
    return None if root is None else read_config(root)


def _room(config: Config | None) -> Room:
    from counterfoil.editions import Room

    here = Path.cwd()
    if config is None:
        return Room(here, here)
    return Room(here, config.root, config.contract, config.live)


def _accepted(config: Config | None, room: Room) -> Accepted:
    from counterfoil.review import Accepted, read_accepted

    if config is None:
        return Accepted("")
    return read_accepted(room.root, config.breaking.accepted)
