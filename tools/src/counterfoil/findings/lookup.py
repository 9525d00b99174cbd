"""Find rules by what people have at hand: a code, a part of one, a pasted line, words."""

from __future__ import annotations

import difflib
import re

from counterfoil.findings.rule import Rule
from counterfoil.findings.rules import RULES

_CODE = re.compile(r"(?<![A-Z0-9])CF[0-9]+(?![A-Z0-9])")
_PART = re.compile(r"(?:CF)?(?P<digits>[0-9]{1,3})X*")


def find_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules that a text means, in the order in which it names them.

    Args:
        text: codes in upper or lower case, alone or within a pasted finding; the beginning of
            a code (``cf10``, ``4``, ``CF3xx``); or words of a title.

    Returns:
        Nothing when the text means no rule. A code that is none is passed over when others are.
    """
    upper = text.strip().upper()
    named = [code for code in dict.fromkeys(_CODE.findall(upper)) if code in RULES]
    if named:
        return tuple(RULES[code] for code in named)
    part = _PART.fullmatch(upper)
    if part is not None:
        return tuple(rule for code, rule in RULES.items() if code.startswith(f"CF{part['digits']}"))
    words = upper.split()
    return tuple(
        rule
        for rule in RULES.values()
        if words and all(word in rule.title.upper() for word in words)
    )


def near_codes(text: str) -> list[str]:
    """Return up to three codes that look like a text, the likeliest first."""
    return difflib.get_close_matches(text.strip().upper(), RULES, n=3, cutoff=0.5)
