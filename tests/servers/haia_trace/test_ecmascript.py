"""JSON and comparison as ECMAScript has them."""

from __future__ import annotations

import json
import random
import struct
from math import inf, isinf, isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodejs import run_node

from haia_trace_mcp.ecmascript import (
    DEPTH_LIMIT,
    UNDEFINED,
    WHITE_SPACE,
    Json,
    MalformedJsonError,
    compare,
    key_text,
    number_text,
    parse_json,
    print_json,
    text_key,
    to_number,
)
from haia_trace_mcp.ecmascript.reading import parse_deep

JUDGE = Path(__file__).with_name("judge.mjs")

TEXTS = st.text(st.characters(codec=None), max_size=6)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1.0", "1"),
        ("-0", "0"),
        ("12345678901234567890", "12345678901234567000"),
        ("1e21", "1e+21"),
        ("123456789012345678901", "123456789012345680000"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-1.5E-9", "-1.5e-9"),
        ("5e-324", "5e-324"),
        ("1e400", "null"),
        ("-1e400", "null"),
        ("1" * 5000, "null"),
        ("[ ]", "[]"),
        ("{ }", "{}"),
        ("[1,[]]", "[\n  1,\n  []\n]"),
        ('"\\u2028\\u007f\\/\u00e9"', '"\u2028\x7f/\u00e9"'),
        ('"\\ud83d\\ude00"', '"\U0001f600"'),
        ('"\\ud83d"', '"\\ud83d"'),
        ('"\\uDE00\\ud83d"', '"\\ude00\\ud83d"'),
        ('"\\u001F\\b\\f\\n\\r\\t\\"\\\\"', '"\\u001f\\b\\f\\n\\r\\t\\"\\\\"'),
        ('{"a":1,"b":2,"a":3}', '{\n  "a": 3,\n  "b": 2\n}'),
        (
            '{"b":1,"10":2,"9":3,"01":4,"-1":5,"4294967294":6,"4294967295":7,"1.5":8}',
            (
                '{\n  "9": 3,\n  "10": 2,\n  "4294967294": 6,\n  "b": 1,\n  "01": 4,\n'
                '  "-1": 5,\n  "4294967295": 7,\n  "1.5": 8\n}'
            ),
        ),
        ('{"__proto__":1}', '{\n  "__proto__": 1\n}'),
        ('{"\\u0661":1,"1":2}', '{\n  "1": 2,\n  "\u0661": 1\n}'),
    ],
)
def test_values_are_printed_as_v8_prints_them(text: str, printed: str) -> None:
    assert print_json(parse_json(text)) == printed
    assert print_json(parse_deep(text)) == printed


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "NaN", "Infinity", "-Infinity", "+1", "01", "-", "1.", ".5", "1e", "0x1", "1_0",
        "\u0661", "tru", "nul", "True", "'a'", '"', '"\\x"', '"\\u12"', '"\\u+123"', '"\t"', '"\n"',
        "[", "]", "[1,]", "[,1]", "[1 2]", "{", "}", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}",
        '{"a":1 "b":2}', '{,"a":1}', "1 2", "[]]", "{}x", "\ufeff1", "\u00a01", "1\u2028", "\x0b1",
        "// c", "[1] // c",
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_by_both_readers(text: str) -> None:
    for read in (parse_json, parse_deep):
        with pytest.raises(MalformedJsonError, match=r"position [0-9]+$"):
            read(text)


def nested(depth: int) -> str:
    return '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2)


def test_deep_values_are_read_and_printed_to_the_depth_that_the_original_prints() -> None:
    text = nested(DEPTH_LIMIT)
    printed = print_json(parse_json(text))
    assert printed.replace("\n", "").replace(" ", "") == text


def test_values_that_are_too_deep_are_refused() -> None:
    with pytest.raises(MalformedJsonError, match=f"deeper than {DEPTH_LIMIT} levels"):
        parse_json(nested(DEPTH_LIMIT + 2))


@given(VALUES)
def test_what_is_printed_is_read_again_as_the_same(value: Json) -> None:
    printed = print_json(value)
    assert print_json(parse_json(printed)) == printed
    assert parse_deep(printed) == parse_json(printed)


@given(VALUES)
def test_printing_differs_from_the_standard_library_in_spelling_alone(value: Json) -> None:
    assert json.loads(print_json(value), parse_int=float) == finite(value)


def finite(value: Json) -> Json:
    if isinstance(value, float):
        return None if isinf(value) else value
    if isinstance(value, list):
        return [finite(each) for each in value]
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return value


@given(st.text(st.sampled_from('{}[]",:\\u0123eE+-.tfn \ud800x'), max_size=12))
@settings(max_examples=300)
def test_both_readers_agree_on_any_text(text: str) -> None:
    assert outcome(parse_json, text) == outcome(parse_deep, text)


def outcome(read: Any, text: str) -> object:
    try:
        return repr(read(text))
    except MalformedJsonError:
        return MalformedJsonError


@given(st.lists(TEXTS, max_size=8))
def test_text_keys_order_by_utf_16_code_units(texts: list[str]) -> None:
    units = sorted(texts, key=lambda each: each.encode("utf-16-be", "surrogatepass"))
    ordered = sorted(texts, key=text_key)
    assert [each.encode("utf-16", "surrogatepass") for each in ordered] == [
        each.encode("utf-16", "surrogatepass") for each in units
    ]


@given(st.text(st.characters(codec="utf-8"), max_size=8))
def test_a_text_comes_back_from_its_key(text: str) -> None:
    assert key_text(text_key(text)) == text


def test_white_space_is_what_javascript_trims() -> None:
    assert set(WHITE_SPACE) == {
        *"\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff",
        *map(chr, range(0x2000, 0x200B)),
    }


def ask_v8(question: str, lines: list[bytes], folder: Path) -> list[str]:
    """Return V8's answers to lines without line feeds."""
    path = folder / "questions"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    done = run_node(JUDGE, question, path)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def random_json(source: random.Random, depth: int) -> str:
    """Return a JSON text with unusual spellings."""
    space = source.choice(["", "", "", " ", "\t", "\r"])
    kind = source.randrange(9 if depth else 7)
    if kind == 7:
        inner = ",".join(random_json(source, depth - 1) for _ in range(source.randrange(4)))
        return f"{space}[{inner}]{space}"
    if kind == 8:
        keys = ["a", "0", "7", "12", "007", "4294967294", "4294967295", "-3", "1e3", "\\u0031", ""]
        members = (
            f'"{source.choice(keys)}"{space}:{random_json(source, depth - 1)}'
            for _ in range(source.randrange(6))
        )
        return f"{{{space}{','.join(members)}}}"
    if kind > 4:
        units = ["\\ud83d", "\\ude00", "\\u00e9", "\u00e9", "\U0001f600", "\\/", "\\b", "x", "\x7f"]
        return '"' + "".join(source.choices([*units, "\u2028", "\\u0000"], k=3)) + '"'
    if kind > 1:
        whole = source.choice(["0", "1", "-0", "9007199254740993", str(source.getrandbits(80))])
        fraction = source.choice(["", ".0", ".5", f".{source.getrandbits(60)}"])
        power = source.choice(["", "e5", "E+22", "e-7", f"e{source.randrange(-330, 320)}"])
        return f"{space}{whole}{fraction}{power}{space}"
    return source.choice(["true", "false", "null"])


def spoiled(source: random.Random, data: bytes) -> bytes:
    """Return bytes with a change or two, none of which is a line feed."""
    changed = bytearray(data)
    for _ in range(source.randrange(3)):
        place = source.randrange(len(changed) + 1)
        insert = source.choice(
            [b"", b'"', b",", b"\\", b"\xff", b"\xed\xa0\x80", b"0", b"]", b"\x1f"]
        )
        changed[place : place + source.randrange(2)] = insert
    return bytes(changed).replace(b"\n", b" ")


def test_v8_reads_and_prints_the_same(tmp_path: Path) -> None:
    source = random.Random(5)
    lines = [spoiled(source, random_json(source, 3).encode()) for _ in range(4000)]
    answers = ask_v8("parse", lines, tmp_path)
    for line, answer in zip(lines, answers, strict=True):
        text = line.decode("utf-8", "replace")
        try:
            told = print_json(parse_json(text)).encode().hex()
        except MalformedJsonError:
            told = "!"
        assert told == answer, text
    assert 500 < answers.count("!") < 3500


def test_v8_lays_out_numbers_the_same(tmp_path: Path) -> None:
    source = random.Random(6)
    numbers = [struct.unpack("d", source.randbytes(8))[0] for _ in range(8000)]
    numbers += [source.randrange(10**25) / 10 ** source.randrange(32) for _ in range(8000)]
    numbers = [each for each in numbers if not isnan(each) and not isinf(each)]
    answers = ask_v8("parse", [repr(each).encode() for each in numbers], tmp_path)
    assert [number_text(each).encode().hex() for each in numbers] == answers


def test_v8_compares_values_of_any_type_the_same(tmp_path: Path) -> None:
    values: list[Any] = [
        "undefined", None, True, False, 0.0, -1.0, 2.0, 10.0, "", " ", "2", "10", "0x1F", "0b11",
        "0o7", "-0x1", "1e3", ".5", "5.", "Infinity", "-Infinity", "+1", "1_0", "inf", "nan", "a",
        "B", "\u00a07\ufeff", "\ud83d\ude00", "\uffff", [], [2.0], [1.0, None, "x"], [[3.0]], {},
        {"a": 1.0},
    ]  # fmt: skip
    pairs = [(one, other) for one in values for other in values]
    lines = [json.dumps(pair).encode() for pair in pairs]
    for (one, other), answer in zip(pairs, ask_v8("compare", lines, tmp_path), strict=True):
        left, right = (UNDEFINED if each == "undefined" else each for each in (one, other))
        order, number = answer.split(" ")
        assert compare(left, right) == int(order), (one, other)
        expected = float("nan") if number == "NaN" else float(number.replace("Infinity", "inf"))
        assert to_number(left) == expected or (isnan(to_number(left)) and isnan(expected)), one
    assert to_number("Infinity") == inf
