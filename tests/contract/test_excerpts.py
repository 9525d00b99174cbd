"""Texts of a bounded length."""

from __future__ import annotations

import pytest

from counterfoil.contract.excerpts import bounded, contrasted

LONG = "Look for words in all lists, and say where they were found."


def test_a_long_text_is_cut() -> None:
    assert bounded("abcdef", 6) == "abcdef"
    assert bounded("abcdefg", 6) == "abcde…"


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ('"a"', '"b"', ('"a"', '"b"')),
        (
            f'"{LONG} Fast."',
            f'"{LONG} Slow."',
            ('"…where they were found. Fast."', '"…where they were found. Slow."'),
        ),
        (
            f'"{LONG}"',
            f'"{LONG} {LONG}"',
            ('"…where they were found."', '"…where they were found. Look for words i…"'),
        ),
        (
            f'"A. {LONG}"',
            f'"B. {LONG}"',
            (
                '"A. Look for words in all lists, and say…"',
                '"B. Look for words in all lists, and say…"',
            ),
        ),
        ("missing", f'"{LONG}"', ("missing", '"Look for words in all lists, and say w…')),
        (
            f'["{LONG}",1]',
            f'["{LONG}",2]',
            ('…where they were found.",1]', '…where they were found.",2]'),
        ),
    ],
    ids=["short", "its end", "more of it", "its beginning", "one side", "no text"],
)
def test_two_long_texts_are_cut_around_the_place_where_they_part(
    one: str, other: str, shown: tuple[str, str]
) -> None:
    assert contrasted(one, other, 40) == shown
