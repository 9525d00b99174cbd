"""Texts that a source puts together from constants."""

from __future__ import annotations

import ast
from collections import Counter

_LONGEST = 100_000  # characters; longer ones are nobody's attribute


def folded(node: ast.AST) -> str | None:
    """Return the text that an expression makes from constants alone; None for any other.

    Sums, products, f-strings, ``join``, ``replace`` and slices are worked out.
    """
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(raw)):
            return raw.decode("latin-1")
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _joined("", [left, right])
        case ast.JoinedStr(values=values):
            return _joined("", values)
        case ast.FormattedValue(value=value, format_spec=None):
            return folded(value)
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=arguments, keywords=[]):
            return _called(value, method, arguments)
        case ast.Subscript(value=value, slice=ast.Slice() as part):
            return _sliced(value, part)
        case _:
            return None


def constants(tree: ast.Module) -> dict[str, str]:
    """Return the texts that a module gives a name at its top, and never another value."""
    texts = {name: folded(value) for name, value in top_values(tree).items()}
    return {name: text for name, text in texts.items() if text is not None}


def top_values(tree: ast.Module) -> dict[str, ast.expr]:
    """Return what a module gives a name at its top, of names that it gives no other value."""
    stores = Counter(name for node in ast.walk(tree) for name in _bound(node))
    found: dict[str, ast.expr] = {}
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if stores[name] == 1:
                    found[name] = value
            case _:
                pass
    return found


def parsed(text: str, at: ast.expr) -> ast.expr | None:
    """Return the expression that a text in an annotation is evaluated as, at the text's place."""
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it cannot be evaluated either
    for node in ast.walk(found):
        ast.copy_location(node, at)
    return found


def _bound(node: ast.AST) -> list[str]:
    """Return the names that a node gives a value to, or takes it from."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=None):
            return [name.partition(".")[0]]
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case _:
            return []


def _joined(separator: str, nodes: list[ast.expr]) -> str | None:
    parts: list[str] = []
    for node in nodes:
        part = folded(node)
        if part is None:
            return None
        parts.append(part)
    text = separator.join(parts)
    return text if len(text) <= _LONGEST else None


def _called(value: ast.expr, method: str, arguments: list[ast.expr]) -> str | None:
    text = folded(value)
    if text is None:
        return None
    match method, arguments:
        case "join", [ast.List(elts=parts) | ast.Tuple(elts=parts)]:
            return _joined(text, parts)
        case "join", [single]:
            whole = folded(single)
            return None if whole is None else text.join(whole)
        case "replace", [old, new]:
            before, after = folded(old), folded(new)
            return None if before is None or after is None else text.replace(before, after)
        case (("lower" | "casefold" | "strip" | "swapcase" | "decode" | "encode"), []):
            return text.strip() if method == "strip" else text.lower()
        case _:
            return None


def _sliced(value: ast.expr, part: ast.Slice) -> str | None:
    text = folded(value)
    if text is None:
        return None
    bounds: list[int | None] = []
    for bound in (part.lower, part.upper, part.step):
        try:
            number: object = None if bound is None else ast.literal_eval(bound)
        except ValueError:
            return None
        if number is not None and not isinstance(number, int):
            return None
        bounds.append(number)
    return None if bounds[2] == 0 else text[slice(*bounds)]
