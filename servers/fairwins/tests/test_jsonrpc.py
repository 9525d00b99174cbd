"""Framing: whatever the bytes are, there is one right answer or a good reason for none."""

from __future__ import annotations

import json
import unittest
from random import Random
from typing import Any

from support import Server, notification, request

from fairwins_mcp.salvage import find_id

PING = request("ping", None, "after")
PONG: Any = {"jsonrpc": "2.0", "id": "after", "result": {}}


class BrokenLines(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()

    def check(self, line: bytes, *replies: tuple[object, int]) -> None:
        """A line gets these (id, code) errors, and the server goes on."""
        *errors, last = self.server.exchange(line, PING)
        self.assertEqual(last, PONG)
        self.assertEqual([(e["id"], e["error"]["code"]) for e in errors], list(replies))
        self.assertEqual(len(self.server.notes), 0 if replies else 1, self.server.notes)

    def test_broken_json_with_a_readable_id_is_a_parse_error(self) -> None:
        self.check(b'{"jsonrpc":"2.0","id":7,"method":"tools/list"', (7, -32700))
        self.check(b'{"id":"x y","params":{"id":3},}', ("x y", -32700))

    def test_broken_json_without_a_readable_id_is_dropped_with_a_note(self) -> None:
        for line in (
            b"hello",
            b'{"jsonrpc":"2.0","id":7',
            b'{"id":1,"id":2,}',
            b"\xff\xfe{}",
            b"[",
        ):
            with self.subTest(line=line):
                self.server = Server()
                self.check(line)

    def test_an_id_of_another_type_is_dropped_with_a_note(self) -> None:
        odd: list[object] = [None, True, 1.5, {}, [1]]
        for bad in odd:
            with self.subTest(id=bad):
                self.server = Server()
                self.check(request("ping", None, bad))

    def test_numbers_that_json_does_not_have_are_parse_errors(self) -> None:
        for number in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5000):
            with self.subTest(number=number[:10]):
                line = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":' + number + b"}}"
                self.check(line, (1, -32700))

    def test_deep_nesting_is_a_parse_error(self) -> None:
        nested = b"[" * 200_000 + b"]" * 200_000
        line = b'{"jsonrpc":"2.0","id":2,"method":"ping","params":' + nested + b"}"
        self.check(line, (2, -32700))

    def test_nesting_that_only_some_interpreters_can_parse_is_an_error_too(self) -> None:
        nested = b"[" * 5_000 + b"]" * 5_000
        line = b'{"jsonrpc":"2.0","id":2,"method":"ping","params":' + nested + b"}"
        error, last = self.server.exchange(line, PING)
        self.assertIn(error["error"]["code"], (-32700, -32602))
        self.assertEqual(last, PONG)

    def test_invalid_utf8_is_a_parse_error(self) -> None:
        self.check(b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\xff"}}', (3, -32700))

    def test_what_is_no_request_is_an_invalid_request(self) -> None:
        self.check(b'{"id":4,"method":"ping"}', (4, -32600))
        self.check(b'{"jsonrpc":"1.0","id":4,"method":"ping"}', (4, -32600))
        self.check(b'{"jsonrpc":"2.0","id":4,"method":5}', (4, -32600))
        self.check(b'{"jsonrpc":"2.0","id":4}', (4, -32600))

    def test_params_that_are_no_object_are_invalid_params(self) -> None:
        for params in ([1], "x", None, 0):
            line = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": params})
            self.check(line.encode(), (5, -32602))

    def test_a_line_of_ten_megabytes_is_served(self) -> None:
        long = request("prompts/get", {"name": "x" * 10_000_000})
        self.check(long, (1, -32602))
        self.check(long[:-1], (1, -32700))

    def test_a_line_beyond_the_limit_is_dropped_whole(self) -> None:
        self.check(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (40 << 20) + b'"}')

    def test_notes_hold_no_content_and_are_short(self) -> None:
        self.server.exchange(b'secret {"secret": "secret"' * 1000)
        (note,) = self.server.notes
        self.assertNotIn("secret", note)
        self.assertLess(len(note), 200)

    def test_no_line_stops_the_server(self) -> None:
        random = Random(20260728)
        pieces = [
            b"{",
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b'"',
            b'"id"',
            b"1",
            b"null",
            b"\\",
            b"\\ud800",
        ]
        pieces += [
            b'"method"',
            b'"tools/call"',
            b'"params"',
            b'"jsonrpc"',
            b'"2.0"',
            b"\xff",
            b"1e9",
        ]
        lines = [PING]
        for _ in range(3000):
            good = bytearray(request("tools/call", {"name": "wagers", "arguments": {"first": 1}}))
            for _ in range(random.randint(1, 4)):
                start = random.randrange(len(good))
                good[start : start + random.randint(0, 5)] = random.choice(pieces)
            lines.append(bytes(good).replace(b"\n", b""))
            lines.append(b"".join(random.choices(pieces, k=random.randint(1, 25))))
        replies = self.server.exchange(*lines, PING)
        self.assertEqual((replies[0], replies[-1]), (PONG, PONG))
        self.assertFalse([note for note in self.server.notes if "internal" in note])


class GoodLines(unittest.TestCase):
    def test_blank_lines_and_carriage_returns_are_fine(self) -> None:
        self.assertEqual(Server().exchange(b"", b"  ", PING + b"\r", b"\r"), [PONG])

    def test_a_last_line_without_a_newline_is_served(self) -> None:
        self.assertEqual(Server().exchange(PING[:-1] + b"}"), [PONG])

    def test_unicode_line_separators_do_not_split_a_message(self) -> None:
        line = json.dumps(
            {"jsonrpc": "2.0", "id": "\u2028\u0085", "method": "ping"}, ensure_ascii=False
        )
        (reply,) = Server().exchange(line.encode())
        self.assertEqual(reply["id"], "\u2028\u0085")

    def test_ids_come_back_as_they_went(self) -> None:
        ids: list[str | int] = [0, -1, 2**70, "", "1", "Đ 🌍", "\ud800"]
        for request_id in ids:
            (reply,) = Server().exchange(request("ping", None, request_id))
            self.assertEqual(reply["id"], request_id)
            self.assertIsInstance(reply["id"], type(request_id))

    def test_notifications_and_responses_are_never_answered(self) -> None:
        server = Server()
        lines = [
            notification("notifications/initialized"),
            notification("notifications/nothing", {"a": 1}),
            notification("tools/list"),
            notification("ping", [1]),
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
            b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
        ]
        self.assertEqual(server.exchange(*lines), [])

    def test_text_is_not_escaped_beyond_need(self) -> None:
        server = Server()
        reply = server.ask("prompts/get", {"name": "review", "arguments": {"who": "Đ 🌍"}})
        self.assertIn("Đ 🌍", reply["result"]["messages"][0]["content"]["text"])


class Ids(unittest.TestCase):
    def test_an_id_is_found_only_at_the_top_and_complete(self) -> None:
        cases: list[tuple[str, object]] = [
            ('{"id": 12 , x', 12),
            ('{"id":"a\\"b",', 'a"b'),
            ('{"params":{"id":1},"id":-5}x', -5),
            ('{"x":"id","id":0,', 0),
            ('{"params":{"id":1}', None),
            ('{"x":["id",1],', None),
            ('{"id":01,', None),
            ('{"id":1.5,', None),
            ('{"id":null,', None),
            ('{"id":"cut', None),
            ('["id",1,', None),
            ('{"id":{"id":1},', None),
            ("", None),
        ]
        for text, expected in cases:
            with self.subTest(text=text):
                self.assertEqual(find_id(text), expected)


if __name__ == "__main__":
    unittest.main()
