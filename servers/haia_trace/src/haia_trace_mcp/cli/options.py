"""Options that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from haia_trace_mcp.manual import sections, statuses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from haia_trace_mcp.manual import Entry
    from haia_trace_mcp.root import TraceRoot

DEFAULT_FOLDER = Path(".trace")
_NO: Final = "no: it is not there, was decided before, or is not as it should be"
_BELOW: Final = ("COLUMNS, NO_COLOR", "and FORCE_COLOR: as `haia-trace-mcp --help` says")


class Commands(Protocol):
    """What ``add_subparsers`` returns; argparse has no public name for it."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - argparse calls it so
        description: str,
        epilog: str,
    ) -> argparse.ArgumentParser:
        """Add a command."""
        ...


def help_end(
    examples: Sequence[str],
    *,
    no: str = _NO,
    environment: Sequence[Entry] = (_BELOW,),
    files: Sequence[Entry] = (),
    see: Sequence[Entry] = ("haia-trace-mcp --help",),
) -> str:
    """Return the end of a help page; ``no`` is what status 1 says."""
    return sections(
        exit_status=statuses((("0", "done"), ("1", no))),
        environment=environment,
        files=files,
        examples=[f"haia-trace-mcp {words}".rstrip() for words in examples],
        see_also=see,
    )


def add_folder(parser: argparse.ArgumentParser, *, is_first: bool = False) -> None:
    """Add ``--dir``. It may stand before the command or behind it, so only the first has a default.

    A default of the second would take the place of what was said before the command.
    """
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="FOLDER",
        default=DEFAULT_FOLDER if is_first else argparse.SUPPRESS,
        help="the Trace root (default: .trace)",
    )


def add_policy(parser: argparse.ArgumentParser, *, is_first: bool = False) -> None:
    """Add ``--guard-config``, as ``add_folder`` does."""
    parser.add_argument(
        "--guard-config",
        type=Path,
        metavar="FILE",
        default=None if is_first else argparse.SUPPRESS,
        help="the guard's policy, haia-guard.config.json; without it, the default policy holds",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def open_root(chosen: argparse.Namespace) -> TraceRoot:
    """Return the Trace root that was named.

    Raises:
        StartError: it is not there.
    """
    from haia_trace_mcp import service

    return service.open_root(chosen.dir, "--dir")
