"""Which imports a name may mean at its place, by Python's rules of scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeGuard

from mcp_wrapper_scaffold.lint.references import Reference, imported
from mcp_wrapper_scaffold.lint.sources import Source

Kind: TypeAlias = Literal["module", "function", "class", "comprehension"]
Beginning: TypeAlias = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.Lambda
    | ast.ClassDef
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)


@dataclass
class Scope:
    """What one module, function, class or comprehension binds.

    Attributes:
        kind: which of them it is.
        outer: the scope around it; None for a module.
        names: what it binds, by any statement but imports.
        references: what its imports bind; of several imports of one name, all.
        elsewhere: names that it says are bound by a scope around it.
    """

    kind: Kind
    outer: Scope | None = None
    names: set[str] = field(default_factory=set[str])
    references: dict[str, list[Reference]] = field(default_factory=dict[str, list[Reference]])
    elsewhere: set[str] = field(default_factory=set[str])

    def lookup(self, name: str) -> list[Reference]:
        """Return the imports that a name may mean here; none for anything else.

        What a class binds hides nothing: its body reads the outer name until then, and its
        methods always do.
        """
        scope: Scope | None = self
        while scope is not None:
            if name not in scope.elsewhere:
                if name in scope.references:
                    return scope.references[name]
                if name in scope.names and scope.kind != "class":
                    return []
            scope = scope.outer
        return []

    def is_local(self, name: str) -> bool:
        """Say whether a name is bound in a function, where it is never the built-in."""
        scope: Scope | None = self
        while scope is not None:
            is_bound = name in scope.names or name in scope.references
            is_function = scope.kind in ("function", "comprehension")
            if is_function and is_bound and name not in scope.elsewhere:
                return True
            scope = scope.outer
        return False


class Scopes:
    """The scopes of a source, by the node that begins each."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self._source = source
        self.module = Scope("module")
        self._scopes: dict[ast.AST, Scope] = {}
        waiting: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        while waiting:
            node, scope = waiting.pop()
            waiting += self._enter(node, scope)

    def of(self, node: Beginning) -> Scope:
        """Return the scope that a node begins."""
        return self._scopes[node]

    def _enter(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """Bind what a node binds; yield its children with their scopes."""
        self._bind(node, scope)
        if not begins(node):
            for child in ast.iter_child_nodes(node):
                yield child, scope
            return
        inner = Scope(_kind(node), scope, set(_own_names(node)))
        self._scopes[node] = inner
        outside, inside = divided(node)
        for child in outside:
            yield child, scope
        for child in inside:
            yield child, inner

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                for name, reference in imported(self._source, node):
                    self._home(name, scope).references.setdefault(name, []).append(reference)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                scope.elsewhere.update(names)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                scope.names.add(name)
            case ast.ClassDef(name=name):
                scope.names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                _binding_scope(scope, name).names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                scope.names.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                scope.names.add(name)
            case _:
                pass

    def _home(self, name: str, scope: Scope) -> Scope:
        """Return the scope that an import binds a name in, after ``global`` and ``nonlocal``."""
        home: Scope | None = scope
        while home is not None and name in home.elsewhere:
            home = home.outer
        return home or self.module


def begins(node: ast.AST) -> TypeGuard[Beginning]:
    """Say whether a node begins a scope."""
    return isinstance(node, Beginning)


def divided(node: Beginning) -> tuple[list[ast.AST], list[ast.AST]]:
    """Return the parts of a node that belong to the scope around it, and those inside.

    Decorators, defaults, annotations and base classes, and what a comprehension first goes
    through, are evaluated outside.
    """
    children = list(ast.iter_child_nodes(node))
    inside: list[ast.AST]
    match node:
        case ast.Lambda(body=body):
            inside = [body]
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            inside = list(body)
        case ast.ClassDef(body=body):
            inside = list(body)
        case ast.DictComp() | ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            first = node.generators[0]
            inside = [child for child in children if child is not first]
            return [first.iter], [first.target, *first.ifs, *inside]
    kept = {id(child) for child in inside}
    return [child for child in children if id(child) not in kept], inside


def _kind(node: Beginning) -> Kind:
    if isinstance(node, ast.ClassDef):
        return "class"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return "function"
    return "comprehension"


def _own_names(node: Beginning) -> Iterator[str]:
    """Yield parameters, or the targets of a comprehension."""
    if isinstance(node, ast.ClassDef):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = node.args
        rest = [each for each in (given.vararg, given.kwarg) if each is not None]
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest):
            yield argument.arg
        return
    for generator in node.generators:
        for inner in ast.walk(generator.target):
            if isinstance(inner, ast.Name):
                yield inner.id


def _binding_scope(scope: Scope, name: str) -> Scope:
    """Return where a name is bound: `:=` in a comprehension binds in the function around it."""
    while scope.kind == "comprehension" and name not in scope.names and scope.outer is not None:
        scope = scope.outer
    return scope
