"""Text for a terminal: what other parties wrote is data, and never controls it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from haia_trace_mcp.console import columns, fitted, folded, is_terminal, tell
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
    """Print plain texts in columns; on a terminal that is too narrow, each row as a list.

    A cell is never cut: what a person is to copy, such as the id of a review, is one of them.
    """
    lines = [list(heads), *([plain(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if is_terminal(sys.stdout) and sum(widths) + len(_GAP) * (len(widths) - 1) > columns():
        print("\n\n".join(_listed(lines[0], line) for line in lines[1:]))
        return
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(_GAP.join(cells).rstrip())


def _listed(heads: Sequence[str], cells: Sequence[str]) -> str:
    width = max(map(len, heads)) + len(_GAP)
    lines = (f"{head:{width}}{cell}" for head, cell in zip(heads, cells, strict=True))
    return "\n".join(part for line in lines for part in folded(line, columns() - 1, " " * width))


def show(text: str) -> None:
    """Print plain lines; on a terminal, those that are too long are folded."""
    print(fitted(text, sys.stdout), flush=True)


def say(text: str) -> None:
    """Tell whoever watches the program, on stderr."""
    first, *rest = plain_lines(text)
    tell("\n".join([f"{PROGRAM}: {first}", *rest]))


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
