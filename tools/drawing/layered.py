"""A layout for a graph in rows: few crossings, straight long edges, nothing on top of anything.

An edge over several rows gets a place in each of them, so that it passes between the boxes. The
order in a row follows the neighbours (barycentres); the places are the least squares that keep the
order and the distances. Both are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Node = str | tuple[str, str, int]  # a box, or an edge's place in a row
Rows = list[list[Node]]
_SWEEPS = 24
_FAR = 1e6
_STRAIGHT = 6.0  # how much more an edge wants to be straight between two of its places


@dataclass(frozen=True)
class Layout:
    """Centres of the boxes, and the ways of the edges from centre to centre."""

    centres: Mapping[str, tuple[float, int]]
    ways: Mapping[tuple[str, str], list[tuple[float, int]]]
    width: float


def lay_out(
    layers: Sequence[Sequence[str]],
    edges: Mapping[str, frozenset[str]],
    width_of: Callable[[str], float],
    gap: float,
) -> Layout:
    """Return places; a place is x in pixels from the left, and the number of the row."""
    row_of = {name: row for row, layer in enumerate(layers) for name in layer}
    pairs = [(here, there) for here in sorted(edges) for there in sorted(edges[here])]
    rows: Rows = [[*layer] for layer in layers]
    chains: dict[tuple[str, str], list[Node]] = {}
    for here, there in pairs:
        between: list[Node] = [(here, there, row) for row in range(row_of[here] + 1, row_of[there])]
        for node, row in zip(between, range(row_of[here] + 1, row_of[there]), strict=True):
            rows[row].append(node)
        chains[here, there] = [here, *between, there]
    links = [link for chain in chains.values() for link in pairwise(chain)]
    rows = _ordered(rows, links)

    def width(node: Node) -> float:
        return width_of(node) if isinstance(node, str) else 0.0

    places = _placed(rows, links, width, gap)
    _straighten(places, rows, chains.values(), width, gap)
    left = min(places[name] - width_of(name) / 2 for name in row_of)
    left = min(left, *(x for node, x in places.items()))
    centres = {name: (places[name] - left, row) for name, row in row_of.items()}
    ways = {
        pair: [
            (places[node] - left, row_of[node] if isinstance(node, str) else node[2])
            for node in chain
        ]
        for pair, chain in chains.items()
    }
    right = max(x + width_of(name) / 2 for name, (x, _) in centres.items())
    right = max(right, *(x for way in ways.values() for x, _ in way))
    return Layout(centres, ways, right)


def _ordered(rows: Rows, links: list[tuple[Node, Node]]) -> Rows:
    above: dict[Node, list[Node]] = {node: [] for row in rows for node in row}
    below: dict[Node, list[Node]] = {node: [] for row in rows for node in row}
    for upper, lower in links:
        above[lower].append(upper)
        below[upper].append(lower)
    best, fewest = rows, _crossings(rows, links)
    for sweep in range(_SWEEPS):
        rows = [list(row) for row in rows]
        downwards = sweep % 2 == 0
        neighbours = above if downwards else below
        numbers = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
        for number in numbers:
            beside = rows[number - 1 if downwards else number + 1]
            place = {node: index for index, node in enumerate(beside)}
            own = {node: index for index, node in enumerate(rows[number])}
            rows[number].sort(
                key=lambda node: _mean([place[each] for each in neighbours[node]], own[node])
            )
        crossings = _crossings(rows, links)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _mean(numbers: list[int], otherwise: int) -> float:
    return sum(numbers) / len(numbers) if numbers else float(otherwise)


def _crossings(rows: Rows, links: list[tuple[Node, Node]]) -> int:
    place = {
        node: (row, index) for row, nodes in enumerate(rows) for index, node in enumerate(nodes)
    }
    ends = [(*place[upper], place[lower][1]) for upper, lower in links]
    return sum(
        row == other and (left - left_too) * (right - right_too) < 0
        for number, (row, left, right) in enumerate(ends)
        for other, left_too, right_too in ends[:number]
    )


def _placed(
    rows: Rows, links: list[tuple[Node, Node]], width_of: Callable[[Node], float], gap: float
) -> dict[Node, float]:
    pulls: dict[Node, list[tuple[Node, float]]] = {node: [] for row in rows for node in row}
    for upper, lower in links:
        strength = _STRAIGHT if isinstance(upper, tuple) and isinstance(lower, tuple) else 1.0
        pulls[upper].append((lower, strength))
        pulls[lower].append((upper, strength))
    offsets: dict[Node, float] = {}
    for row in rows:
        offset = 0.0
        for index, node in enumerate(row):
            if index:
                offset += (width_of(row[index - 1]) + width_of(node)) / 2 + gap
            offsets[node] = offset
    places = {node: offsets[node] - offsets[row[-1]] / 2 for row in rows for node in row if row}
    for sweep in range(_SWEEPS * 4):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [_pulled(pulls[node], places, places[node]) for node in row]
            kept = _ascending(
                [want - offsets[node] for node, want in zip(row, wanted, strict=True)]
            )
            for node, place in zip(row, kept, strict=True):
                places[node] = place + offsets[node]
    return places


def _straighten(
    places: dict[Node, float],
    rows: Rows,
    chains: Iterable[list[Node]],
    width_of: Callable[[Node], float],
    gap: float,
) -> None:
    """Let each edge go straight down to its lower end, or bend as little as there is room."""
    beside: dict[Node, tuple[Node | None, Node | None]] = {
        node: (row[index - 1] if index else None, row[index + 1] if index + 1 < len(row) else None)
        for row in rows
        for index, node in enumerate(row)
    }
    for _, *between, end in list(chains) * _SWEEPS:
        room: list[tuple[float, float]] = []
        for node in between:
            before, after = beside[node]
            left = -_FAR if before is None else places[before] + width_of(before) / 2 + gap
            right = _FAR if after is None else places[after] - width_of(after) / 2 - gap
            room.append((left, right))
        lowest = max((left for left, _ in room), default=-_FAR)
        highest = min((right for _, right in room), default=_FAR)
        way = places[end] if lowest > highest else min(max(places[end], lowest), highest)
        for node, (left, right) in reversed(list(zip(between, room, strict=True))):
            way = min(max(way, left), right)
            places[node] = way


def _pulled(pulls: list[tuple[Node, float]], places: dict[Node, float], otherwise: float) -> float:
    total = sum(strength for _, strength in pulls)
    if not total:
        return otherwise
    return sum(places[node] * strength for node, strength in pulls) / total


def _ascending(wanted: list[float]) -> list[float]:
    """Return the nearest numbers, in least squares, that never descend."""
    pools: list[tuple[float, int]] = []
    for number in wanted:
        total, count = number, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            more, members = pools.pop()
            total, count = total + more, count + members
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]
