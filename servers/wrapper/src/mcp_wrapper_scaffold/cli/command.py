"""What a subcommand is, and the options that several share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.formats import FORMATS
from mcp_wrapper_scaffold.lint.settings import Settings, find_settings, read_settings

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
        description: what it does.
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
        listed = "\n".join(f"  {example}" for example in self.examples)
        parser = commands.add_parser(
            self.name,
            help=self.summary,
            description=self.description,
            epilog=f"examples:\n{listed}\n\n{EXITS}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
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
    sys.stdout.write(FORMATS[arguments.format](findings))
    return FOUND if findings else CLEAN


def say(line: str) -> None:
    """Print a line for people to standard error."""
    print(line, file=sys.stderr)
