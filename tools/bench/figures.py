"""A table of figures, and bounds that some of them have to keep."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Table:
    """Figures by row and contestant, and what is promised of ours.

    A row may be named after another, two spaces and what it adds: it is shown below that one.
    """

    names: list[str]
    rows: dict[str, dict[str, float]] = field(default_factory=dict)
    bounds: list[tuple[str, float, str, float]] = field(default_factory=list)

    def add(self, row: str, name: str, figure: float) -> None:
        """Put a figure into its place."""
        self.rows.setdefault(row, {})[name] = figure

    def get(self, row: str, name: str) -> float:
        """Return a figure."""
        return self.rows[row][name]

    def promise(self, sentence: str, figure: float, sign: str, bound: float) -> None:
        """Add a bound: ``sign`` is <=, >= or <."""
        self.bounds.append((sentence, figure, sign, bound))

    def show(self) -> Iterator[str]:
        """Write the table and the bounds."""
        labels = {row: "  " + row.rpartition("  ")[2] if "  " in row else row for row in self.rows}
        width = max(map(len, labels.values())) + 2
        yield " " * width + "".join(f"{name:>14}" for name in self.names)
        for row, figures in self.rows.items():
            cells = (_show(figures[name]) if name in figures else "" for name in self.names)
            yield f"{labels[row]:{width}}" + "".join(f"{cell:>14}" for cell in cells)
        yield ""
        for sentence, figure, sign, bound in self.bounds:
            verdict = "holds" if _holds(figure, sign, bound) else "MISSED"
            yield f"{verdict:8} {sentence}: {_show(figure)}, promised {sign} {bound:g}"

    @property
    def is_kept(self) -> bool:
        """Tell whether every bound holds."""
        return all(_holds(figure, sign, bound) for _, figure, sign, bound in self.bounds)


def _holds(figure: float, sign: str, bound: float) -> bool:
    if sign == "<":
        return figure < bound
    return figure <= bound if sign == "<=" else figure >= bound


def _show(figure: float) -> str:
    if math.isinf(figure):
        return "never"
    if figure == int(figure) or figure >= 1000:
        return f"{figure:,.0f}"
    return f"{figure:.2f}" if figure < 100 else f"{figure:.1f}"
