"""Shapes of SVG, and the colours of a picture that is read on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

_STYLE = """
  .page { fill: #fbfaf7 } .room { fill: #ffffff; stroke: #8a93a3 } .band { fill: #f0eee8 }
  .data { fill: #fff3d6; stroke: #b98900 } .made { fill: #e4f1e6; stroke: #3d8a4d }
  .tool { fill: #e3ecfb; stroke: #3f6fc4 } .line { fill: none; stroke: #75809a }
  .tip { fill: #75809a } .loop { fill: none; stroke: #b4552d; stroke-dasharray: 5 4 }
  .looptip { fill: #b4552d } .name { fill: #1c2430 } .note { fill: #5a6474 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #161a20 } .room { fill: #232a34; stroke: #77839a } .band { fill: #1c222a }
    .data { fill: #3a2f12; stroke: #d0a62e } .made { fill: #1b3322; stroke: #5fae70 }
    .tool { fill: #1d2c48; stroke: #6f98e0 } .line { stroke: #8f9bb3 }
    .tip { fill: #8f9bb3 } .loop { stroke: #e08a62 } .looptip { fill: #e08a62 }
    .name { fill: #eef1f6 } .note { fill: #a9b3c4 }
  }
  text { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
"""


def picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a whole file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'width="{_n(width)}" height="{_n(height)}" role="img" aria-label="{escape(title)}">'
    )
    page = f'<rect class="page" width="{_n(width)}" height="{_n(height)}" rx="10"/>'
    lines = [
        head, f"<title>{escape(title)}</title>", f"<style>{_STYLE}</style>", _TIPS, page, *parts,
    ]  # fmt: skip
    return "\n".join([*lines, "</svg>"]) + "\n"


_TIPS = "\n".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'orient="auto-start-reverse"><path class="{name}" d="M0 0 8 4 0 8z"/></marker>'
    for name in ("tip", "looptip")
)


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return a rectangle by its upper left corner."""
    radius = 10 if kind == "band" else 6
    return (
        f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" '
        f'height="{_n(height)}" rx="{radius}"/>'
    )


def text(
    x: float, y: float, words: str, *, size: int = 14, kind: str = "name", anchor: str = "middle",
    bold: bool = False,
) -> str:  # fmt: skip
    """Return a line of text by its anchor; y is the middle of its height."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text class="{kind}" x="{_n(x)}" y="{_n(y + size * 0.35)}" font-size="{size}" '
        f'text-anchor="{anchor}"{weight}>{escape(words)}</text>'
    )


def across(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return an arrow that leaves to the right and arrives from the left."""
    (x, y), (to_x, to_y) = start, end
    middle = (x + to_x) / 2
    return _path(
        f"M{_n(x)} {_n(y)}C{_n(middle)} {_n(y)} {_n(middle)} {_n(to_y)} {_n(to_x)} {_n(to_y)}"
    )


def down(points: list[tuple[float, float, float]]) -> str:
    """Return an arrow downwards through places: x, and where it enters and leaves the row."""
    x, _, y = points[0]
    steps = [f"M{_n(x)} {_n(y)}"]
    for to_x, enters, leaves in points[1:]:
        middle = (y + enters) / 2
        steps.append(
            f"C{_n(x)} {_n(middle)} {_n(to_x)} {_n(middle)} {_n(to_x)} {_n(enters)}"
            + (f"V{_n(leaves)}" if leaves != enters else "")
        )
        x, y = to_x, leaves
    return _path("".join(steps))


def loop(path: str) -> str:
    """Return an arrow for what goes back."""
    return f'<path class="loop" d="{path}" marker-end="url(#looptip)"/>'


def _path(steps: str) -> str:
    return f'<path class="line" d="{steps}" marker-end="url(#tip)"/>'


def _n(number: float) -> str:
    return f"{round(number, 1):g}"
