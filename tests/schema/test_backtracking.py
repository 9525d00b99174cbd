"""Patterns over which an engine that backtracks can take exponential time."""

from __future__ import annotations

import itertools
import re

import pytest

from counterfoil.schema.backtracking import ambiguous, crowded
from counterfoil.schema.patterns import parse, translate

EXPLOSIVE = (
    "^(a+)+$",
    "^(a*)*$",
    "(a+)+b",
    "^(a|a)*$",
    "^(a|ab|b)*$",
    "^(a?a?)*$",
    "^(?:[0-9]+,?)+$",
    "^(x+x+)+y$",
    "^(a{2,3}){20}$",
    "^(?: *a *)*$",
    "^(?:a|[^b])*$",
    "^(ab|aba|ba)*$",
    "^x(?:y(?:z|zz)*)?$",
    "^(?:(?:a|a)b)*$",
    "^(?=(a+)+$)a",
)
CALM = (
    "^a*$",
    "^a*a*$",
    "^([a-z]+-)*[a-z]+$",
    "^[a-z]+(-[a-z]+)*$",
    "^(a?)*$",
    "^(?:[0-9]{1,3},)*[0-9]+$",
    "^((a|b)c)*$",
    "^(?:(?:a+)b)*$",
    "^([A-Za-z0-9_-]{4})*$",
    "^([a-z]{1,63}[.]){1,64}$",
    "^(a{2,3}){3}$",
    "^(?:ab|ac)*$",
    "^(?:[^,]*,)*$",
    "^[^@ ]+@[^@ ]+$",
    "^(?:0|[1-9][0-9]*)(?:[.][0-9]+)?$",
)

CROWDED = (
    "^[a-z]*[a-z]*[a-z]*[a-z]*x$",
    "^a*a*$",
    "^[a-z]+[a-z0-9]*$",
    "^[a-z]*-?[a-z]*$",
    "^[a-z]*(?:-|_)?(?:[0-9])*[a-z]{2,}$",
    "^(?:ab)*(?:abab)*$",
    "^(?:x[a-z]*)[a-y]+$",
    "^[a-z]*(?:[a-z]*x)?$",
    "^(?:y(?:a*|b*)(?:b*z))$",
    "^ *[^@]* *$",
    "^a*(?=b)a*$",
)
ROOMY = (
    "^a*$",
    "^[a-z]+(-[a-z]+)*$",
    "^([a-z]+-)*[a-z]+$",
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "^[a-z][a-z0-9_]*$",
    "^[a-z]{1,64}[a-z0-9]{0,64}$",
    "^[A-Za-z0-9._-]+@[a-z0-9-]+[.][a-z]+$",
    "^(?:0|[1-9][0-9]*)(?:[.][0-9]+)?$",
    "^0x[0-9a-f]*$",
    "^[a-z]*[0-9]*$",
    "^https://[^/]+/.*$",
    "^(?:[^,]*,)*[^,]*$",
    "^(?:a*|b*)$",
)


@pytest.mark.parametrize("pattern", CROWDED)
def test_neighbouring_loops_over_the_same_text_are_found(pattern: str) -> None:
    assert crowded(parse(pattern))


@pytest.mark.parametrize("pattern", ROOMY)
def test_loops_that_share_no_text_or_are_apart_pass(pattern: str) -> None:
    assert crowded(parse(pattern)) is None


@pytest.mark.parametrize("pattern", EXPLOSIVE)
def test_a_loop_that_divides_a_text_in_two_ways_is_found(pattern: str) -> None:
    text = ambiguous(parse(pattern))
    assert text


@pytest.mark.parametrize("pattern", CALM)
def test_a_loop_that_divides_every_text_in_one_way_passes(pattern: str) -> None:
    assert ambiguous(parse(pattern)) is None


@pytest.mark.parametrize("body", ["a+", "a|ab|b", "a{2,3}", "ab|aba|ba", "x+x+", " *a *"])
def test_the_text_that_is_given_has_two_divisions(body: str) -> None:
    text = ambiguous(parse(f"^(?:{body})*$"))
    assert text is not None
    whole = re.compile(translate(f"^(?:{body})$"))
    ways = [
        cuts
        for count in range(len(text))
        for cuts in itertools.combinations(range(1, len(text)), count)
        if all(whole.search(text[a:b]) for a, b in itertools.pairwise((0, *cuts, len(text))))
    ]
    # One division is left where a single round reads the text in two ways by itself.
    assert len(ways) > 1 or body == "x+x+"


@pytest.mark.parametrize("pattern", ["^(?:(?=a)a)*$", r"^(?:\p{L}+)*$", "^(?:[a-y]{1,3000}z)*$"])
def test_what_cannot_be_walked_is_passed_over(pattern: str) -> None:
    assert ambiguous(parse(pattern)) is None
