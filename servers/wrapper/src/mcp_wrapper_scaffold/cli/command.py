"""What a subcommand is, and the options that several share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mcp_wrapper_scaffold.console import fitted
from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.formats import FORMATS
from mcp_wrapper_scaffold.lint.settings import Settings, find_settings, read_settings
from mcp_wrapper_scaffold.manual import Parser, sections, statuses

if TYPE_CHECKING:
    from mcp_wrapper_scaffold.manual import Entry

# What add_subparsers() returns; argparse gives it no public name.
_Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # pyright: ignore[reportPrivateUsage]

CLEAN, FOUND = 0, 1
STATUSES = (("0", "done, and nothing was found"), ("1", "findings"))
# Of the terminal; each command says where they are explained.
TERMINAL_BELOW = ("COLUMNS, NO_COLOR", "and FORCE_COLOR: as `mcp-wrapper --help` says")


@dataclass(frozen=True)
class Command:
    """A subcommand.

    Attributes:
        name: the word that people type.
        summary: one line for the list of commands.
        description: what it does.
        examples: lines that can be typed as they are.
        options: adds its options to a parser.
        run: does the work and returns the exit status.
        files: what it reads.
        see: commands and pages that go on from here.
    """

    name: str
    summary: str
    description: str
    examples: tuple[str, ...]
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    files: tuple[Entry, ...] = ()
    see: tuple[Entry, ...] = ("mcp-wrapper --help",)

    def add(self, commands: _Commands) -> None:
        """Add it to the parser of the whole command."""
        parser = commands.add_parser(
            self.name,
            help=self.summary,
            description=self.description,
            epilog=sections(
                exit_status=statuses(STATUSES),
                environment=(TERMINAL_BELOW,),
                files=self.files,
                examples=self.examples,
                see_also=self.see,
            ),
        )
        self.options(parser)
        parser.set_defaults(run=self.run)


def check_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reports findings."""
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="text",
        help="how to print findings; default: text",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        help="the pyproject.toml with [tool.mcp-wrapper]; default: the nearest, upwards",
    )


def settings_of(arguments: argparse.Namespace, start: Path) -> Settings:
    """Return the settings that the options name, or the nearest.

    Raises:
        SettingsError: they are not there, or not understood.
    """
    given: Path | None = arguments.config
    return find_settings(start) if given is None else read_settings(given)


def report(findings: Sequence[Finding], arguments: argparse.Namespace) -> int:
    """Print findings in the chosen form and return the exit status."""
    text = FORMATS[arguments.format](findings)
    sys.stdout.write(fitted(text, sys.stdout) if arguments.format == "text" else text)
    return FOUND if findings else CLEAN
