"""Text of a contract in generated code: what cannot be seen, on every version of Python."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from counterfoil.targets.models.generation import generate
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


def code_of(schema: dict[str, Any]) -> str:
    (code,) = generate([("Word", {"title": "Word", "type": "object", "$defs": {}, **schema})])
    return code


def test_a_member_that_some_versions_cannot_name_is_named_in_ascii() -> None:
    text = {"type": "string"}
    code = code_of({"properties": {"\U00031350": text, "a \u1c89": text, "été": text}})
    assert "    member_u31350: " in code
    assert "    member_a_u20_u1c89: " in code
    assert "    été: " in code


def test_a_rule_spells_characters_that_some_versions_would_show() -> None:
    code = code_of({"properties": {"a": {}}, "x-rules": {"enum": [{"a": "\U00031350 é"}]}})
    assert r"{'x-rules': {'enum': [{'a': '\U00031350 \xe9'}]}}" in code
