"""Which handlers a wrapper has, found without running it, and where new ones go."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from counterfoil.cache import replace_file
from counterfoil.contract.model import Server
from counterfoil.errors import CounterfoilError
from counterfoil.scaffold.wrapper.layout import Wrapper
from counterfoil.scaffold.wrapper.pages import handler
from counterfoil.targets.stubs import Method, method
from counterfoil.tree import read_file

_READER = "read_resource"


@dataclass(frozen=True)
class Handlers:
    """The class that carries out the tools.

    Attributes:
        path: its file, relative to the project.
        name: its name.
        line: the last line of its body, from 1.
        methods: names of its async methods that are public.
    """

    path: str
    name: str
    line: int
    methods: frozenset[str]


@dataclass(frozen=True)
class Gap:
    """What the handlers lack.

    Attributes:
        handlers: the class, or ``None`` when no class inherits from the protocol.
        missing: the methods that it lacks.
        surplus: names of methods that no tool needs.
    """

    handlers: Handlers | None
    missing: tuple[Method, ...]
    surplus: tuple[str, ...]


def find_gap(root: Path, wrapper: Wrapper, server: Server) -> Gap:
    """Compare the handlers in a project with the tools of its server.

    Raises:
        CounterfoilError: a source cannot be read as Python.
    """
    wanted = {each.name: each for each in map(method, server.served)}
    found = next(_classes(root, wrapper), None)
    if found is None:
        return Gap(None, tuple(wanted.values()), ())
    missing = tuple(each for name, each in wanted.items() if name not in found.methods)
    surplus = sorted(found.methods - wanted.keys() - {_READER})
    return Gap(found, missing, tuple(surplus))


def add_handlers(root: Path, gap: Gap) -> None:
    """Put missing handlers at the end of their class; everything else stays as it is.

    Raises:
        CounterfoilError: the file cannot be read or written, or the result would be no Python.
    """
    if gap.handlers is None or not gap.missing:
        return
    path = root / gap.handlers.path
    text = path.read_bytes().decode("utf-8")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: gap.handlers.line])
    if not before.endswith(("\n", "\r")):
        before += end
    added = "".join(f"\n{handler(each)}" for each in gap.missing).replace("\n", end)
    result = before + added + "".join(lines[gap.handlers.line :])
    _parse(result, gap.handlers.path)
    try:
        replace_file(path.resolve(), result.encode("utf-8"))
    except OSError as error:
        raise CounterfoilError(
            f"cannot be written: {error.strerror}",
            place=gap.handlers.path,
            hint="check its permissions",
        ) from error


def _classes(root: Path, wrapper: Wrapper) -> Iterator[Handlers]:
    """Yield the classes below the package that inherit from the protocol."""
    source = root / "src" / wrapper.package
    for path in sorted(source.rglob("*.py")):
        shown = path.relative_to(root).as_posix()
        if path.is_relative_to(source / "bindings"):
            continue
        raw = read_file(root, shown) or b""
        for node in ast.walk(_parse(raw.decode("utf-8", "replace"), shown)):
            if isinstance(node, ast.ClassDef) and wrapper.protocol in map(_base, node.bases):
                yield Handlers(shown, node.name, node.end_lineno or node.lineno, _methods(node))


def _parse(text: str, shown: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise CounterfoilError(
            f"does not parse as Python: {error}", place=shown, hint="mend it first"
        ) from error


def _base(node: ast.expr) -> str:
    """Return the last name of a base class, whatever it is subscripted with."""
    match node:
        case ast.Subscript(value=value):
            return _base(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _methods(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(
        item.name
        for item in node.body
        if isinstance(item, ast.AsyncFunctionDef) and not item.name.startswith("_")
    )


def shown_lines(gap: Gap) -> Mapping[str, str]:
    """Return the lines to add, by the tool that needs them."""
    return {each.tool: handler(each) for each in gap.missing}
