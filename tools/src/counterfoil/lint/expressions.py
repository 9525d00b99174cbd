"""The patterns of schemas and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from counterfoil.contract.excerpts import bounded
from counterfoil.contract.model import Contract, Part
from counterfoil.contract.report import Report
from counterfoil.contract.source import escape
from counterfoil.contract.values import items, members
from counterfoil.lint.survey import Place
from counterfoil.schema.backtracking import ambiguous, crowded
from counterfoil.schema.patterns import Pattern, PatternError, Problem, parse
from counterfoil.schema.segments import judge_segment, judge_whole
from counterfoil.schema.sentences import shown

# Four neighbouring loops try some hundred million ways over so many characters: seconds.
_SHORT = 256


def judge_patterns(contract: Contract, places: tuple[Place, ...], report: Report) -> None:
    """Report patterns that engines do not read, read differently, or that let too much through."""
    for place in places:
        for node in place.nodes:
            pattern = node.data.get("pattern")
            if isinstance(pattern, str):
                _read(pattern, f"{node.pointer}/pattern", report, _is_short(node.data))
            short = _is_short(members(node.data.get("propertyNames")))
            for name in members(node.data.get("patternProperties")):
                _read(name, f"{node.pointer}/patternProperties/{escape(name)}", report, short)
    for server in contract.servers:
        for route in server.parts("routes"):
            _judge_parameters(route, "pathParams", _judge_path_parameter, report)
            _judge_parameters(route, "queryParams", _judge_query_parameter, report)


def _judge_parameters(
    route: Part, kind: str, judge: Callable[[Pattern, str, Report], None], report: Report
) -> None:
    for index, parameter in enumerate(items(route.data.get(kind))):
        pointer = f"{route.pointer}/{kind}/{index}/pattern"
        pattern = _read(parameter["pattern"], pointer, report)
        if pattern is not None:
            judge(pattern, pointer, report)


def _judge_path_parameter(pattern: Pattern, pointer: str, report: Report) -> None:
    _add("CF142", judge_whole(pattern), pointer, report)
    _add("CF143", judge_segment(pattern), pointer, report)


def _judge_query_parameter(pattern: Pattern, pointer: str, report: Report) -> None:
    _add("CF142", judge_whole(pattern), pointer, report)


def _is_short(schema: dict[str, Any]) -> bool:
    """Say whether a schema lets no text through over which a power of its length matters."""
    longest = schema.get("maxLength")
    return isinstance(longest, int | float) and longest <= _SHORT


def _read(source: str, pointer: str, report: Report, short: bool = False) -> Pattern | None:
    try:
        pattern = parse(source)
    except PatternError as error:
        message = f"{shown(source)} is no regular expression: {error}"
        report.add("CF140", pointer, message)
        return None
    _add("CF141", pattern.problems, pointer, report)
    text = ambiguous(pattern)
    if text is not None:
        message = f"a loop of {shown(source)} can divide {shown(text)} in two ways"
        report.add("CF144", pointer, message)
        return pattern
    text = None if short else crowded(pattern)
    if text is not None:
        message = f"neighbouring loops of {shown(source)} can both read {shown(text)}"
        hint = f"put what neither reads between them, or a maxLength of at most {_SHORT} beside it"
        report.add("CF144", pointer, message, hint)
    return pattern


def _add(code: str, problems: Iterable[Problem], pointer: str, report: Report) -> None:
    for problem in problems:
        report.add(code, pointer, bounded(problem.message), problem.hint)
