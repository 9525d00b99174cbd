"""What a subcommand is, and the options that several share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from counterfoil.config import find_project, read_config
from counterfoil.findings.formats import FORMATS

if TYPE_CHECKING:
    from counterfoil.project import Project

# What add_subparsers() returns; argparse gives it no public name.
_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]

CLEAN, FOUND, FAILED = 0, 1, 2

EXITS = "exit status: 0 nothing found, 1 findings, 2 the command could not run"


@dataclass(frozen=True)
class Command:
    """A subcommand.

    Attributes:
        name: the word that people type.
        summary: one line for the list of commands.
        description: what it does, reads and writes.
        examples: lines that can be typed as they are.
        options: adds its options to a parser.
        run: does the work and returns the exit status.
    """

    name: str
    summary: str
    description: str
    examples: tuple[str, ...]
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    def add(self, commands: _Commands) -> None:
        """Add it to the parser of the whole command."""
        shown = "\n".join(f"  {example}" for example in self.examples)
        parser = commands.add_parser(
            self.name,
            help=self.summary,
            description=self.description,
            epilog=f"examples:\n{shown}\n\n{EXITS}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
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
    parser.add_argument(
        "--strict", action="store_true", help="let warnings fail the command as errors do"
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
