"""What an imported name stands for, followed from module to module without importing them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

from mcp_wrapper_scaffold.lint.modules import ALLOWED, is_standard
from mcp_wrapper_scaffold.lint.sources import LIMIT, Source

_DEPTH = 8  # re-exports that are followed one behind the other


@dataclass(frozen=True)
class Reference:
    """A module, or something of a module.

    Attributes:
        module: its dotted name.
        name: what of it; empty for the module itself.
    """

    module: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


class Surroundings:
    """Know the modules that a source may refer to.

    Nothing is imported but modules of the standard library that do no harm.

    Args:
        sources: the checked sources, which are looked at first.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = {source.module: source for source in sources}
        self._bound: dict[str, Mapping[str, Reference]] = {}
        self._specs: dict[str, ModuleSpec | None] = {}

    @cached_property
    def _packages(self) -> frozenset[str]:
        """Return the checked modules, and the packages around them."""
        names: set[str] = set()
        for module in self._sources:
            parts = module.split(".")
            names.update(".".join(parts[:length]) for length in range(1, len(parts) + 1))
        return frozenset(names)

    @cached_property
    def tops(self) -> frozenset[str]:
        """Return the outermost packages of the checked sources."""
        return frozenset(module.partition(".")[0] for module in self._sources)

    def is_own(self, module: str) -> bool:
        """Say whether a module belongs to a package that is checked."""
        return module.partition(".")[0] in self.tops

    def source(self, module: str) -> Source | None:
        """Return a module's source: a checked one, or one that is installed."""
        return self._sources.get(module) or self._installed(module)

    def resolve(self, module: str, name: str, depth: int = _DEPTH) -> Reference:
        """Return what a name of a module stands for, where it was first bound."""
        if not self.is_own(module) and module in ALLOWED and is_standard(module):
            return _resolve_standard(module, name)
        inner = f"{module}.{name}"
        if inner in self._packages:
            return Reference(inner)
        bound = self._bindings(module).get(name)
        if bound is not None and depth and bound != Reference(module, name):
            if bound.name:
                return self.resolve(bound.module, bound.name, depth - 1)
            return bound
        if not self.is_own(module) and self._spec(inner) is not None:
            return Reference(inner)
        return Reference(module, name)

    def _bindings(self, module: str) -> Mapping[str, Reference]:
        """Return what a module binds by import statements outside of functions."""
        if module not in self._bound:
            self._bound[module] = {}  # for modules that import one another
            source = self.source(module)
            tree = None if source is None else source.parse()
            if source is not None and isinstance(tree, ast.Module):
                self._bound[module] = dict(_bindings(source, tree))
        return self._bound[module]

    def _installed(self, module: str) -> Source | None:
        spec = self._spec(module)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not spec.origin:
            return None
        path = Path(spec.origin)
        if path.stat().st_size > LIMIT:
            return None
        return Source(str(path), module, path.stem == "__init__", path.read_bytes())

    def _spec(self, module: str) -> ModuleSpec | None:
        """Find a module without importing it or its parents."""
        if module not in self._specs:
            parent, _, _ = module.rpartition(".")
            around = self._spec(parent) if parent else None
            places = None if around is None else around.submodule_search_locations
            found = None if parent and places is None else PathFinder.find_spec(module, places)
            self._specs[module] = found
        return self._specs[module]


def imported(source: Source, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Reference]]:
    """Yield each name that an import statement binds, and what it stands for as written."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, Reference(alias.name)
            else:
                top = alias.name.partition(".")[0]
                yield top, Reference(top)
        return
    module = from_module(source, node)
    for alias in node.names:
        yield alias.asname or alias.name, Reference(module, alias.name)


def from_module(source: Source, node: ast.ImportFrom) -> str:
    """Return the module that a ``from`` statement names; relative ones are worked out."""
    if not node.level:
        return node.module or ""
    parts = source.package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _bindings(source: Source, tree: ast.Module) -> Iterator[tuple[str, Reference]]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(source, node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _resolve_standard(module: str, name: str) -> Reference:
    """Look a name up in a harmless module of the standard library, which is imported for it."""
    loaded = sys.modules.get(module) or importlib.import_module(module)
    value: object = getattr(loaded, name, None)
    if isinstance(value, ModuleType):
        return Reference(value.__name__)
    if value is None and hasattr(loaded, "__path__"):
        inner = f"{module}.{name}"
        if importlib.util.find_spec(inner) is not None:
            return Reference(inner)
    return Reference(module, name)
