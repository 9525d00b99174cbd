"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from fairwins_gateway.clock import Clock
from fairwins_gateway.settings import DEFAULT_SEED
from fairwins_gateway.tokens import ADDRESS, KEY_ID

_SEED = re.compile(r"[A-Za-z0-9_.-]{1,64}")


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
        type=matching(_SEED, "1 to 64 letters, digits and any of _.-"),
        default=DEFAULT_SEED,
        help="what all invented data and all sandbox signatures follow from (default: %(default)s)",
    )


def add_now(parser: argparse.ArgumentParser) -> None:
    """Add ``--now``."""
    parser.add_argument(
        "--now",
        metavar="TIME",
        type=read_clock,
        default=Clock(),
        help="let the clock stand still at unix seconds or an ISO 8601 time",
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
