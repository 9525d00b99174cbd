"""Text for a terminal: what other parties wrote is data, and never controls it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from haia_trace_mcp.wording import visible

PROGRAM: Final = "haia-trace-mcp"
_GAP: Final = "  "


def plain(text: str, limit: int | None = None) -> str:
    """Return text on one line, with what does not print escaped, cut to ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    return "".join(map(visible, cut))


def plain_lines(text: str) -> list[str]:
    """Return text line by line, each of them plain."""
    return [plain(line) for line in text.split("\n")]


def print_value(value: object, indent: int | None = 2) -> None:
    """Print JSON in ASCII without a single control character but line feeds."""
    print(json.dumps(value, indent=indent).replace("\x7f", "\\u007f"), flush=True)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print plain texts in columns."""
    lines = [list(heads), *([plain(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(_GAP.join(cells).rstrip())


def say(text: str) -> None:
    """Tell whoever watches the program, on stderr."""
    first, *rest = plain_lines(text)
    print("\n".join([f"{PROGRAM}: {first}", *rest]), file=sys.stderr, flush=True)


def start_log(level: str) -> None:
    """Have the log on stderr, plain too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainFormatter(f"{PROGRAM}: %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


class PlainFormatter(logging.Formatter):
    """Formats records without control characters but line feeds."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text."""
        return "\n".join(plain_lines(super().format(record)))
