"""Type expressions of TypeScript, put together so that operators keep their meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from counterfoil.contract.values import items, members

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_WIDTH = 88


@dataclass(frozen=True)
class Expression:
    """A type as text.

    Attributes:
        text: may have several lines; the first is not indented.
        operator: the operator at its top, ``"|"``, ``"&"`` or none.
        members: the members of a union.
    """

    text: str
    operator: str = ""
    members: tuple[Expression, ...] = ()


UNKNOWN = Expression("unknown")
NEVER = Expression("never")
UNDEFINED = Expression("undefined")


def union(given: Iterable[Expression]) -> Expression:
    """Return a type that any of the given ones fits."""
    flat = (each for one in given for each in one.members or (one,))
    chosen = tuple(dict.fromkeys(each for each in flat if each != NEVER))
    if UNKNOWN in chosen:
        return UNKNOWN
    if len(chosen) < 2:
        return chosen[0] if chosen else NEVER
    text = " | ".join(each.text for each in chosen)
    if len(text) > _WIDTH and "\n" not in text:
        text = "".join(f"\n  | {each.text}" for each in chosen)
    return Expression(text, "|", chosen)


def intersection(given: Iterable[Expression]) -> Expression:
    """Return a type that all given ones must fit."""
    chosen = tuple(dict.fromkeys(each for each in given if each != UNKNOWN))
    if NEVER in chosen:
        return NEVER
    if len(chosen) < 2:
        return chosen[0] if chosen else UNKNOWN
    return Expression(" & ".join(_operand(each, "|") for each in chosen), "&")


def array(item: Expression) -> Expression:
    """Return the type of a list. The suffix form cannot be shadowed by a type named Array."""
    return Expression(f"{_operand(item, '|&')}[]")


def _operand(member: Expression, weaker: str) -> str:
    return f"({member.text})" if member.operator and member.operator in weaker else member.text


def after(start: str, expression: Expression) -> str:
    """Return a type behind ``:`` or ``=``; a type that begins on a line of its own stays there."""
    between = "" if expression.text.startswith("\n") else " "
    return f"{start}{between}{expression.text};"


def indented(text: str) -> str:
    """Indent every line but the first. No literal of this module spans lines."""
    return text.replace("\n", "\n  ")


def quoted(text: str) -> str:
    """Return a string literal that is safe in code, in JSON and inside an HTML script element."""
    return json.dumps(text).replace("<", "\\u003c")


def key(name: str) -> str:
    """Return a property name, quoted where the language asks for it."""
    return name if _IDENTIFIER.fullmatch(name) else quoted(name)


def literal(value: Any) -> Expression:
    """Return the type of exactly one JSON value."""
    if isinstance(value, str):
        return Expression(quoted(value))
    if isinstance(value, dict):
        held = [f"{key(name)}: {literal(each).text}" for name, each in members(value).items()]
        return Expression(f"{{ {'; '.join(held or ['[key: string]: never'])} }}")
    if isinstance(value, list):
        return Expression(f"[{', '.join(literal(each).text for each in items(value))}]")
    return Expression(json.dumps(value))
