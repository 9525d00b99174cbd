"""The fast way to read an event takes nothing that the exact way refuses, and reads the same."""

from __future__ import annotations

import json
import random

import msgspec
import pytest
from haia_trace_events import event, terms

from haia_trace_mcp.errors import RunError
from haia_trace_mcp.index import decoding
from haia_trace_mcp.index.decoding import Event, Requirements, decode_event
from haia_trace_mcp.index.moments import Moments

PAYLOAD = {
    "requirements": terms(),
    "accepts": [terms(amount="1"), terms(extra={"name": "USD Coin", "version": "2"})],
    "resource": {"url": "https://api.example.test/é", "description": "\u2028\U0001f600"},
    "error": {"message": 'x\n\t"\\/'},
    "numbers": [1, -0.0, 1.5e-300, 10**30, True, None, {"a": {"b": []}}],
}
SPACED = (
    ' { "payload" : { "requirements" : { } } , "seq" : -0 , "event_id" : "\\u0041\\ud83d\\ude00" ,'
    '"event_type":"","occurred_at":"","adapter":"x","role":"r","context_id":"é" }\r'
)
LINES = [
    json.dumps(event("submitted", payload=PAYLOAD)).encode(),
    json.dumps(event("submitted", payload=PAYLOAD), ensure_ascii=False).encode(),
    b'{"event_id":"a","event_type":"b","occurred_at":"c","seq":1e3,"adapter":"","payload":{}}',
    SPACED.encode(),
]
PIECES = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"0",
    b"-",
    b".",
    b"e",
    b"E+",
    b"\x00",
    b"\x1f",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\x",
    b"\\/",
    b"null",
    b"nul",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e400",
    b"01",
    b"1.",
    b".5",
    b"--1",
    b"\t",
    b"\r",
    b"\x0b",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"//",
    b"/**/",
    b"'",
    b"9" * 400,
    b"0." + b"3" * 40,
    b'"seq":2,',
    b'"payload":{},',
    b'"payload":5,',
    b'"event_id":4,',
    b'"role":null,',
    b'"context_id":"x",',
    b'"requirements":{"amount":"7"},',
    b'"accepts":[[]],',
    b"[" * 1500,
]


def spoiled(source: random.Random) -> bytes:
    line = bytearray(source.choice(LINES))
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        place = source.randrange(len(line) + 1)
        if source.random() < 0.7:
            line[place : place + source.randrange(2)] = source.choice(PIECES)
        else:
            del line[place : place + source.randrange(1, 6)]
    return bytes(line).replace(b"\n", b"")


def terms_of(found: Requirements | None) -> tuple[str | None, ...] | None:
    if found is None:
        return None
    return (found.scheme, found.network, found.asset, found.amount, found.pay_to)


def kept(found: Event | None) -> object:
    """Return what the index keeps of an event."""
    if found is None:
        return None
    payload = found.payload
    return (
        found.event_type,
        found.occurred_at,
        found.context_id,
        found.role,
        terms_of(payload.requirements),
        [terms_of(each) for each in payload.accepts or []],
        payload.resource.url if payload.resource else None,
    )


@pytest.mark.parametrize("seed", range(4))
def test_both_ways_to_read_an_event_agree_on_spoiled_lines(seed: int) -> None:
    source = random.Random(seed)
    taken = refused = 0
    for _ in range(2500):
        line = spoiled(source)
        try:
            fast = decoding._decode(line)
        except decoding._REFUSALS:
            refused += 1
            continue
        taken += 1
        exact = decoding._exact(line, "run", 1)
        assert exact is not None, line
        assert kept(fast) == kept(exact), line
    assert taken > 300
    assert refused > 300


def test_the_fast_way_is_taken_for_events_as_recorders_write_them() -> None:
    for line in LINES:
        assert decoding._decode(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        LINES[0].replace(b"250000", b"\\ud800"),
        LINES[0].replace(b'"seq": 0', b'"seq": 1e999'),
        LINES[0].replace(b"exact", b"\xff"),
        LINES[0].replace(b'"250000"', b"250000"),
        LINES[0].replace(b'"numbers"', b'"deep": ' + b"[" * 3000 + b"]" * 3000 + b', "numbers"'),
        LINES[0].replace(b'"payload"', b'"payload": 5, "payload"'),
    ],
)
def test_what_only_the_exact_way_reads_is_read(line: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError, RecursionError)):
        decoding._decode(line)
    found = decode_event(line, "run", 1)
    assert found is not None
    assert found.event_type == "x402.payment.submitted"


@pytest.mark.parametrize(
    "line", [b" ", b"\t\r", b"\xc2\xa0\xe2\x80\xa8", b"\xef\xbb\xbf", b"\x0b\x0c"]
)
def test_blank_lines_hold_no_event(line: bytes) -> None:
    assert decode_event(line, "run", 1) is None


@pytest.mark.parametrize("line", [b"\x1c", b"\xc2\x85", b"\xef\xbb\xbf" + LINES[0], b"{}", b"\xff"])
def test_what_only_looks_blank_is_refused(line: bytes) -> None:
    with pytest.raises(RunError, match=r'^run "run", line 7'):
        decode_event(line, "run", 7)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1970-01-01T00:00:00.000Z", 0),
        ("2026-08-01T09:00:01.234Z", 1785574801234),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2024-02-29T23:59:59.999Z", 1709251199999),
        ("9999-12-31T23:59:59.999Z", 253402300799999),
        ("2025-02-29T00:00:00.000Z", None),
        ("2026-13-01T00:00:00.000Z", None),
        ("2026-08-01T24:00:00.000Z", None),
        ("2026-08-01T09:00:60.000Z", None),
        ("2026-08-01T09:00:00Z", None),
        ("2026-08-01T09:00:00.000", None),
        ("2026-08-01T09:00:00.000z", None),
        ("2026-08-01T09:00:00.000Z ", None),
        ("2026-08-01 09:00:00.000Z", None),
        ("2026-W31-6T09:00:00.000Z", None),
        ("2026-08-01T09:00:00,000Z", None),
        ("2026-08-01T09:00:0\u0661.000Z", None),
        ("0000-01-01T00:00:00.000Z", None),
        ("", None),
    ],
)
def test_times_are_read_in_one_form(text: str, at: int | None) -> None:
    moments = Moments()
    assert moments.read(text) == at
    assert moments.read(text) == at
