"""Patterns in a tree decide as each of them would by itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcp_wrapper_scaffold.path_tree import PathTree

_PIECES = st.sampled_from(["/", "*", "a", "b", "ab", ":", ":run", ".", "+", "("])
_PATTERNS = st.lists(_PIECES, max_size=7).map(
    lambda pieces: re.sub(r"\*+", "*", "/" + "".join(pieces))
)
_PATHS = st.lists(st.sampled_from(["/", "a", "b", ":", ":run", ".", "+", "("]), max_size=9).map(
    lambda pieces: "/" + "".join(pieces)
)


def reference(pattern: str) -> re.Pattern[str]:
    """Return the rule as it is written down: * is a run within a segment, all else literal."""
    return re.compile("[^/]*".join(map(re.escape, pattern.split("*"))))


@settings(deadline=None)
@given(patterns=st.lists(_PATTERNS, max_size=8), paths=st.lists(_PATHS, min_size=1, max_size=8))
@example(patterns=["/a*a"], paths=["/a", "/aa", "/aba"])
@example(patterns=["/*ab*ab*"], paths=["/ab", "/abab", "/xabyabz", "/aab"])
@example(patterns=["/*", "/"], paths=["/", "/a", "/a/"])
@example(patterns=["/*/b", "/a/*", "/a/b"], paths=["/a/b", "/b/b", "/a/a"])
def test_a_path_matches_if_one_pattern_matches(patterns: list[str], paths: list[str]) -> None:
    tree = PathTree()
    for number, pattern in enumerate(patterns):
        tree.add(pattern, str(number))
    for path in paths:
        expected = {
            str(number)
            for number, pattern in enumerate(patterns)
            if reference(pattern).fullmatch(path)
        }
        assert tree.methods(path) == expected, (patterns, path)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/v1/*", "/v1/", True),
        ("/v1/*", "/v1/a", True),
        ("/v1/*", "/v1/a/", False),
        ("/v1/*", "/v1", False),
        ("/v1/*", "/v1/a/b", False),
        ("/v1/*", "x/v1/a", False),
        ("/a.c", "/abc", False),
        ("/a(b)+", "/a(b)+", True),
        ("/a(b)+", "/abb", False),
        ("/*:run", "/:run", True),
        ("/*:run", "/a:b:run", True),
        ("/*:run", "/a:runs", False),
        ("/a*b*c", "/abc", True),
        ("/a*b*c", "/acbc", True),
        ("/a*b*c", "/acb", False),
        ("/aa*aa", "/aaa", False),
        ("/*/*", "//", True),
    ],
)
def test_a_star_stays_within_its_segment_and_the_pattern_is_anchored(
    pattern: str, path: str, matches: bool
) -> None:
    tree = PathTree()
    tree.add(pattern, "GET")
    assert tree.methods(path) == ({"GET"} if matches else set())


def test_many_stars_cost_no_going_back() -> None:
    # A backtracking matcher would be at this for ages.
    tree = PathTree()
    tree.add("/" + "*a" * 40 + "*b", "GET")
    assert tree.methods("/" + "a" * 8000) == set()
    assert tree.methods("/" + "a" * 8000 + "b") == {"GET"}
