"""What a subcommand is, and the options that several share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from counterfoil.config import find_project, read_config
from counterfoil.findings.formats import FORMATS
from counterfoil.manual import Parser, sections, statuses

if TYPE_CHECKING:
    from counterfoil.manual import Entry
    from counterfoil.project import Project

# What add_subparsers() returns; argparse gives it no public name.
_Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # pyright: ignore[reportPrivateUsage]

CLEAN, FOUND = 0, 1

STATUSES: tuple[tuple[str, str], ...] = (
    ("0", "done, and nothing was found"),
    ("1", "findings that are errors; with --strict also warnings"),
)
_TERMINAL_BELOW: Entry = ("COLUMNS, NO_COLOR", "and FORCE_COLOR: as `counterfoil --help` says")


@dataclass(frozen=True)
class Command:
    """A subcommand.

    Attributes:
        name: the word that people type.
        summary: one line for the list of commands.
        description: what it does, reads and writes; see ``console.Manual`` for its form.
        examples: lines that can be typed as they are.
        options: adds its options to a parser.
        run: does the work and returns the exit status.
        statuses: what 0 and 1 mean; the others are the same for all commands.
        environment: variables that it reads, beside those of the terminal.
        files: what it reads and writes.
        see: commands and pages that go on from here.
    """

    name: str
    summary: str
    description: str
    examples: tuple[str, ...]
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    statuses: tuple[tuple[str, str], ...] = STATUSES
    environment: tuple[Entry, ...] = ()
    files: tuple[Entry, ...] = ()
    see: tuple[Entry, ...] = ()

    def add(self, commands: _Commands) -> None:
        """Add it to the parser of the whole command."""
        parser = commands.add_parser(
            self.name,
            help=self.summary,
            description=self.description,
            epilog=sections(
                exit_status=statuses(self.statuses),
                environment=(*self.environment, _TERMINAL_BELOW),
                files=self.files,
                examples=self.examples,
                see_also=self.see or ("counterfoil --help",),
            ),
        )
        self.options(parser)
        parser.set_defaults(run=self.run)


def project_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads a project."""
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="folder with the pyproject.toml; default: the nearest with [tool.counterfoil]",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="neither read nor write the user's cache",
    )


def finding_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reports findings."""
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="text",
        help="how to print findings; default: text",
    )
    json_option(parser)
    parser.add_argument(
        "--strict", action="store_true", help="let warnings fail the command as errors do"
    )


def json_option(parser: argparse.ArgumentParser) -> None:
    """Add the short form of ``--format json``, which commands without other forms have, too."""
    parser.add_argument(
        "--json",
        action="store_const",
        const="json",
        dest="format",
        default=argparse.SUPPRESS,
        help="as --format json",
    )


def open_project(arguments: argparse.Namespace) -> Project:
    """Return the project that the options name.

    Raises:
        ConfigError: there is none, or its configuration is not understood.
    """
    from counterfoil.project import Project  # commands without a project do without it

    if arguments.project is None:
        root = find_project(Path.cwd())
    else:
        root = Path(arguments.project).resolve()
    return Project(read_config(root), cached=not arguments.no_cache)
