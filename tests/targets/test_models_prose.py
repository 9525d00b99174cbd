"""Text of a contract in generated code: what cannot be seen, on every version of Python."""

from __future__ import annotations

import unicodedata

import pytest

from counterfoil.targets.models.prose import shown
from counterfoil.targets.models.sources import made_by


def test_what_cannot_be_seen_is_spelled_out() -> None:
    for character in map(chr, range(0x110000)):
        unseen = unicodedata.category(character) in {"Cc", "Co", "Cs", "Zl", "Zp", "Zs"}
        if unseen and character not in " \n\t":
            assert character not in shown(f"a{character}b"), hex(ord(character))


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("a\u200bb", "a\\u200bb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2060b", "a\\u2060b"),
        ("a\xadb", "a\\u00adb"),
        ("a\ufeffb", "a\\ufeffb"),
        ("a\U000e0041b", "a\\U000e0041b"),
    ],
)
def test_a_character_without_a_shape_is_spelled_out(text: str, spelled: str) -> None:
    assert shown(text) == spelled


# Assigned in Unicode 15.0, which Python 3.11 does not know; never assigned.
@pytest.mark.parametrize("text", ["\U00031350", "\U0001aaaa", "ä", "\ufffd", "e\u0301", "葛"])
def test_a_character_is_shown_whether_or_not_the_interpreter_knows_it(text: str) -> None:
    assert shown(text) == text


def test_models_of_one_version_of_python_are_not_kept_for_another() -> None:
    assert made_by((3, 11)) != made_by((3, 13))
    assert made_by() == made_by()
