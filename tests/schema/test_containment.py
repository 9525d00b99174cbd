"""Whether one pattern describes all that another describes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.schema.containment import (
    Language,
    Unmodelled,
    both,
    counterexample,
    derivative,
    language,
    nullable,
)
from counterfoil.schema.decimals import decimals
from counterfoil.schema.patterns import parse, translate


def described(pattern: str) -> Language:
    return language(parse(pattern))


def accepts(expression: Language, text: str) -> bool:
    for character in text:
        expression = derivative(expression, ord(character))
    return nullable(expression)


CONTAINED = (
    ("^[1-9][0-9]*$", "^[0-9]+$"),
    ("^a$", "^(a|b)$"),
    ("^a$|^b$", "^[ab]$"),
    ("^[0-9a-f]{64}$", "^[0-9a-f]{1,64}$"),
    ("^(?:ab)*$", "^(?:a|b)*$"),
    ("^[1-9][0-9]{0,9}$|^bitcoin$", "^([1-9][0-9]{0,9}|bitcoin|bitcoin-testnet)$"),
    ("^abc$", "b"),
    ("^a", "a"),
    ("^[^/]$", r"^[^/\\]$|^\\$"),
    ("^a{0}$", "^$"),
    ("^[^\\x00-\\uffff]$", "^[^a]$"),
)
APART = (
    ("^[0-9]+$", "^[1-9][0-9]*$", "0"),
    ("^[a-z]{1,3}$", "^[a-z]{1,2}$", "aaa"),
    ("^a", "^a$", "a\x00"),
    ("a", "^a$", "a\x00"),
    ("^$", "^a$", ""),
    ("^(?:a|b)*$", "^(?:ab)*$", "a"),
    ("^a|b$", "^a$", "b"),
)


@pytest.mark.parametrize(("inner", "outer"), CONTAINED)
def test_what_is_contained_has_no_counterexample(inner: str, outer: str) -> None:
    assert counterexample(described(inner), described(outer)) is None


@pytest.mark.parametrize(("inner", "outer", "text"), APART)
def test_the_shortest_counterexample_is_given(inner: str, outer: str, text: str) -> None:
    found = counterexample(described(inner), described(outer))
    assert found is not None
    assert re.search(translate(inner), found)
    assert not re.search(translate(outer), found)
    assert len(found) == len(text)


@pytest.mark.parametrize("pattern", ["^(?=a)a$", r"^\p{L}$", "^(?:^a)$", "a$b", r"\ba"])
def test_what_is_no_plain_language_is_not_modelled(pattern: str) -> None:
    with pytest.raises(Unmodelled):
        described(pattern)


def test_patterns_that_are_too_large_are_left_unproven() -> None:
    with pytest.raises(Unmodelled):
        counterexample(described("^[a-z]{1,8192}$"), described("^[a-z0-9]{1,8192}$"))


def test_lengths_narrow_a_pattern() -> None:
    short = both(described("^[a-z]*$"), described(r"^[^]{1,3}$"))
    assert counterexample(short, described("^[a-z]{1,3}$")) is None
    assert counterexample(short, described("^[a-z]{1,2}$")) == "aaa"


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "[^a]", "c", "[a-c]"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
        st.lists(inner, max_size=3).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}"])).map(
            lambda pair: f"(?:{pair[0] or 'a'}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(PATTERNS, st.lists(st.text("abcd", max_size=5), max_size=6))
def test_a_language_accepts_what_its_pattern_matches(pattern: str, texts: list[str]) -> None:
    whole = f"^(?:{pattern})$"
    for text in texts:
        assert accepts(described(whole), text) is bool(re.search(translate(whole), text))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(PATTERNS, PATTERNS, st.lists(st.text("abcd", max_size=5), max_size=6))
def test_a_verdict_agrees_with_texts(left: str, right: str, texts: list[str]) -> None:
    inner, outer = f"^(?:{left})$", f"^(?:{right})$"
    found = counterexample(described(inner), described(outer))
    if found is not None:
        texts = [found]
    for text in texts:
        alone = re.search(translate(inner), text) and not re.search(translate(outer), text)
        assert bool(alone) is (found is not None)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 9), (5, 5), (7, 123), (99, 100), (10, 99), (123, 1457), (0, 1000)]
)
def test_decimals_are_the_numbers_of_a_range(low: int, high: int) -> None:
    expression = decimals(low, high)
    wrong = [n for n in range(2000) if accepts(expression, str(n)) is not (low <= n <= high)]
    assert wrong == []
    assert [text for text in ("", "00", "01", "-1", "1.0") if accepts(expression, text)] == []


def test_decimals_without_end_have_no_leading_zero() -> None:
    assert counterexample(decimals(0, None), described("^(?:0|[1-9][0-9]*)$")) is None
    assert counterexample(described("^(?:0|[1-9][0-9]*)$"), decimals(0, None)) is None
    assert counterexample(decimals(17, None), described("^[1-9][0-9]+$")) is None
    assert counterexample(decimals(7, None), described("^[1-9][0-9]+$")) == "7"


def test_bounds_with_very_many_digits_are_left_unproven() -> None:
    with pytest.raises(Unmodelled):
        decimals(0, 10**100)
