"""What a source does with modules, attributes, built-ins and texts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mcp_wrapper_scaffold.lint.finding import Finding
from mcp_wrapper_scaffold.lint.interpreter import ACCESSORS, HAZARDS, named_inside
from mcp_wrapper_scaffold.lint.listings import Listings
from mcp_wrapper_scaffold.lint.members import builtin_fault, member_fault, name_fault
from mcp_wrapper_scaffold.lint.modules import LIBRARY, refusal
from mcp_wrapper_scaffold.lint.naming import last_name, metaclass_fault, naming_fault
from mcp_wrapper_scaffold.lint.policy import Fault, Policy
from mcp_wrapper_scaffold.lint.references import Reference, from_module
from mcp_wrapper_scaffold.lint.rules import RULES
from mcp_wrapper_scaffold.lint.scopes import Scope, Scopes, begins, divided
from mcp_wrapper_scaffold.lint.settings import matches
from mcp_wrapper_scaffold.lint.sources import Source
from mcp_wrapper_scaffold.lint.texts import constants, folded, parsed

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SERVER = "create_wrapper_server"


@dataclass(frozen=True)
class Place:
    """Where a node stands.

    Attributes:
        scope: its scope.
        me: what the method around it calls its own object or class; empty outside of methods.
        in_class: whether it stands in the body of a class itself.
        in_function: whether it runs when a function is called.
    """

    scope: Scope
    me: str = ""
    in_class: bool = False
    in_function: bool = False


class Usage:
    """Judge one source.

    Args:
        source: the source.
        tree: its syntax tree.
        policy: what it may use.
    """

    def __init__(self, source: Source, tree: ast.Module, policy: Policy) -> None:
        self._source = source
        self._tree = tree
        self._policy = policy
        self._scopes = Scopes(source, tree)
        self._constants = constants(tree)
        self._listings = Listings(policy.surroundings)
        self._made: set[ast.expr] = set()  # names of what makes a server, where it is called
        self._found: set[Finding] = set()
        self.servers: list[Finding] = []
        """Where it takes what makes a server; a package may do so once."""

    def judge(self) -> set[Finding]:
        """Return what was found."""
        waiting: list[tuple[ast.AST, Place]] = [(self._tree, Place(self._scopes.module))]
        while waiting:
            node, place = waiting.pop()
            waiting += self._enter(node, place)
        return self._found

    def _enter(self, node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Place]]:
        """Judge a node; yield the parts that are to be judged next."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self._judge_import(node, place)
                return
            case ast.Expr(value=ast.Constant(value=str())):
                return  # a docstring, which nobody evaluates
            case ast.Attribute():
                yield from self._judge_attribute(node, place)
                return
            case ast.Name():
                self._judge_name(node, place)
            case ast.Call():
                yield from self._judge_call(node, place)
                return
            case ast.arg(annotation=ast.expr() as annotation):
                yield from self._judge_annotation(annotation, place)
                return
            case ast.AnnAssign(annotation=annotation, target=target, value=value):
                yield from self._judge_annotation(annotation, place)
                yield target, place
                if value is not None:
                    yield value, place
                return
            case _:
                self._judge_rest(node)
        yield from self._parts(node, place)

    def _judge_rest(self, node: ast.AST) -> None:
        match node:
            case ast.ClassDef():
                self._report_fault(node, metaclass_fault(node))
            case ast.MatchClass(kwd_attrs=names):
                for name in names:
                    self._judge_member(node, name)
            case ast.keyword(arg=str(name)) if name in HAZARDS:
                self._report(node, "MW114", f"{name}= lets a library read attributes by name")
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                for name in names:
                    self._report_fault(node, name_fault(name))
            case _:
                self._judge_text(node)

    def _parts(self, node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Place]]:
        """Yield the parts of a node, each with its place."""
        if not begins(node):
            for child in ast.iter_child_nodes(node):
                yield child, place
            return
        outside, inside = divided(node)
        returned = node.returns if isinstance(node, _METHODS) else None
        if returned is not None:
            yield from self._judge_annotation(returned, place)
        for child in outside:
            if child is not returned:
                yield child, place
        for child in inside:
            yield child, self._inner(node, place)

    def _inner(self, node: ast.AST, place: Place) -> Place:
        """Return the place of what stands inside a node that begins a scope."""
        scope = self._scopes.of(node) if begins(node) else place.scope
        if isinstance(node, ast.ClassDef):
            return replace(place, scope=scope, me="", in_class=True)
        inner = replace(place, scope=scope, in_class=False)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return inner
        given = [*node.args.posonlyargs, *node.args.args]
        if place.in_class and isinstance(node, _METHODS) and given and not _is_static(node):
            return replace(inner, me=given[0].arg, in_function=True)
        return replace(inner, me="" if place.me in scope.names else place.me, in_function=True)

    # Imports

    def _judge_import(self, node: ast.Import | ast.ImportFrom, place: Place) -> None:
        where = self._source.module
        if place.in_class:
            self._report(node, "MW117", "an import in a class makes a module an attribute of it")
        if isinstance(node, ast.Import):
            for alias in node.names:
                fault = self._policy.module(where, alias.name)
                top = alias.name.partition(".")[0]
                if fault is None and not alias.asname and self._policy.module(where, top):
                    message = f"`import {alias.name}` brings all of {top}"
                    hint = f"write `from {alias.name} import NAME`"
                    fault = Fault(refusal(top)[0], message, hint)
                self._report_fault(node, fault)
            return
        module = from_module(self._source, node)
        for alias in node.names:
            if alias.name == "*":
                self._report(node, "MW106", f"`from {module} import *` names nothing")
                continue
            own = self._policy.surroundings.is_own(module)
            self._report_fault(node, name_fault(alias.name) or name_fault(alias.asname or ""))
            if alias.name.startswith("_") and not alias.name.startswith("__") and not own:
                self._report(node, "MW115", f"{module}.{alias.name} is private")
            self._report_fault(node, self._policy.name(where, module, alias.name))

    # Names and attributes

    def _judge_name(self, node: ast.Name, place: Place) -> None:
        name = node.id
        self._report_fault(node, name_fault(name))
        if not isinstance(node.ctx, ast.Load):
            return
        if not place.scope.is_local(name):
            self._report_fault(node, builtin_fault(name))
        for reference in self._resolved(name, place):
            if not reference.name:
                if self._policy.module(self._source.module, reference.module) is None:
                    self._report(node, "MW117", f"the module {reference} is passed around")
            elif _makes_server(reference):
                self._note_server(node, reference.name)

    def _judge_attribute(
        self, node: ast.Attribute, place: Place
    ) -> Iterator[tuple[ast.AST, Place]]:
        """Judge a chain of attributes as a whole; yield what it begins with."""
        chain: list[ast.Attribute] = []
        first: ast.expr = node
        while isinstance(first, ast.Attribute):
            chain.insert(0, first)
            first = first.value
        references = self._resolved(first.id, place) if isinstance(first, ast.Name) else []
        for reference in references:
            self._judge_chain(node, reference, [each.attr for each in chain])
        is_own = self._policy.surroundings.is_own
        own = any(not each.name and is_own(each.module) for each in references)
        for each in chain:
            is_me = each.value is first and (_is_me(first, place) or own)
            self._judge_member(each, each.attr, is_me=is_me)
        is_module = any(not reference.name for reference in references)
        if is_module:
            return  # a module that stands in front of a dot is not passed around
        yield first, place

    def _judge_chain(self, node: ast.Attribute, reference: Reference, names: list[str]) -> None:
        where = self._source.module
        changed = not isinstance(node.ctx, ast.Load)
        if reference.name:
            if changed and not self._policy.surroundings.is_own(reference.module):
                self._report(node, "MW117", f"something of {reference} is changed")
            return
        if self._policy.module(where, reference.module) is not None:
            return  # its import has been reported
        fault, end = self._policy.chain(where, reference, names)
        if fault is not None:
            self._report_fault(node, fault)
        elif changed:
            self._report(node, "MW117", f"something of {reference} is changed")
        elif not end.name:
            self._report(node, "MW117", f"the module {end} is passed around")
        elif _makes_server(end):
            self._note_server(node, end.name)

    def _judge_member(self, node: ast.AST, name: str, *, is_me: bool = False) -> None:
        changed = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        self._report_fault(node, member_fault(name, changed=changed, is_me=is_me))

    # Calls

    def _judge_call(self, node: ast.Call, place: Place) -> Iterator[tuple[ast.AST, Place]]:
        self._judge_text(node)
        self._report_fault(node, naming_fault(node, self._is_constant))
        self._judge_making(node, place)
        match node.func:
            case ast.Name(id=name) if name in ACCESSORS and not place.scope.is_local(name):
                self._judge_accessor(node, name, place)
            case ast.Name(id=name):
                if self._is_entry(self._resolved(name, place)):
                    self._judge_entry(node, place)
                yield node.func, place
            case ast.Attribute(attr="AllowEntry"):
                self._judge_entry(node, place)
                yield node.func, place
            case _:
                yield node.func, place
        for child in (*node.args, *node.keywords):
            yield child, place

    def _judge_accessor(self, node: ast.Call, accessor: str, place: Place) -> None:
        """Judge ``getattr`` and its like as the attribute that they stand for."""
        given = node.args[:2]
        if len(given) < 2 or any(isinstance(each, ast.Starred) for each in given):
            self._report(
                node, "MW114", f"{accessor} is called with names that are not written here"
            )
            return
        target, name = given[0], folded(given[1])
        if name is None:
            if accessor != "hasattr":
                self._report(node, "MW114", f"{accessor} takes a name that is made at run time")
            return
        is_me = _is_me(target, place)
        self._judge_member(node, name, is_me=is_me)
        if accessor in ("delattr", "setattr") and not is_me:
            self._report(node, "MW117", f"{accessor} changes something else than the own object")

    def _is_entry(self, references: Iterable[Reference]) -> bool:
        return any(reference.name == "AllowEntry" for reference in references)

    def _judge_entry(self, node: ast.Call, place: Place) -> None:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if place.in_function:
            self._report(node, "MW118", "an entry of an allowlist is made inside a function")
        elif not all(self._is_constant(each) for each in given):
            self._report(node, "MW118", "an entry of an allowlist is not made of constants")

    def _is_constant(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) or (
            isinstance(node, ast.Name) and node.id in self._constants
        )

    def _judge_making(self, node: ast.Call, place: Place) -> None:
        """Judge the list of a call that makes a server."""
        match node.func:
            case ast.Name(id=name):
                makes = any(map(_makes_server, self._resolved(name, place)))
            case ast.Attribute(attr=name):
                makes = name == _SERVER
            case _:
                makes = False
        if makes:
            self._made.add(node.func)
            fault = self._listings.fault(node, self._source.module, place.scope.is_local)
            self._report_fault(node, Fault("MW118", fault) if fault else None)

    def _note_server(self, node: ast.expr, name: str) -> None:
        if node not in self._made:
            self._report(node, "MW118", f"{name} is passed around, and takes any list then")
        message = f"{name} makes another server, whose allowlist may be another"
        self.servers.append(self._finding(node, "MW118", message, RULES["MW118"].mend))

    # Texts

    def _judge_text(self, node: ast.AST) -> None:
        text = folded(node)
        inside = "" if text is None else named_inside(text)
        if inside:
            self._report(node, "MW116", f"a text names {inside}")

    def _judge_annotation(
        self, annotation: ast.AST, place: Place
    ) -> Iterator[tuple[ast.AST, Place]]:
        """Judge an annotation with the texts in it, which libraries evaluate."""
        waiting = [annotation]
        while waiting:
            node = waiting.pop()
            match node:
                case ast.Constant(value=str(text)):
                    inner = parsed(text, node)
                    waiting += [inner] if inner is not None else []
                case ast.Subscript(value=base, slice=inner) if last_name(base) == "Literal":
                    yield base, place
                    yield inner, place
                case ast.Subscript(value=base, slice=ast.Tuple(elts=[kind, *rest])) if (
                    last_name(base) == "Annotated"
                ):
                    yield base, place
                    waiting.append(kind)
                    for each in rest:
                        yield each, place
                case ast.Name() | ast.Attribute():
                    yield node, place
                case ast.JoinedStr() | ast.Call() | ast.NamedExpr() | ast.Lambda():
                    self._report(node, "MW116", "an annotation is worked out at run time")
                    yield node, place
                case ast.BinOp(op=op) if not isinstance(op, ast.BitOr):
                    self._report(node, "MW116", "an annotation is worked out at run time")
                    yield node, place
                case _:
                    waiting += ast.iter_child_nodes(node)

    # Reports

    def _resolved(self, name: str, place: Place) -> list[Reference]:
        surroundings = self._policy.surroundings
        return [
            surroundings.resolve(each.module, each.name) if each.name else each
            for each in place.scope.lookup(name)
        ]

    def _report_fault(self, node: ast.AST, fault: Fault | None) -> None:
        if fault is not None:
            self._report(node, fault.code, fault.message, fault.hint)

    def _report(self, node: ast.AST, code: str, message: str, hint: str = "") -> None:
        if not self._policy.settings.permit("codes", code, self._source.module):
            self._found.add(self._finding(node, code, message, hint or RULES[code].mend))

    def _finding(self, node: ast.AST, code: str, message: str, hint: str) -> Finding:
        line: int = getattr(node, "lineno", 1)
        column: int = getattr(node, "col_offset", 0) + 1
        return Finding(self._source.path, line, column, code, message, hint)


def _makes_server(reference: Reference) -> bool:
    return reference.name == _SERVER and matches(f"{LIBRARY}.*", reference.module)


def _is_me(node: ast.expr, place: Place) -> bool:
    match node:
        case ast.Name(id=name):
            return bool(place.me) and name == place.me
        case ast.Call(func=ast.Name(id="super"), args=[], keywords=[]):
            return True
        case _:
            return False


def _is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(last_name(each) == "staticmethod" for each in node.decorator_list)
