"""Calls and classes that take names of attributes as values, beside ``getattr`` and its like."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mcp_wrapper_scaffold.lint.policy import Fault
from mcp_wrapper_scaffold.lint.texts import folded

# What a class with a list of names of its own is made by; the first argument is its own name.
_TUPLES = frozenset({"NamedTuple", "namedtuple"})
_METACLASSES = frozenset({"ABCMeta", "EnumMeta", "EnumType", "type"})
_FORMATS = frozenset({"format", "format_map"})


def last_name(node: ast.expr) -> str:
    """Return what a name or a chain of attributes ends in; nothing for any other expression."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def naming_fault(node: ast.Call, is_constant: Callable[[ast.expr], bool]) -> Fault | None:
    """Return why a call reads, copies or makes attributes whose names are not in the source.

    Callees are known by their last name: nobody else's function needs one of these.

    Args:
        node: the call.
        is_constant: says whether an expression is a text that is written in the source.
    """
    name = last_name(node.func)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in _METACLASSES and (len(given) != 1 or isinstance(given[0], ast.Starred)):
        return Fault("MW114", f"{name} makes a class of what is put together at run time")
    if name == "wraps" and (len(node.args) > 1 or any(not each.arg for each in node.keywords)):
        return Fault("MW114", "wraps copies attributes by names that it is given")
    if name in _TUPLES and not all(_is_written(each) for each in given):
        return Fault("MW114", f"{name} makes attributes by names that are put together at run time")
    if isinstance(node.func, ast.Attribute) and name in _FORMATS:
        text = node.func.value
        if folded(text) is None and not is_constant(text):
            return Fault("MW114", f"{name} reads attributes that a text names at run time")
    return None


def metaclass_fault(node: ast.ClassDef) -> Fault | None:
    """Return why a class decides by itself what it is and what is of its kind."""
    if any(last_name(base) in _METACLASSES for base in node.bases):
        return Fault("MW114", "a metaclass makes classes of what is put together at run time")
    return None


def _is_written(node: ast.expr) -> bool:
    """Say whether a list of fields is in the source; types and defaults stand beside names."""
    if not isinstance(node, ast.List | ast.Tuple):
        return folded(node) is not None or isinstance(node, ast.Constant)
    names = [
        each.elts[0] if isinstance(each, ast.Tuple) and each.elts else each for each in node.elts
    ]
    return all(folded(each) is not None for each in names)
