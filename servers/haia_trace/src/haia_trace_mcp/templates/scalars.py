"""What a scalar of YAML is: by the core schema of YAML 1.2, or by the rules of YAML 1.1.

The second are there for documents with the directive ``%YAML 1.1``, which the original obeys. Dates
and binary data become empty mappings: nothing that a template holds may be one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from typing import Final, TypeAlias

Node: TypeAlias = "bool | float | str | list[Node] | dict[str, Node] | None"

TAG: Final = "tag:yaml.org,2002:"

_DATE: Final = (
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:t|T|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}"
    r"(?:\.[0-9]+)?(?:[ \t]*(?:Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?"
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A spelling, the tag of what is spelt so, and its value."""

    tag: str
    pattern: re.Pattern[str]
    value: Callable[[str], Node]


def _rule(tag: str, pattern: str, value: Callable[[str], Node]) -> _Rule:
    return _Rule(TAG + tag, re.compile(pattern), value)


def _whole(base: int) -> Callable[[str], float]:
    """Return a reader of integers, whose sign may come before a prefix such as ``0x``."""

    def read(text: str) -> float:
        sign = -1 if text.startswith("-") else 1
        digits = text.lstrip("+-").replace("_", "")
        try:
            return float(sign * int(digits.removeprefix(_PREFIXES.get(base, "")) or "0", base))
        except (OverflowError, ValueError):  # ValueError: more digits than int reads
            return float(digits) * sign if base == 10 else inf * sign

    return read


_PREFIXES: Final = {2: "0b", 16: "0x"}


def _fraction(text: str) -> float:
    try:
        return float(text.replace("_", ""))
    except ValueError:  # a lone point, which is a number of YAML 1.1 without a value
        return nan


def _sexagesimal(text: str) -> float:
    sign = -1 if text.startswith("-") else 1
    total = 0.0
    for part in text.lstrip("+-").replace("_", "").split(":"):
        total = total * 60 + float(part)
    return sign * total


def _infinity(text: str) -> float:
    return -inf if text.startswith("-") else inf


Rules: TypeAlias = tuple[_Rule, ...]

CORE: Final[Rules] = (
    _rule("null", r"~|[Nn]ull|NULL|", lambda _: None),
    _rule("bool", r"[Tt]rue|TRUE", lambda _: True),
    _rule("bool", r"[Ff]alse|FALSE", lambda _: False),
    _rule("int", r"0o[0-7]+", lambda text: _whole(8)(text.replace("o", ""))),
    _rule("int", r"[-+]?[0-9]+", _whole(10)),
    _rule("int", r"0x[0-9a-fA-F]+", _whole(16)),
    _rule("float", r"[-+]?\.(?:inf|Inf|INF)", _infinity),
    _rule("float", r"\.(?:nan|NaN|NAN)", lambda _: nan),
    _rule("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+", _fraction),
    _rule("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)", _fraction),
)

OLD: Final[Rules] = (
    _rule("null", r"~|[Nn]ull|NULL|", lambda _: None),
    _rule("bool", r"[Yy]|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON", lambda _: True),
    _rule("bool", r"[Nn]|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF", lambda _: False),
    _rule("int", r"[-+]?0b[0-1_]+", _whole(2)),
    _rule("int", r"[-+]?0[0-7_]+", _whole(8)),
    _rule("int", r"[-+]?[0-9][0-9_]*", _whole(10)),
    _rule("int", r"[-+]?0x[0-9a-fA-F_]+", _whole(16)),
    _rule("float", r"[-+]?\.(?:inf|Inf|INF)", _infinity),
    _rule("float", r"\.(?:nan|NaN|NAN)", lambda _: nan),
    _rule("float", r"[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+", _fraction),
    _rule("float", r"[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*", _fraction),
    _rule("int", r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+", _sexagesimal),
    _rule("float", r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*", _sexagesimal),
    _rule("timestamp", _DATE, lambda _: {}),
)

_ELSEWHERE: Final = (
    _rule("timestamp", _DATE, lambda _: {}),
    _rule("binary", r"[\s\S]*", lambda _: {}),
)


def read_scalar(text: str, tag: str | None, is_plain: bool, rules: Rules) -> Node:
    """Return the value of a scalar; an unknown tag, or one that does not fit, leaves the text."""
    if tag is None and not is_plain:
        return text
    for rule in rules if tag is None else (*rules, *_ELSEWHERE):
        if tag in (None, rule.tag) and rule.pattern.fullmatch(text):
            return rule.value(text)
    return text
