"""Strict JSON and the places of its values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.contract.source import DEEPEST, SourceError, decode, escape, locate, parse


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"a": 1}', '{"a": 1}'),
        (b'\xef\xbb\xbf{"a": 1}', '{"a": 1}'),
        (b'{\r\n"a": 1}\r\n', '{\n"a": 1}\n'),
        ('"\u2028ä\U0001f600"'.encode(), '"\u2028ä\U0001f600"'),
        (b'"a\\r\\n"', '"a\\r\\n"'),
        (b"", ""),
    ],
)
def test_bytes_are_decoded_whatever_their_mark_and_line_ends(raw: bytes, text: str) -> None:
    assert decode(raw) == text


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b"\xff", (1, 1)),
        (b'{\n "a": "\xe4"}', (2, 8)),
        ('{"a": 1}'.encode("utf-16"), (1, 1)),
        (b'"\xed\xa0\x80"', (1, 2)),
        (b'"\xc0\xaf"', (1, 2)),
    ],
)
def test_bytes_that_are_not_utf_8_are_placed(raw: bytes, place: tuple[int, int]) -> None:
    with pytest.raises(SourceError, match="not UTF-8") as caught:
        decode(raw)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1)),
        ("  \n", (2, 1)),
        ("{", (1, 2)),
        ('{"a": 1,}', (1, 9)),
        ("[1,]", (1, 4)),
        ("{'a': 1}", (1, 2)),
        ("{a: 1}", (1, 2)),
        ('{"a": 1} x', (1, 10)),
        ('{"a": 1} // why', (1, 10)),
        ("/* why */ 1", (1, 1)),
        ('{"a\x01": 1}', (1, 4)),
        ('{"a": "b\nc"}', (1, 9)),
        ('{"a": 01}', (1, 8)),
        ('{"a": .5}', (1, 7)),
        ('{"a": +1}', (1, 7)),
        ('{"a": 0x1}', (1, 8)),
        ('{"a": "\\x"}', (1, 8)),
        ('{"a": "\\u12"}', (1, 8)),
        ("True", (1, 1)),
        ("\ufeff1", (1, 1)),
        ('{"a": NaN}', (1, 7)),
        ('{"a": ["NaN",\n Infinity]}', (2, 2)),
        ('{"a": -Infinity}', (1, 7)),
        ('{"a": "no NaN, no \\" NaN",\n "b": NaN}', (2, 7)),
        ('{"a -Infinity": 1,\n "b": -Infinity}', (2, 7)),
        ('{"a": 1e999}', (1, 7)),
        ('{"a": [1,\n -1e999]}', (2, 2)),
        ('{"a": 1' + "0" * 309 + "}", (1, 7)),
        ("[" * 100_000, (1, 1)),
    ],
)
def test_what_is_not_json_everywhere_is_refused_at_its_place(
    text: str, place: tuple[int, int]
) -> None:
    with pytest.raises(SourceError) as caught:
        parse(text)
    # Versions of Python differ by one column in where they see a trailing comma.
    assert caught.value.line == place[0]
    assert abs(caught.value.column - place[1]) <= 1
    assert len(caught.value.what) < 200


def test_nesting_is_bounded_far_from_where_python_gives_up() -> None:
    parse("[" * DEEPEST + "]" * DEEPEST)
    for deep in (DEEPEST + 1, 500, 900, 990):
        for opening, inner, closing in (("[", "", "]"), ('{"a":', "1", "}")):
            with pytest.raises(SourceError, match="nested"):
                parse(opening * deep + inner + closing * deep)


@pytest.mark.parametrize(
    "text", ["1e308", "-1e308", "1" + "0" * 308, "1e-999", "-0.0", "12345678901234567890"]
)
def test_numbers_that_every_reader_holds_pass(text: str) -> None:
    assert parse(text)[0] == json.loads(text)


def test_a_key_given_twice_is_placed_where_it_stands_again() -> None:
    text = '{\n "a": {"b": 1, "b": 2},\n "c": [{"d~/": 1,\n  "d~/": 2}],\n "a": 3\n}'
    value, duplicates = parse(text)
    assert value["a"] == 3
    assert [(each.key, each.pointer, each.line, each.column) for each in duplicates] == [
        ("b", "/a/b", 2, 16),
        ("d~/", "/c/0/d~0~1", 4, 3),
        ("a", "/a", 5, 2),
    ]


def test_the_same_key_written_in_two_ways_is_given_twice() -> None:
    _, duplicates = parse('{"a": 1, "\\u0061": 2}')
    assert [each.pointer for each in duplicates] == ["/a"]


def test_the_same_key_in_two_objects_is_not_given_twice() -> None:
    assert parse('{"a": {"a": [{"a": 1}, {"a": 2}]}}')[1] == ()


TEXT = """{
  "a": [1, "two", {"b/c": null, "d~e": [true]}],
  "": {"": -1.5e3},
  "ä\\n\\"]": "}{",
  "z": []
}
"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/a", (2, 3)),
        ("/a/0", (2, 9)),
        ("/a/1", (2, 12)),
        ("/a/2", (2, 19)),
        ("/a/2/b~1c", (2, 20)),
        ("/a/2/d~0e/0", (2, 41)),
        ("/", (3, 3)),
        ("//", (3, 8)),
        ('/ä\n"]', (4, 3)),
        ("/z", (5, 3)),
        ("/z/0", (5, 3)),
        ("/a/2/no/such", (2, 19)),
        ("/no", (1, 1)),
    ],
)
def test_a_pointer_is_placed_or_its_nearest_ancestor_is(
    pointer: str, place: tuple[int, int]
) -> None:
    assert locate(TEXT, [pointer]) == {pointer: place}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_every_value_is_found_where_it_stands(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found: dict[str, object] = {}

    def walk(node: object, pointer: str) -> None:
        found[pointer] = node
        if isinstance(node, dict):
            for key, member in node.items():
                walk(member, f"{pointer}/{escape(key)}")
        elif isinstance(node, list):
            for index, member in enumerate(node):
                walk(member, f"{pointer}/{index}")

    walk(value, "")
    lines = text.split("\n")
    for pointer, (line, column) in locate(text, found).items():
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        read, end = json.JSONDecoder().raw_decode(rest)
        parent = found[pointer.rpartition("/")[0]] if pointer else None
        if isinstance(parent, dict):
            assert f"/{escape(read)}" == f"/{pointer.rpartition('/')[2]}"
            read, _ = json.JSONDecoder().raw_decode(rest[end:].lstrip(": "))
        assert read == found[pointer]


class CountedText(str):
    """A text that counts how often its lines are counted from the start."""

    counted = 0

    def count(self, *given: Any) -> int:
        """Count the call, and do what a text does."""
        self.counted += 1
        return super().count(*given)


def test_many_places_are_found_without_counting_lines_for_each() -> None:
    text = CountedText("[" + ",\n".join(["1"] * 2000) + "]")
    places = locate(text, [f"/{index}" for index in range(2000)])
    assert places["/1999"] == (2000, 1)
    assert text.counted <= 1
