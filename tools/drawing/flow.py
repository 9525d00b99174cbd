"""The picture of how a contract becomes files, and files become servers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import svg
from sources import House

_LINE = 26
_HEAD = 34
_GAP = 18
_TOP = 64
_CONTRACT, _TARGET, _OUTPUT, _USER = (30, 150), (250, 130), (470, 290), (850, 190)  # x, width
_WIDTH = 1070.0


@dataclass
class Group:
    """Outputs in one package or folder, and where they are drawn."""

    owner: str
    lines: list[tuple[str, str]]
    y: float = 0.0

    @property
    def height(self) -> float:
        """Return the height of the box."""
        return _HEAD + _LINE * len(self.lines) + 6

    def row(self, index: int) -> float:
        """Return the middle of a line."""
        return self.y + _HEAD + _LINE * (index + 0.4)


def draw_flow(house: House) -> str:
    """Return the picture."""
    groups = _groups(house)
    rows: defaultdict[str, list[float]] = defaultdict(list)
    y = float(_TOP)
    for group in groups:
        group.y = y
        y += group.height + _GAP
        for index, (target, _) in enumerate(group.lines):
            rows[target].append(group.row(index))
    libraries, users = _packages(house, groups)
    parts = [
        svg.text(x + width / 2, 32, words, kind="note", size=15)
        for (x, width), words in (
            (_CONTRACT, "people edit"), (_TARGET, "targets read"), (_OUTPUT, "and write"),
            (_USER, "what servers import"),
        )
    ]  # fmt: skip
    rows_end = y - _GAP
    parts += _targets(rows, rows_end)
    for group in groups:
        parts += _group(house, group)
    bottom = rows_end
    places = {group.owner: (group.y, group.height) for group in groups}
    for name in libraries:
        parts += _package(house, name, _OUTPUT, y)
        places[name] = (y, float(_HEAD))
        bottom = y + _HEAD
        y += _HEAD + _GAP
    parts += _users(house, users, places)
    height = bottom + 84
    parts += _asked(house, places, bottom, (_TOP + rows_end) / 2)
    return svg.picture(_WIDTH, height, "From the contract to the servers", parts)


def _groups(house: House) -> list[Group]:
    """Return outputs by package or folder: folders first, then packages, the most imported last."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for target, path in house.outputs:
        owner, folder = next(
            (
                (name, folder)
                for name, folder in house.packages.items()
                if f"{path}/".startswith(f"{folder}/")
            ),
            (f"{path.split('/')[0]}/", path.split("/")[0]),
        )
        inside = path.removeprefix(folder).lstrip("/")
        found[owner].append((target, inside or f"{{server}}: {target}"))
    groups = [Group(owner, sorted(lines)) for owner, lines in found.items()]
    importers = {each.owner: _importers(house, each.owner) for each in groups}
    return sorted(
        groups, key=lambda each: (len(importers[each.owner]), each.owner[-1] != "/", each.owner)
    )


def _importers(house: House, name: str) -> list[str]:
    return sorted(each for each, imported in house.imports.items() if name in imported)


def _packages(house: House, groups: list[Group]) -> tuple[list[str], list[str]]:
    """Return packages that nothing is written into: those that others import, and the others."""
    rest = sorted(set(house.packages) - {group.owner for group in groups} - {"counterfoil"})
    libraries = [name for name in rest if _importers(house, name)]
    users = sorted(set(rest) - set(libraries), key=lambda name: (len(house.imports[name]), name))
    return libraries, users


def _targets(rows: dict[str, list[float]], bottom: float) -> list[str]:
    """Return the targets, as near to what they write as there is room."""
    x, width = _TARGET
    order = sorted(rows, key=lambda target: (sum(rows[target]) / len(rows[target]), target))
    step = (bottom - _TOP - _HEAD) / len(order)
    middle = (_TOP + bottom) / 2
    contract_x, contract_width = _CONTRACT
    parts = [
        svg.box(x - 16, _TOP - 8, width + 32, bottom - _TOP + 16, "band"),
        svg.text(x + width / 2, _TOP + 12, "counterfoil generate", size=13, kind="note"),
        svg.box(contract_x, middle - 48, contract_width, 96, "data"),
        svg.text(contract_x + contract_width / 2, middle - 20, "contract/", bold=True),
        svg.text(contract_x + contract_width / 2, middle + 6, "contract.json", size=13),
        svg.text(contract_x + contract_width / 2, middle + 26, "cases/", size=13),
        svg.across((contract_x + contract_width, middle), (x - 17, middle)),
    ]
    for index, target in enumerate(order):
        y = _TOP + _HEAD + step * (index + 0.5)
        parts += [svg.across((x + width, y), (_OUTPUT[0] - 1, row)) for row in rows[target]]
        parts += [svg.box(x, y - 15, width, 30, "tool"), svg.text(x + width / 2, y, target)]
    return parts


def _group(house: House, group: Group) -> list[str]:
    x, width = _OUTPUT
    note = _folder(house, group.owner)
    parts = [
        svg.box(x, group.y, width, group.height, "made"),
        svg.text(x + 14, group.y + 18, group.owner, bold=True, anchor="start"),
        svg.text(x + width - 14, group.y + 18, note, size=12, kind="note", anchor="end"),
    ]
    return parts + [
        svg.text(x + 14, group.row(index), words, size=13, anchor="start")
        for index, (_, words) in enumerate(group.lines)
    ]


def _folder(house: House, owner: str) -> str:
    return house.packages[owner].partition("/src/")[0] if owner in house.packages else ""


def _package(house: House, name: str, column: tuple[int, int], y: float) -> list[str]:
    x, width = column
    words = [svg.text(x + 14, y + _HEAD / 2, name, bold=True, anchor="start")]
    if column is _OUTPUT:
        note = _folder(house, name)
        words.append(
            svg.text(x + width - 14, y + _HEAD / 2, note, size=12, kind="note", anchor="end")
        )
    return [svg.box(x, y, width, _HEAD, "room"), *words]


def _users(house: House, users: list[str], places: dict[str, tuple[float, float]]) -> list[str]:
    """Return the packages on the right, and an arrow for each import."""
    imported = sorted({name for user in users for name in house.imports[user]})
    first = min(places[name][0] for name in imported)
    last = max(places[name][0] + places[name][1] for name in imported)
    step = max((last - first) / len(users), _HEAD + _GAP)
    ends: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    parts: list[str] = []
    for index, user in enumerate(users):
        y = first + step * (index + 0.5) - _HEAD / 2
        places[user] = (y, float(_HEAD))
        parts += _package(house, user, _USER, y)
        sources = sorted(house.imports[user], key=lambda name: places[name][0])
        for number, name in enumerate(sources):
            ends[name].append((user, y + _HEAD * (number + 1) / (len(sources) + 1)))
    for name, arrivals in ends.items():
        y, height = places[name]
        for number, (_, end) in enumerate(arrivals):
            start = y + height * (number + 1) / (len(arrivals) + 1)
            parts.append(svg.across((_OUTPUT[0] + _OUTPUT[1], start), (_USER[0] - 1, end)))
    return parts


def _asked(
    house: House, places: dict[str, tuple[float, float]], bottom: float, contract_y: float
) -> list[str]:
    """Return the way back: parity asks running servers."""
    low = bottom + 30
    right, contract = _USER[0] + _USER[1] / 2, _CONTRACT[0] + _CONTRACT[1] / 2
    lowest = max(y + height for name, (y, height) in places.items() if name in house.asked)
    way = (
        f"M{right:g} {lowest:g}V{low - 8:g}q0 8 -8 8H{contract + 8:g}q-8 0 -8 -8"
        f"V{contract_y + 49:g}"
    )
    words = f"counterfoil parity asks over the wire: {', '.join(sorted(house.asked))}"
    return [svg.loop(way), svg.text(_WIDTH / 2, low + 22, words, size=13, kind="note")]
