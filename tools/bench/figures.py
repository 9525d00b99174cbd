"""A table of figures, and bounds that some of them have to keep."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Table:
    """Figures of each round by row and contestant, and what is promised of some.

    A contestant that a row has no figures of is shown as a dash.
    A row may be named after another, two spaces and what it adds: it is shown below that one.
    """

    names: list[str]
    rows: dict[str, dict[str, Sequence[float]]] = field(default_factory=dict)
    bounds: list[tuple[str, float, str, float]] = field(default_factory=list)

    def add(self, row: str, name: str, figures: Sequence[float]) -> None:
        """Put the figures of all rounds into their place."""
        self.rows.setdefault(row, {})[name] = figures

    def get(self, row: str, name: str) -> float:
        """Return the median."""
        return median(self.rows[row][name])

    def ratio(self, row: str, name: str, peer: str) -> float:
        """Return how many times the peer's figure another one is: the median over the rounds.

        The two of a round were measured one soon after the other.
        """
        figures = self.rows[row]
        return median(a / b for a, b in zip(figures[name], figures[peer], strict=True))

    def promise(self, sentence: str, figure: float, sign: str, bound: float) -> None:
        """Add a bound: ``sign`` is <=, >= or <."""
        self.bounds.append((sentence, figure, sign, bound))

    def show(self) -> Iterator[str]:
        """Write the table of medians, and the bounds."""
        labels = {row: "  " + row.rpartition("  ")[2] if "  " in row else row for row in self.rows}
        width = max(map(len, labels.values())) + 2
        yield " " * width + "".join(f"{name:>14}" for name in self.names)
        for row in self.rows:
            known = self.rows[row]
            cells = (_show(self.get(row, name)) if name in known else "-" for name in self.names)
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
