"""Heads and bodies of requests, read without a connection."""

from __future__ import annotations

import unittest

from fairwins_mcp.http.bodies import MAX_LINE_BYTES, ChunkedBody, plan_body
from fairwins_mcp.http.faults import HttpFault
from fairwins_mcp.http.heads import Head, parse_head
from fairwins_mcp.http.limits import Limits

LIMITS = Limits()


def parse(*lines: bytes) -> Head:
    return parse_head(b"\r\n".join(lines), LIMITS)


class Heads(unittest.TestCase):
    def refuse(self, status: int, *lines: bytes) -> None:
        with self.assertRaises(HttpFault) as raised:
            parse(*lines)
        self.assertEqual(raised.exception.status, status, lines)

    def test_a_head_is_taken_apart(self) -> None:
        head = parse(
            b"POST /mcp?x=/1 HTTP/1.1", b"HOST: here:80", b"x-A:\t a b\t ", b"X-B:", b"x-a: c"
        )
        self.assertEqual((head.method, head.target, head.authority), ("POST", "/mcp", "here:80"))
        self.assertEqual(head.fields, {"host": "here:80", "x-a": "a b, c", "x-b": ""})
        self.assertEqual(head.repeated, {"x-a"})
        self.assertTrue(head.keeps_alive)

    def test_bytes_of_a_value_survive(self) -> None:
        value = bytes(code for code in range(256) if code >= 32 and code != 127) + b"\tx"
        head = parse(b"GET / HTTP/1.1", b"Host: h", b"V:" + value)
        self.assertEqual(head.fields["v"].encode("latin-1"), value.strip(b" \t"))

    def test_a_url_as_target_counts_more_than_host(self) -> None:
        for target, authority, path in (
            (b"http://a.test/mcp", "a.test", "/mcp"),
            (b"HTTPS://a.test:1/mcp?q", "a.test:1", "/mcp"),
            (b"http://a.test", "a.test", "/"),
            (b"http://a.test?q", "a.test", "/"),
            (b"/healthz", "h", "/healthz"),
            (b"//a.test/mcp", "h", "//a.test/mcp"),
            (b"/%6dcp", "h", "/%6dcp"),
            (b"*", "h", "*"),
        ):
            with self.subTest(target=target):
                head = parse(b"GET " + target + b" HTTP/1.1", b"Host: h")
                self.assertEqual((head.authority, head.target), (authority, path))

    def test_the_connection_ends_where_the_client_says_so(self) -> None:
        for value, goes_on in (
            (b"close", False),
            (b"Keep-Alive, Close", False),
            (b"keep-alive", True),
            (b"closed", True),
            (b"", True),
        ):
            head = parse(b"GET / HTTP/1.1", b"Host: h", b"Connection: " + value)
            self.assertEqual(head.keeps_alive, goes_on, value)
        old = parse(b"GET / HTTP/1.0", b"Connection: keep-alive")
        self.assertEqual((old.keeps_alive, old.authority), (False, ""))

    def test_first_lines_that_are_none_are_refused(self) -> None:
        for line in (
            b"",
            b"GET",
            b"GET /",
            b"GET  / HTTP/1.1",
            b"GET / HTTP/1.1 ",
            b" GET / HTTP/1.1",
            b"GET\t/\tHTTP/1.1",
            b"G(T / HTTP/1.1",
            b"GET / http/1.1",
            b"GET / HTTP/11",
            b"GET / HTTP/1.1x",
            b"GET / FTP/1.1",
            b"GET /\xc3\xa9 HTTP/1.1",
            b"GET mcp HTTP/1.1",
            b"GET /mcp#x HTTP/1.1",
            b"GET http:///mcp HTTP/1.1",
            b"GET http://u@h/mcp HTTP/1.1",
            b"GET ftp://h/mcp HTTP/1.1",
            b"CONNECT h:80 HTTP/1.1",
            b"\x16\x03\x01\x02\x00\x01",
        ):
            self.refuse(400, line, b"Host: h")

    def test_fields_that_are_none_are_refused(self) -> None:
        for line in (
            b"no colon",
            b": no name",
            b"Name : x",
            b" folded: x",
            b"\tfolded",
            b"N\xc3\xa9: x",
            b"N[]: x",
            b"a: b\x00c",
            b"a: b\rc",
            b"a: b\nc: d",
            b"a\n: b",
            b"a: \x7f",
            b"a: \x1b[1m",
            b"",
        ):
            self.refuse(400, b"GET / HTTP/1.1", b"Host: h", line)

    def test_fields_that_count_once_come_once(self) -> None:
        for line in (
            b"host: h",
            b"Content-Length: 1",
            b"Content-Type: application/json",
            b"Transfer-Encoding: chunked",
        ):
            self.refuse(400, b"POST / HTTP/1.1", b"Host: h", line, line)
        self.refuse(400, b"POST / HTTP/1.1")

    def test_long_heads_and_other_versions_have_statuses_of_their_own(self) -> None:
        self.refuse(414, b"GET /" + b"a" * LIMITS.target_bytes + b" HTTP/1.1", b"Host: h")
        fields = [b"X-%d: y" % number for number in range(LIMITS.fields)]
        self.refuse(431, b"GET / HTTP/1.1", b"Host: h", *fields)
        self.refuse(505, b"GET / HTTP/2.0", b"Host: h")
        self.refuse(505, b"GET / HTTP/0.9", b"Host: h")


def take(body: ChunkedBody, data: bytes, step: int) -> tuple[bytes, bytes]:
    """Feed data in steps; return the content and what is left of the data."""
    buffer = bytearray()
    for start in range(0, len(data), step):
        buffer += data[start : start + step]
        if body.feed(buffer):
            return body.content, bytes(buffer) + data[start + step :]
    raise AssertionError("the body is not complete")


class Bodies(unittest.TestCase):
    def plan(self, *lines: bytes, version: bytes = b"1.1") -> int:
        head = parse(b"POST / HTTP/" + version, b"Host: h", *lines)
        with self.assertRaises(HttpFault) as raised:
            plan_body(head, LIMITS.body_bytes)
        return raised.exception.status

    def test_lengths_are_plain_numbers(self) -> None:
        for value in (b"", b"+1", b"-1", b"1,1", b"1 1", b"0x1", b"1.0", b"\xb2", b"9" * 19):
            self.assertEqual(self.plan(b"Content-Length: " + value), 400, value)
        self.assertEqual(self.plan(b"Content-Length: %d" % (LIMITS.body_bytes + 1)), 413)
        head = parse(b"POST / HTTP/1.1", b"Host: h", b"Content-Length: 003")
        body = plan_body(head, 10)
        buffer = bytearray(b"ab")
        self.assertFalse(body.feed(buffer))
        buffer += b"cdef"
        self.assertTrue(body.feed(buffer))
        self.assertEqual((body.content, buffer), (b"abc", b"def"))

    def test_lengths_that_can_be_read_in_two_ways_are_refused(self) -> None:
        length, chunks = b"Content-Length: 3", b"Transfer-Encoding: chunked"
        self.assertEqual(self.plan(length, chunks), 400)
        self.assertEqual(self.plan(chunks, length), 400)
        self.assertEqual(self.plan(chunks, version=b"1.0"), 400)
        for coding in (b"gzip, chunked", b"chunked, chunked", b"identity", b"xchunked", b""):
            self.assertEqual(self.plan(b"Transfer-Encoding: " + coding), 501, coding)

    def test_chunks_are_joined_however_they_arrive(self) -> None:
        data = b'5;a="b"\r\nhello\r\n00A ; x\r\n, world\r\n!\r\n0;x\r\nX-T: 1\r\ny:\r\n\r\nPOST'
        for step in range(1, len(data) + 1):
            content, left = take(ChunkedBody(100), data, step)
            self.assertEqual((content, left), (b"hello, world\r\n!", b"POST"))

    def test_broken_chunks_are_refused(self) -> None:
        for data in (
            b"\r\n",
            b"g\r\n",
            b"-1\r\n",
            b"+1\r\n",
            b"0x1\r\n",
            b"1_0\r\n",
            b" 1\r\n",
            b"1\n",
            b"1\r\na\nx",
            b"1\r\nab\r\n",
            b"1\r\na\r\r\n",
            b"1 \r\n",
            b"1\t\r\n",
            b"1;\rx\r\n",
            b"1;\x00\r\n",
            b"000000001\r\n",
            b"1" + b";" * MAX_LINE_BYTES,
            b"0\r\nno colon\r\n",
            b"0\r\n folded: x\r\n",
            b"0\r\na: b\n",
        ):
            for step in (1, len(data)):
                with self.subTest(data=data[:20], step=step), self.assertRaises(HttpFault) as it:
                    take(ChunkedBody(100), data, step)
                self.assertEqual(it.exception.status, 400)

    def test_chunks_beyond_the_limit_are_refused_before_they_come(self) -> None:
        for data in (b"65\r\n", b"ffffffff\r\n", b"64\r\n" + b"a" * 100 + b"\r\n1\r\n"):
            with self.assertRaises(HttpFault) as raised:
                take(ChunkedBody(100), data, 7)
            self.assertEqual(raised.exception.status, 413)

    def test_what_surrounds_the_chunks_is_limited_too(self) -> None:
        for data in (
            (b"1;" + b"x" * 60 + b"\r\na\r\n") * 2,
            b"1\r\na\r\n" * 50,
            b"0\r\n" + b"a: b\r\n" * 50,
        ):
            with self.assertRaises(HttpFault) as raised:
                take(ChunkedBody(100), data, 50)
            self.assertEqual(raised.exception.status, 413, data)


if __name__ == "__main__":
    unittest.main()
