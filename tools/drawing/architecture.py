"""Draw the architecture from the code: ``docs/architecture.md`` and its two pictures.

Usage: ``python tools/drawing/architecture.py [--check]``. With ``--check`` nothing is written, and
the status is 1 if a file is not as the code has it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import svg
from flow import draw_flow
from layered import lay_out
from sources import ROOT, TOOLCHAIN, House, read_house

DOCUMENT = ROOT / "docs" / "architecture.md"
MARK = "<!-- What follows is made by tools/drawing/architecture.py -->"
_ROW = 66
_BOX = 34


def main(words: list[str]) -> int:
    """Write or compare the three files; return the status."""
    house = read_house()
    above = DOCUMENT.read_text("utf-8").partition(MARK)[0]
    wanted = {
        DOCUMENT.with_name("architecture-flow.svg"): draw_flow(house),
        DOCUMENT.with_name("architecture-layers.svg"): draw_layers(house),
        DOCUMENT: above + MARK + "\n\n" + describe(house),
    }
    stale = [path for path, content in wanted.items() if _read(path) != content]
    for path in stale:
        if "--check" not in words:
            path.write_text(wanted[path], "utf-8", newline="\n")
        print(f"{'stale' if '--check' in words else 'wrote'}: {path.relative_to(ROOT).as_posix()}")
    return 1 if stale and "--check" in words else 0


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def draw_layers(house: House) -> str:
    """Return the rooms of the toolchain in their layers, and what each relies on."""

    def width_of(room: str) -> float:
        return 24 + 8.2 * len(room)

    layout = lay_out(house.layers, house.rooms, width_of, gap=22)
    left, top = 30.0, 62.0
    width = layout.width + 2 * left
    parts = [
        svg.text(left, 30, "The toolchain: a room relies on those below", bold=True, size=16,
                 anchor="start"),
    ]  # fmt: skip
    parts += [
        svg.box(10, top + row * _ROW - 16, width - 20, _ROW, "band")
        for row in range(0, len(house.layers), 2)
    ]
    for way in layout.ways.values():
        points = [(x + left, top + row * _ROW, top + row * _ROW + _BOX) for x, row in way]
        parts.append(svg.down([*points[:-1], (points[-1][0], points[-1][1], points[-1][1])]))
    for room, (x, row) in layout.centres.items():
        y, half = top + row * _ROW, width_of(room) / 2
        parts.append(svg.box(x + left - half, y, 2 * half, _BOX, "room"))
        parts.append(svg.text(x + left, y + _BOX / 2, room))
    height = top + len(house.layers) * _ROW - 8
    return svg.picture(width, height, "Rooms and layers of the toolchain", parts)


def describe(house: House) -> str:
    """Return the part of the page that is made."""
    lines = ["## Rooms of the toolchain", "", "From the highest layer to the lowest:", "",
             "| Room | What it is for | Relies on |", "|---|---|---|"]  # fmt: skip
    for layer in house.layers:
        for room in layer:
            below = ", ".join(f"`{each}`" for each in sorted(house.rooms[room])) or "nothing"
            purpose = house.purposes[room].replace("``", "`").replace("|", "\\|")
            lines.append(f"| [`{room}`]({_link(house, room)}) | {purpose} | {below} |")
    return "\n".join(lines) + "\n"


def _link(house: House, room: str) -> str:
    folder = ROOT / house.packages[TOOLCHAIN] / room
    return f"../{house.packages[TOOLCHAIN]}/{room}{'' if folder.is_dir() else '.py'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
