"""What a path parameter's pattern may let through."""

from __future__ import annotations

import re

import pytest

from counterfoil.schema.patterns import parse, translate
from counterfoil.schema.segments import anchored, judge_segment, judge_whole

SAFE = (
    "^[1-9][0-9]{0,9}$",
    "^(?:native|0x[0-9a-f]{40})$",
    "^(native|0x[0-9a-f]{40})$",
    "^native$|^0x[0-9a-f]{40}$",
    "^([1-9][0-9]{0,9}|bitcoin|bitcoin-testnet)$",
    "^[a-z0-9-]{1,64}$",
    "^[A-Za-z0-9_.-]*[A-Za-z0-9]$",
    "^(?:(?:a|b)+)$",
    r"^[^/\\\x00-\x1F\x7F-\x9F.]+$",
    "^(^a$)+$",
    "(?:^a|^b)c(?:d$|e$)",
    "^[à-ü]+$",
)
OPEN = (
    "",
    "[0-9]+",
    "^[0-9]+",
    "[0-9]+$",
    "^native|0x[0-9a-f]{40}$",
    "^a|b$",
    "^(?:a|b$)",
    "(?:^a)?b$",
    "(?:^|x)a$",
    "^a$|",
    "^a(?:$)*",
    r"\^a$",
    "^a[$]",
)
UNSAFE = (
    ("^[a-z]*$", "dot-segment", ""),
    ("^$", "dot-segment", ""),
    ("^[.]$", "dot-segment", "."),
    ("^[a-z0-9.]+$", "dot-segment", "."),
    (r"^\.{2}$", "dot-segment", ".."),
    (r"^[^/\\\x00-\x1F\x7F-\x9F]+$", "dot-segment", ".."),
    ("^a[/]b$", "separator", "a/b"),
    (r"^a\/b$", "separator", "a/b"),
    ("^[+-9]x$", "separator", "/x"),
    ("^[^?#]x$", "separator", "/x"),
    (r"^[^/]x$", "separator", "\\x"),
    (r"^a\\b$", "separator", "a\\b"),
    (r"^a\tb$", "control", "a\tb"),
    (r"^[^/\\]x$", "control", "\nx"),
    (r"^[^/\\\x00-\x1F]x$", "control", "\x7fx"),
    ("^(?:a|b/)c$", "separator", "b/c"),
    (r"^\sx$", "control", "\nx"),
)


@pytest.mark.parametrize("pattern", SAFE)
def test_a_safe_pattern_passes(pattern: str) -> None:
    assert anchored(parse(pattern))
    assert [*judge_whole(parse(pattern)), *judge_segment(parse(pattern))] == []


@pytest.mark.parametrize("pattern", OPEN)
def test_a_pattern_that_is_not_anchored_in_every_alternative_is_reported(pattern: str) -> None:
    assert not anchored(parse(pattern))
    assert [problem.code for problem in judge_whole(parse(pattern))] == ["unanchored"]


@pytest.mark.parametrize(("pattern", "code", "text"), UNSAFE)
def test_a_pattern_that_lets_a_path_change_is_reported(pattern: str, code: str, text: str) -> None:
    assert re.search(translate(pattern), text), "the example is none"
    assert code in {problem.code for problem in judge_segment(parse(pattern))}


@pytest.mark.parametrize("pattern", [r"^\p{L}$", r"^(?!x)a$", r"^(a)\1$"])
def test_a_pattern_whose_characters_are_not_known_is_not_called_safe(pattern: str) -> None:
    assert "unproven" in {problem.code for problem in judge_segment(parse(pattern))}
