"""Texts that a source puts together from constants."""

from __future__ import annotations

import ast

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
