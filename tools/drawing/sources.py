"""What the code says of its own structure: imports, layers, targets and outputs.

Sources are read, not imported, so that any environment can draw what is in the tree.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOOLCHAIN = "counterfoil"

Edges = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class House:
    """All that is drawn.

    Attributes:
        layers: rooms of the toolchain by layer, the highest first.
        rooms: what each room imports, without what follows from the rest.
        purposes: the first sentence of each room.
        targets: names of the targets, as the registry has them.
        outputs: target and path of each output.
        packages: folder of each package, below the repository.
        imports: what packages import of one another.
        asked: module of each server that parity starts.
    """

    layers: tuple[tuple[str, ...], ...]
    rooms: Edges
    purposes: Mapping[str, str]
    targets: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]
    packages: Mapping[str, str]
    imports: Edges
    asked: frozenset[str]


def read_house() -> House:
    """Read the tree."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    folders = _packages(settings["importlinter"]["root_packages"])
    modules = {name: _modules(folder) for name, folder in folders.items()}
    rooms = reduced(_imports(modules[TOOLCHAIN], modules[TOOLCHAIN], depth=2))
    every = {name: path for each in modules.values() for name, path in each.items()}
    configured = settings["counterfoil"]
    return House(
        layers=_layers(settings["importlinter"]["contracts"], rooms),
        rooms=rooms,
        purposes={room: _purpose(modules[TOOLCHAIN], room) for room in rooms},
        targets=_registered(modules[TOOLCHAIN][f"{TOOLCHAIN}.targets.registry"]),
        outputs=tuple((each["target"], each["path"]) for each in configured["output"]),
        packages={name: path.relative_to(ROOT).as_posix() for name, path in folders.items()},
        imports=_imports(every, every, depth=1),
        asked=frozenset(
            word for each in configured["server"] for word in each["command"] if word in folders
        ),
    )


def reduced(edges: Edges) -> Edges:
    """Return the edges that do not follow from others."""
    return {
        name: frozenset(
            to for to in targets if not any(to in _reached(edges, via) for via in targets - {to})
        )
        for name, targets in edges.items()
    }


def _reached(edges: Edges, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for each in edges[waiting.pop()]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def _packages(names: Iterable[str]) -> dict[str, Path]:
    places = [*ROOT.glob("*/src/*"), *ROOT.glob("servers/*/src/*")]
    found = {path.name: path for path in places if (path / "__init__.py").is_file()}
    return {name: found[name] for name in names}


def _modules(folder: Path) -> dict[str, Path]:
    """Return the sources of a package by module name; templates are no modules."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        if "templates" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imports(modules: Mapping[str, Path], known: Mapping[str, Path], depth: int) -> Edges:
    """Return which names of so many parts import which others."""
    edges: defaultdict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        parts = module.split(".")
        if len(parts) < depth or parts[-1] == "__main__":
            continue
        here = parts[depth - 1]
        edges[here] |= set()
        package = parts if path.name == "__init__.py" else parts[:-1]
        for name in _imported(ast.parse(path.read_text("utf-8")), package):
            there = name.split(".")
            if name in known and len(there) >= depth and there[depth - 1] != here:
                edges[here].add(there[depth - 1])
    return {name: frozenset(edges[name]) for name in sorted(edges)}


def _imported(tree: ast.Module, package: list[str]) -> set[str]:
    """Return the names that a module imports, and what each may be a module of."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            start = ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
            found.add(start)
            found.update(f"{start}.{alias.name}" for alias in node.names)
    return found


def _layers(contracts: list[dict[str, Any]], rooms: Edges) -> tuple[tuple[str, ...], ...]:
    """Return the layers that import-linter holds; a room in none of them is as low as it can be."""
    declared = next(
        each["layers"]
        for each in contracts
        if each["type"] == "layers" and each["layers"][0].startswith(f"{TOOLCHAIN}.")
    )
    layers = [
        [name.strip().removeprefix(f"{TOOLCHAIN}.") for name in layer.split("|")]
        for layer in declared
    ]
    placed = {room: number for number, layer in enumerate(layers) for room in layer}
    for room in sorted(set(rooms) - set(placed)):
        below = [placed[each] for each in rooms[room] if each in placed]
        number = max(min(below, default=len(layers)) - 1, 0)
        layers[number].append(room)
        placed[room] = number
    return tuple(tuple(room for room in layer if room in rooms) for layer in layers)


def _purpose(modules: Mapping[str, Path], room: str) -> str:
    tree = ast.parse(modules[f"{TOOLCHAIN}.{room}"].read_text("utf-8"))
    return " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())


def _registered(path: Path) -> tuple[str, ...]:
    """Return the keys of the registry's table."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            return tuple(ast.literal_eval(key) for key in node.value.keys if key is not None)
    raise ValueError(f"{path} has no table of targets")
