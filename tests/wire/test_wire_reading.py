"""How the wire client reads JSON and event streams, and what it shows of them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.wire.headers import encode_name, routing_headers
from counterfoil.wire.messages import read_json
from counterfoil.wire.redaction import (
    Redaction,
    command_secrets,
    environment_secrets,
    header_secrets,
)
from counterfoil.wire.sse import EventStream

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)  # fmt: skip


@given(JSON, st.booleans())
def test_all_that_json_can_say_is_read_as_it_is(value: Any, escaped: bool) -> None:
    read = read_json(json.dumps(value, ensure_ascii=escaped).encode())
    assert json.dumps(read) == json.dumps(value)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "a key is given twice"),
        (b"[NaN]", "NaN and Infinity"),
        (b"-Infinity", "NaN and Infinity"),
        (b"1e999", "beyond what a double holds"),
        (rb'"\ud83d"', "a lone surrogate"),
        (rb'{"\uDC00": 1}', "a lone surrogate"),
        (b"\xff", "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
        ("\ufeff{}".encode(), "BOM"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 10_000, "digits"),
        (b'{"password": "hunter2"', "character 22"),
        (b"{} {}", "Extra data"),
        (b"", "Expecting value"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_not_strict_json_is_refused_without_being_quoted(raw: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        read_json(raw)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_escaped_pair_of_surrogates_is_a_character() -> None:
    assert read_json(rb'"\ud83c\udf0d"') == "🌍"
    assert read_json(rb'"\\ud83c"') == r"\ud83c"


STREAM = (
    b"\xef\xbb\xbf: comment\r\n\r\ndata: one\ndata:two\ndata:  three\n\n"
    b"id: 7\rdata\r\revent: other\ndata: no\n\nretry: 5\nevent: message\r\n"
    b"data: \xc3\xa4\r\ndata: o\r\n\r\ndata: unfinished"
)
EVENTS = [b"one\ntwo\n three", b"\xc3\xa4\no"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_an_event_stream_may_be_cut_anywhere(cuts: list[int]) -> None:
    stream = EventStream()
    ends = sorted({0, len(STREAM), *cuts})
    found = [event for a, b in pairwise(ends) for event in stream.feed(STREAM[a:b])]
    assert found == EVENTS


def test_a_line_ended_by_cr_is_not_held_back() -> None:
    assert list(EventStream().feed(b"data: x\r\r")) == [b"x"]


def hidden(secrets: Any, text: str) -> str:
    return Redaction(secrets).apply(text)


@pytest.mark.parametrize(
    ("environment", "text", "shown"),
    [
        ({"API_KEY": "hunter2"}, "key hunter2!", "key [hidden]!"),
        ({"password": "a b c"}, "'a b c'", "'[hidden]'"),
        ({"X": "abcdefghij0123456789"}, "abcdefghij0123456789", "[hidden]"),
        ({"DB": "postgres://u:hunter2@host/db"}, "as u with hunter2", "as u with [hidden]"),
        ({"PEM_KEY": "line one\nline two"}, "log: line two", "log: [hidden]"),
        ({"TOKEN": 'a"b\\c'}, r'{"t": "a\"b\\c"}', '{"t": "[hidden]"}'),
        ({"HOME": "/home/someone", "LANG": "en_GB.UTF-8"}, "/home/someone", "/home/someone"),
        ({"PATH": "/usr/lib/python3.11/site-packages"}, "/usr/lib", "/usr/lib"),
        ({"USE_TOKEN": "true", "KEYS": "1"}, "true 1", "true 1"),
        ({"PGPASSWORD": "hunter2"}, "hunter2", "[hidden]"),
        ({"MYSQL_PWD": "hunter2"}, "hunter2", "[hidden]"),
        ({"someApiKey": "hunter2"}, "hunter2", "[hidden]"),
        ({"SECRET_KEY2": "hunter2"}, "hunter2", "[hidden]"),
        ({"PWD": "/nowhere", "OLDPWD": "/before"}, "/nowhere/before", "/nowhere/before"),
        ({"GIT_AUTHOR_NAME": "Someone", "AUTHOR": "Someone"}, "Someone", "Someone"),
        ({"MONKEY": "banana", "COMPASS": "north"}, "banana north", "banana north"),
        ({"API_KEY": "/no/such/key"}, "/no/such/key", "[hidden]"),
        ({"API_KEY": f"/{'x' * 300}"}, f"/{'x' * 300}", "[hidden]"),
    ],
)
def test_what_looks_like_a_secret_in_the_environment_is_hidden(
    environment: dict[str, str], text: str, shown: str
) -> None:
    assert hidden(environment_secrets(environment), text) == shown


def test_where_a_key_lies_is_not_the_key(tmp_path: Path) -> None:
    place = str(tmp_path)
    named = {"SSH_AUTH_SOCK": place, "SSL_KEY_FILE": place}
    assert hidden(environment_secrets(named), place) == place
    command = ("srv", "--key-file", place, f"--private-key={place}")
    assert hidden(command_secrets(command), place) == place


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("srv", "--api-key", "hunter2"), "srv --api-key [hidden]"),
        (("srv", "--token=hunter2", "--port=80"), "srv --token=[hidden] --port=80"),
        (("env", "SECRET=hunter2", "srv"), "env SECRET=[hidden] srv"),
        (("srv", "-H", "Authorization: Bearer hunter2"), "srv -H Authorization: [hidden]"),
        (("srv", "https://u:hunter2@host/"), "srv https://u:[hidden]@host/"),
        (("srv", "--port", "8000"), "srv --port 8000"),
    ],
)
def test_what_looks_like_a_secret_in_a_command_is_hidden(
    command: tuple[str, ...], shown: str
) -> None:
    assert hidden(command_secrets(command), " ".join(command)) == shown


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        ("Bearer hunter2", "Bearer: hunter2 is bad", "Bearer: [hidden] is bad"),
        ("sid=hunter2; theme=dark", "no session hunter2", "no session [hidden]"),
        ('Digest nonce="hunter2"', "hunter2", "[hidden]"),
    ],
)
def test_every_word_of_a_header_is_hidden(value: str, text: str, shown: str) -> None:
    assert hidden(header_secrets({"X": value}), text) == shown


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("get_weather", "get_weather"),
        ("file:///a b.txt", "file:///a b.txt"),
        ("", ""),
        ("wetter_ä", "=?base64?d2V0dGVyX8Ok?="),
        (" padded", "=?base64?IHBhZGRlZA==?="),
        ("two\nlines", "=?base64?dHdvCmxpbmVz?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
    ],
)
def test_a_name_that_a_header_cannot_hold_is_encoded(name: str, value: str) -> None:
    assert encode_name(name) == value


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("tools/call", {"name": "add"}, "add"),
        ("prompts/get", {"name": "greet"}, "greet"),
        ("resources/read", {"uri": "demo://readme"}, "demo://readme"),
        ("tools/list", {"cursor": "x"}, None),
    ],
)
def test_the_name_header_repeats_the_parameter_that_the_method_is_about(
    method: str, params: dict[str, str], named: str | None
) -> None:
    headers = routing_headers("2026-07-28", method, params)
    assert headers.get("Mcp-Name") == named
    assert headers["Mcp-Method"] == method
