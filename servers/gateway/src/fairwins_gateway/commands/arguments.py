"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fairwins_gateway.clock import Clock
from fairwins_gateway.manual import Parser, sections, statuses
from fairwins_gateway.settings import DEFAULT_SEED
from fairwins_gateway.tokens import ADDRESS, KEY_ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairwins_gateway.manual import Entry

# What add_subparsers() returns; argparse gives it no public name.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # pyright: ignore[reportPrivateUsage]

PROGRAM = "fairwins-gateway"
STATUSES = (("0", "done, or told to stop"),)
_SEED = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def add_command(
    commands: Commands,
    words: str,
    summary: str,
    about: str,
    examples: Sequence[str],
    **further: Sequence[Entry],
) -> Parser:
    """Add a command; ``words`` are all of its name, and the last of them is what it is called.

    Args:
        commands: where it is added.
        words: such as ``token issue``.
        summary: one line for the list of commands.
        about: what it does.
        examples: what may follow the name of the program.
        further: more sections of its help page.
    """
    own = further.pop("environment", ())
    above = f"{PROGRAM} {' '.join(words.split()[:-1])}".rstrip()
    end = sections(
        **further,
        exit_status=statuses(STATUSES),
        environment=(*own, ("COLUMNS, NO_COLOR", f"and FORCE_COLOR: as `{PROGRAM} --help` says")),
        examples=[f"{PROGRAM} {example}" for example in examples],
        see_also=(f"{above} --help",),
    )
    return commands.add_parser(words.split()[-1], help=summary, description=about, epilog=end)


def matching(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    """Return a reader of arguments that match a pattern whole."""

    def read(text: str) -> str:
        if not pattern.fullmatch(text):
            raise argparse.ArgumentTypeError(f"{text[:80]!r} is not {what}")
        return text

    return read


read_address = matching(ADDRESS, "an address, 0x and 40 hexadecimal digits")
read_key_id = matching(KEY_ID, "a key id, 0x and 64 hexadecimal digits")


def read_clock(text: str) -> Clock:
    """Read the time at which a clock stands still."""
    try:
        return Clock.stopped_at(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no time: {error}") from error


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument(
        "--seed",
        metavar="TEXT",
        type=matching(_SEED, "1 to 64 letters, digits and any of _.-"),
        default=DEFAULT_SEED,
        help="what all invented data and all sandbox signatures follow from; default: %(default)s",
    )


def add_now(parser: argparse.ArgumentParser) -> None:
    """Add ``--now``."""
    parser.add_argument(
        "--now",
        metavar="TIME",
        type=read_clock,
        default=Clock(),
        help="let the clock stand still at unix seconds or an ISO 8601 time; default: it runs",
    )


def add_database(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """Add ``--database``."""
    parser.add_argument(
        "--database",
        metavar="FILE",
        type=Path,
        required=required,
        help="SQLite file, made when it is not there"
        + ("" if required else "; without it, everything is kept in memory"),
    )
