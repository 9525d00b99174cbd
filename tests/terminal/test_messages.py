"""Every error of the toolchain says what to do next."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "tools/src/counterfoil").rglob("*.py"))


@cache
def trees() -> dict[Path, ast.Module]:
    """Return what each module holds."""
    return {path: ast.parse(path.read_text("utf-8")) for path in SOURCES}


@cache
def errors() -> frozenset[str]:
    """Return the names of all classes below ``CounterfoilError`` that take its arguments."""
    below: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not has_own_arguments(node):
                below[node.name] = {each.id for each in node.bases if isinstance(each, ast.Name)}
    known = {"CounterfoilError"}
    while found := {name for name, bases in below.items() if bases & known} - known:
        known |= found
    return frozenset(known)


def has_own_arguments(node: ast.ClassDef) -> bool:
    """Say whether a class is made otherwise than the one it is below."""
    return any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body)


def raised(path: Path) -> Iterator[ast.Call]:
    """Return the errors that a module makes."""
    for node in ast.walk(trees()[path]):
        name = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(name, ast.Name) and name.id in errors():
            yield node


def test_every_error_has_a_hint() -> None:
    calls = [(path, call) for path in SOURCES for call in raised(path)]
    assert len(calls) > 100
    silent = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, call in calls
        if not {"hint", None} & {each.arg for each in call.keywords}
    ]
    assert not silent, silent
