"""Whether every value of an argument is allowed where a path parameter stands."""

from __future__ import annotations

import math
import re
from typing import Any

from counterfoil.contract.report import Report
from counterfoil.contract.values import items, members, text
from counterfoil.schema.containment import (
    ANYTHING,
    Language,
    Set,
    Unmodelled,
    both,
    counterexample,
    language,
    loop,
)
from counterfoil.schema.decimals import decimals
from counterfoil.schema.expressions import LAST
from counterfoil.schema.patterns import PatternError, parse, translate
from counterfoil.schema.refs import DanglingReference, follow
from counterfoil.schema.sentences import shown

_ANY = Set(((0, LAST),))


def judge_argument(schema: Any, root: Any, pattern: str, pointer: str, report: Report) -> None:
    """Report an argument that is not proven to fit a path parameter's pattern (CF158).

    Args:
        schema: the argument's schema.
        root: where its references lead.
        pattern: the parameter's; one that cannot be read has a finding of its own.
        pointer: the argument's place in the contract.
    """
    try:
        parse(pattern)
    except PatternError:
        return
    doubt = _doubt(schema, root, pattern, frozenset())
    if doubt:
        report.add("CF158", pointer, f"{doubt}, and goes into a path parameter {shown(pattern)}")


def _doubt(schema: Any, root: Any, pattern: str, seen: frozenset[str]) -> str:
    """Return why a schema is not proven to fit, as a clause, or ``""`` when it is."""
    data = members(schema)
    if "const" in data:
        return _listed([data["const"]], pattern)
    if "enum" in data:
        return _listed(items(data["enum"]), pattern)
    # One part of an allOf that fits is enough; every part of an alternative has to.
    doubts = [_doubt(each, root, pattern, seen) for each in items(data.get("allOf"))]
    reference = text(data.get("$ref"))
    if reference and reference not in seen:
        target = _target(root, reference)
        doubts.append(_doubt(target, root, pattern, seen | {reference}))
    for key in ("anyOf", "oneOf"):
        if key in data:
            inner = [_doubt(each, root, pattern, seen) for each in items(data[key])]
            doubts.append(next(filter(None, inner), ""))
    if not all(doubts):
        return ""
    if "type" in data or not doubts:
        return _typed(data, pattern)
    return doubts[0]


def _typed(data: dict[str, Any], pattern: str) -> str:
    kinds = data.get("type")
    for kind in [kinds] if isinstance(kinds, str) else items(kinds):
        if kind not in ("integer", "string"):
            return f"argument can be of type {kind}"
        doubt = _contained(data, kind, pattern)
        if doubt:
            return doubt
    return "" if kinds else "argument has no type"


def _listed(values: list[Any], pattern: str) -> str:
    try:
        source = translate(pattern)
    except PatternError:
        return "argument cannot be compared with the pattern"
    for value in values:
        plain = isinstance(value, str | int) and not isinstance(value, bool)
        if not plain or not re.search(source, str(value)):
            return f"argument can be {shown(value)}"
    return ""


def _contained(data: dict[str, Any], kind: str, pattern: str) -> str:
    if kind == "string" and data.get("pattern") == pattern:
        return ""
    try:
        inner = _integers(data) if kind == "integer" else _strings(data)
        example = counterexample(inner, language(parse(pattern)))
    except (PatternError, Unmodelled) as error:
        return f"argument is not known to fit ({error})"
    return "" if example is None else f"argument can be {shown(example)}"


def _strings(data: dict[str, Any]) -> Language:
    own = text(data.get("pattern"))
    top = data.get("maxLength")
    low, high = int(data.get("minLength", 0)), None if top is None else int(top)
    lengths = ANYTHING if (low, high) == (0, None) else loop(_ANY, low, high)
    return both(language(parse(own)), lengths) if own else lengths


def _integers(data: dict[str, Any]) -> Language:
    """Return the decimal forms of the integers within the bounds.

    Raises:
        Unmodelled: the integers can be negative.
    """
    lows = [_ceiling(data["minimum"])] if "minimum" in data else []
    if "exclusiveMinimum" in data:
        lows.append(math.floor(data["exclusiveMinimum"]) + 1)
    highs = [math.floor(data["maximum"])] if "maximum" in data else []
    if "exclusiveMaximum" in data:
        highs.append(_ceiling(data["exclusiveMaximum"]) - 1)
    if max(lows, default=-1) < 0:
        raise Unmodelled("it has no minimum of 0 or more")
    return decimals(max(lows), min(highs, default=None))


def _ceiling(bound: float) -> int:
    return math.ceil(bound)


def _target(root: Any, reference: str) -> Any:
    try:
        return follow(root, reference)
    except DanglingReference:
        return {}
