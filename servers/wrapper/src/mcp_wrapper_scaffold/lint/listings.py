"""Whether the list that a server is made with is written out where a reviewer reads it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from mcp_wrapper_scaffold.lint.references import Reference, Surroundings
from mcp_wrapper_scaffold.lint.texts import top_values

_ENTRY: Final = "AllowEntry"
_DEPTH: Final = 4  # names that stand for one another

IsLocal = Callable[[str], bool]


class Listings:
    """Look allowlists up.

    Args:
        surroundings: the modules that there are.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings

    def fault(self, node: ast.Call, module: str, is_local: IsLocal) -> str:
        """Return what is wrong with the list of a call that makes a server; nothing for a good one.

        Args:
            node: the call.
            module: in which it stands.
            is_local: says of a name whether a function around the call binds it, to anything.
        """
        given = [each.value for each in node.keywords if each.arg == "allowlist"]
        if len(given) != 1:
            return "a server is made without allowlist=, which may come from anywhere"
        if isinstance(given[0], ast.List) and self._holds_entries(given[0], module, is_local):
            return ""  # nobody else has this list
        if self._is_written(given[0], module, is_local, _DEPTH):
            return ""
        return "the allowlist is no tuple of AllowEntry(...) at the top of a module"

    def _is_written(self, node: ast.expr, module: str, is_local: IsLocal, depth: int) -> bool:
        match node:
            case ast.Tuple():
                return self._holds_entries(node, module, is_local)
            case ast.Name(id=name) if not is_local(name):
                return self._stands_for_list(self._surroundings.resolve(module, name), depth)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if not is_local(name):
                holder = self._surroundings.resolve(module, name)
                if holder.name:
                    return False
                found = self._surroundings.resolve(holder.module, attribute)
                return self._stands_for_list(found, depth)
            case _:
                return False

    def _stands_for_list(self, found: Reference, depth: int) -> bool:
        if not self._surroundings.is_own(found.module):
            return True  # of a package, whose import was judged
        value = self._value(found)
        return (
            value is not None
            and depth > 0
            and self._is_written(value, found.module, _is_never_local, depth - 1)
        )

    def _holds_entries(self, node: ast.List | ast.Tuple, module: str, is_local: IsLocal) -> bool:
        return all(self._is_entry(each, module, is_local) for each in node.elts)

    def _is_entry(self, node: ast.expr, module: str, is_local: IsLocal) -> bool:
        match node:
            case ast.Call(func=ast.Name(id=name)):
                return self._surroundings.resolve(module, name).name == _ENTRY
            case ast.Call(func=ast.Attribute(attr=name)):
                return name == _ENTRY
            case ast.Name(id=name) if not is_local(name):
                found = self._surroundings.resolve(module, name)
                value = self._value(found)
                return isinstance(value, ast.Call) and self._is_entry(value, found.module, is_local)
            case _:
                return False

    def _value(self, found: Reference) -> ast.expr | None:
        """Return what a name of an own module is bound to, once and at its top."""
        source = self._surroundings.source(found.module)
        tree = None if source is None else source.parse()
        return top_values(tree).get(found.name) if isinstance(tree, ast.Module) else None


def _is_never_local(name: str) -> bool:
    return False  # at the top of a module
