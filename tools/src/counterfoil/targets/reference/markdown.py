"""Text of a contract as Markdown (CommonMark, GitHub's tables) that says just that text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from counterfoil.schema.phrases import Phrase, Piece

_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_SPECIAL = re.compile(r"[&<>|]|[\\`*\[\]~$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# What begins a list, a heading's underline, or a block of another kind, at the start of a line.
_START = re.compile(r"^([-+=:]|[0-9]+(?=[.)]))")
_RUNS = re.compile(r"`+")
_SLUG = re.compile(r"[^\w\- ]")


def text(value: str) -> str:
    """Return text on one line in which nothing is read as markup."""
    line = " ".join(part.strip() for part in _BREAKS.split(value)).strip()
    return _inert(line)


def paragraphs(value: str) -> str:
    """Return text in which blank lines part paragraphs and other line ends stay line ends."""
    lines = [_inert(line.strip()) for line in _BREAKS.split(value.strip())]
    joined = "\n".join(lines)
    blocks = [block.strip("\n") for block in re.split(r"\n{2,}", joined)]
    return "\n\n".join(block.replace("\n", "\\\n") for block in blocks)


def _inert(line: str) -> str:
    escaped = _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), line)
    return _START.sub(_opened, escaped)


def _opened(found: re.Match[str]) -> str:
    start = found[0]
    return f"{start}\\" if start.isdigit() else f"\\{start}"


def span(value: str) -> str:
    """Return a code span; line ends in it show as ``\\n``.

    A bar would end a table's cell, and readers differ in how to keep it from that, so a value
    with one is plain text.
    """
    line = _BREAKS.sub(r"\\n", value)
    if "|" in line or not line.strip():
        return _inert(line)
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(value: str, language: str = "text") -> str:
    """Return a fenced block that nothing inside can end."""
    fence = "`" * max(3, _longest_run(value) + 1)
    return f"{fence}{language}\n{value}\n{fence}"


def _longest_run(value: str) -> int:
    return max((len(run) for run in _RUNS.findall(value)), default=0)


def phrase(pieces: Phrase, linked: Collection[str] = ()) -> str:
    """Return a phrase; names of the linked types lead to their heading."""
    return "".join(_piece(piece, linked) for piece in pieces)


def _piece(piece: Piece, linked: Collection[str]) -> str:
    if piece.style == "words":
        return _inert(piece.text)
    if piece.style == "type" and piece.text in linked:
        return f"[{text(piece.text)}](#{slug(f'Type {piece.text}')})"
    return span(piece.text)


def row(cells: Iterable[str]) -> str:
    """Return a row of a table. Cells are Markdown without bars and line ends."""
    return f"| {' | '.join(cell.strip() or '–' for cell in cells)} |"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join([row(head), row("---" for _ in head), *(row(cells) for cells in rows)])


def slug(heading: str) -> str:
    """Return the anchor that GitHub and most others give a heading."""
    return _SLUG.sub("", heading.lower()).replace(" ", "-")


def untext(cell: str) -> str:
    """Return the text of a cell that :func:`text` or :func:`span` made."""
    run = _RUNS.match(cell)
    if run:
        inner = cell[len(run[0]) : -len(run[0])]
        padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip()
        return inner[1:-1] if padded else inner
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell)
    for character, entity in reversed(_ENTITIES.items()):
        plain = plain.replace(entity, character)
    return plain
