"""Answers that nobody chose, read in both ways: from a socket that blocks, and piece by piece."""

from __future__ import annotations

import os
import socket
from contextlib import closing
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
from hypothesis import example, given, settings

from fairwins_mcp.answers import RawAnswer
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import BaseUrl
from fairwins_mcp.upstream.blocking_link import BlockingLink
from fairwins_mcp.upstream.dialogue import BrokenAnswerError, StaleLinkError
from fairwins_mcp.upstream.exchange import Exchange
from fairwins_mcp.upstream.loop_link import LoopLink

EXAMPLES = int(os.environ.get("COUNTERFOIL_EXAMPLES", "150"))
BASE = BaseUrl("http", "localhost", 80, "")

LINES = """\
HTTP/1.1 200 OK
HTTP/1.1 402 Pay
HTTP/1.1 204 None
HTTP/1.1 304 Same
HTTP/1.1 101 Switch
HTTP/1.1 099 Odd
HTTP/1.0 200
HTTP/2 200
ICY 200 OK
"""
INTERIMS = ["", "", "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", "HTTP/1.1 100\r\n\r\n"]
FIELDS = """\
Retry-After: 5
X-PAYMENT-RESPONSE: abc=
X-PAYMENT-RESPONSE:  d\x20
Connection: close
Content-Length: 3
content-length: -1
Content-Length: x
Transfer-Encoding: gzip
 folded
no colon
"""

lines = st.sampled_from(["HTTP/1.1 200 OK", *LINES.split("\n")])
interims = st.sampled_from(INTERIMS)
fields = st.lists(st.sampled_from(FIELDS.splitlines()), max_size=3)
ends = st.sampled_from(["\r\n", "\r\n", "\n"])
bodies = st.binary(max_size=300)


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """Write an answer, right in most of its parts, cut off or spoiled at one place at most."""
    end, body = draw(ends), draw(bodies)
    kind = draw(st.sampled_from(["length", "chunks", "neither"]))
    told = draw(fields)
    if kind == "length":
        told.append(f"Content-Length: {len(body)}")
    if kind == "chunks":
        told.append("Transfer-Encoding: chunked")
        body = _cut_into_chunks(draw, body)
    head = draw(interims) + end.join([draw(lines), *told, "", ""])
    data = head.encode("latin-1") + body
    place = draw(st.integers(0, len(data)))
    how = draw(st.sampled_from(["whole", "whole", "cut", "spoiled", "more"]))
    if how == "cut":
        return data[:place]
    if how == "spoiled":
        return data[:place] + draw(st.binary(max_size=4)) + data[place + 1 :]
    return data + (b"HTTP/1.1 200 OK\r\n\r\n" if how == "more" else b"")


def _cut_into_chunks(draw: st.DrawFn, body: bytes) -> bytes:
    written = b""
    while body:
        size = draw(st.integers(1, len(body)))
        extension = draw(st.sampled_from([b"", b";a=b"]))
        written += b"%x%s\r\n%s\r\n" % (size, extension, body[:size])
        body = body[size:]
    return written + b"0\r\n" + draw(st.sampled_from([b"", b"Trailer: x\r\n"])) + b"\r\n"


class Transport:
    """Notice when the connection is given up."""

    is_over = False

    def write(self, data: bytes) -> None:
        assert data.startswith(b"GET /x HTTP/1.1\r\n")

    def abort(self) -> None:
        self.is_over = True


class Owner:
    """Keep no account."""

    def admit(self, link: LoopLink) -> None: ...

    def forget(self, link: LoopLink) -> None: ...


def make_exchange() -> Exchange:
    request = ApiRequest("GET", "/x", None, bearer=False)
    return Exchange(BASE, request, {"Host": "localhost"}, 20, Cancellation())


def read_blocking(data: bytes) -> tuple[object, bool]:
    """Read from a socket; return what came, and whether the connection can be used again."""
    near, far = socket.socketpair()
    with far, closing(BlockingLink(near, BASE)) as link:
        far.sendall(data)
        far.shutdown(socket.SHUT_WR)
        try:
            return show(link.converse(make_exchange())), link.is_reusable
        except (OSError, BrokenAnswerError) as error:
            return show(error), link.is_reusable


def read_in_pieces(pieces: list[bytes]) -> tuple[object, bool]:
    """Read as a loop has it read; return the same."""
    transport: Any = Transport()
    outcomes: list[RawAnswer | Exception] = []
    with socket.socket() as unused:
        link = LoopLink(unused, BASE, Owner())
        link.connection_made(transport)
        link.converse(make_exchange(), outcomes.append)
        for piece in pieces:
            link.data_received(piece)
            if outcomes:
                break
        else:
            link.eof_received()
        (outcome,) = outcomes
        return show(outcome), link.is_reusable


def show(outcome: RawAnswer | Exception) -> object:
    """Say what an outcome is, as far as a caller can tell."""
    if isinstance(outcome, RawAnswer):
        return outcome.status, outcome.retry_after, outcome.body, outcome.receipts
    if isinstance(outcome, BrokenAnswerError):
        return outcome.reason
    assert isinstance(outcome, OSError)
    return StaleLinkError if isinstance(outcome, StaleLinkError) else OSError


def cut(data: bytes, places: list[int]) -> list[bytes]:
    marks = [0, *sorted({place for place in places if 0 < place < len(data)}), len(data)]
    return [data[start:end] for start, end in pairwise(marks) if start < end]


@settings(max_examples=EXAMPLES, deadline=None)
@given(answers(), st.lists(st.integers(1, 700), max_size=12))
@example(b"", [])
@example(b"H", [])
@example(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000, list(range(0, 70_000, 30_000)))
@example(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300, [600])
def test_both_ways_read_every_answer_alike(data: bytes, places: list[int]) -> None:
    expected, may_go_on = read_blocking(data)
    each_byte = range(len(data)) if len(data) < 2000 else places
    for pieces in (cut(data, places), cut(data, list(each_byte))):
        found, goes_on = read_in_pieces(pieces)
        assert found == expected
        assert may_go_on or not goes_on
