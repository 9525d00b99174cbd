"""Requests over one connection, driven by hand."""

from __future__ import annotations

import json
import unittest

from room import LAST, PING, SLOW, Room, split, statuses
from wire import make_endpoint, message, modern, post

from fairwins_mcp.http.limits import READ_AHEAD_BYTES
from fairwins_mcp.http.replies import Reply


class Requests(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room()
        self.connection, self.transport = self.room.open()

    def feed(self, data: bytes, step: int = 1 << 20) -> None:
        for start in range(0, len(data), step):
            self.connection.data_received(data[start : start + step])

    def test_a_request_may_arrive_in_any_pieces(self) -> None:
        chunked = (
            b"POST /mcp HTTP/1.1\r\nHost: h\r\n".replace(b": h", b": localhost")
            + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        body = json.dumps(message("ping")).encode()
        chunked += b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        for step in (1, 2, 3, 7, 50):
            self.feed(PING + b"\r\n" + chunked + PING, step)
        self.assertEqual(statuses(self.transport), [200] * 15)
        self.assertEqual(self.transport.ends, [])

    def test_requests_sent_ahead_are_answered_in_order(self) -> None:
        ids = list(range(20))
        self.feed(b"".join(post(message("ping", None, number)) for number in ids))
        self.assertEqual([body["id"] for _, body in split(self.transport.sent)], ids)

    def test_a_call_holds_back_what_follows_it(self) -> None:
        self.feed(SLOW + PING + SLOW + post(message("ping"), LAST))
        self.assertEqual((self.transport.sent, len(self.room.calls)), (b"", 1))
        self.room.finish()
        self.assertEqual((statuses(self.transport), len(self.room.calls)), ([200, 200], 1))
        self.room.finish()
        self.assertEqual(statuses(self.transport), [200] * 4)
        self.assertEqual(self.transport.ends, ["close"])

    def test_reading_stops_while_too_much_waits_for_a_call(self) -> None:
        self.feed(SLOW)
        self.feed(PING * (READ_AHEAD_BYTES // len(PING)))
        self.assertTrue(self.transport.is_reading)
        self.feed(PING * 2)
        self.assertFalse(self.transport.is_reading)
        self.room.finish()
        self.assertTrue(self.transport.is_reading)
        self.assertEqual(len(statuses(self.transport)), READ_AHEAD_BYTES // len(PING) + 3)

    def test_reading_goes_on_once_the_client_reads(self) -> None:
        number = READ_AHEAD_BYTES // len(PING) + 2
        self.connection.pause_writing()
        self.feed(PING * number)
        self.assertFalse(self.transport.is_reading)
        self.connection.resume_writing()
        self.assertTrue(self.transport.is_reading)
        self.feed(PING)
        self.assertEqual(statuses(self.transport), [200] * (number + 1))

    def test_reading_waits_for_the_next_call_too(self) -> None:
        number = READ_AHEAD_BYTES // len(PING) + 2
        self.feed(SLOW + SLOW)
        self.feed(PING * number)
        self.room.finish()
        self.assertFalse(self.transport.is_reading)
        self.room.finish()
        self.assertTrue(self.transport.is_reading)
        self.assertEqual(statuses(self.transport), [200] * (number + 2))

    def test_nothing_is_answered_while_the_client_does_not_read(self) -> None:
        self.connection.pause_writing()
        self.feed(PING * 3)
        self.assertEqual(self.transport.sent, b"")
        self.connection.resume_writing()
        self.assertEqual(statuses(self.transport), [200] * 3)

    def test_nothing_follows_a_last_request(self) -> None:
        self.feed(post(message("ping"), LAST) + PING)
        self.assertEqual((statuses(self.transport), self.transport.ends), ([200], ["close"]))
        self.assertIn(b"\r\nConnection: close\r\n", self.transport.sent)
        self.feed(PING)
        self.assertEqual(statuses(self.transport), [200])

    def test_http_1_0_is_served_once(self) -> None:
        self.feed(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        self.assertEqual((statuses(self.transport), self.transport.ends), ([200], ["close"]))

    def test_a_refused_request_is_the_last_one(self) -> None:
        for data, status in (
            (b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
            (b"NONSENSE\r\n\r\n", 400),
            (b"GET /healthz HTTP/1.1\nHost: localhost\n\n", 400),
            (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: y\n", 400),
            (PING.replace(b"Content-Length", b"Content-Length: 1\r\nContent-Length"), 400),
            (PING.replace(b"Content-Length", b"Transfer-Encoding: chunked\r\nContent-Length"), 400),
            (PING.replace(b"application/json", b"text/plain"), 415),
            (post(message("ping"), {"Content-Type": ""}), 415),
            (post(message("ping"), {"Content-Type": "application/json;charset=latin-1"}), 415),
            (post(message("ping"), {"Content-Encoding": "gzip"}), 415),
            (post(message("ping"), {"Expect": "a miracle"}), 417),
            (post(message("ping"), {"Content-Length": str((256 << 10) + 1)}), 413),
            (b"GET /healthz HTTP/1.1\r\nX: " + b"y" * 8192, 431),
            (b"GET /healthz HTTP/1.1\r\nX: " + b"y" * 8192 + b"\r\n\r\n", 431),
        ):
            with self.subTest(data=data[:60]):
                connection, transport = Room().open()
                connection.data_received(data)
                self.assertEqual((statuses(transport), transport.ends), ([status], ["eof"]))
                connection.data_received(PING)
                self.assertEqual(statuses(transport), [status])

    def test_a_body_of_a_megabyte_is_refused_by_its_length_alone(self) -> None:
        head = post(b"", {"Content-Length": str(1 << 20), "Expect": "100-continue"})
        self.feed(head)
        self.assertEqual(split(self.transport.sent)[0][1]["error"]["code"], "too_large")
        for _ in range(16):
            self.feed(b" " * 65536)
        self.assertEqual(len(self.transport.sent.split(b"HTTP/1.1 ")), 2)

    def test_a_body_of_the_largest_size_is_served(self) -> None:
        body = json.dumps(message("ping")).encode().ljust(256 << 10)
        self.feed(post(body))
        self.assertEqual(statuses(self.transport), [200])

    def test_other_methods_name_those_that_are_allowed(self) -> None:
        for target, method, allowed in (
            ("/mcp", "GET", "POST"),
            ("/mcp", "HEAD", "POST"),
            ("/mcp", "PUT", "POST"),
            ("/mcp", "DELETE", "POST"),
            ("/mcp", "OPTIONS", "POST"),
            ("/mcp", "post", "POST"),
            ("/healthz", "POST", "GET, HEAD"),
            ("/healthz", "OPTIONS", "GET, HEAD"),
        ):
            connection, transport = Room().open()
            connection.data_received(
                f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            head, _, body = transport.sent.partition(b"\r\n\r\n")
            self.assertTrue(head.startswith(b"HTTP/1.1 405 "), head)
            self.assertIn(f"\r\nAllow: {allowed}\r\n".encode(), head)
            self.assertEqual(body == b"", method == "HEAD")

    def test_head_is_get_without_the_body(self) -> None:
        self.feed(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head, _, body = self.transport.sent.partition(b"\r\n\r\n")
        self.assertIn(b"\r\nContent-Length: 15", head)
        self.assertEqual(body, b"")

    def test_a_refusal_has_its_body_whatever_the_request_before_was(self) -> None:
        health = b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.feed(health)
        before = len(self.transport.sent)
        self.feed(b"NONSENSE\r\n\r\n")
        ((status, body),) = split(self.transport.sent[before:])
        self.assertEqual((status, body["error"]["code"]), (400, "malformed_request"))

    def test_a_refused_head_has_no_body(self) -> None:
        self.feed(b"HEAD /healthz HTTP/1.1\r\n\r\n")
        self.assertTrue(self.transport.sent.startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.transport.sent.endswith(b"\r\n\r\n"))

    def test_who_waits_for_leave_to_send_a_body_gets_it(self) -> None:
        head, _, body = post(message("ping"), {"Expect": "100-Continue"}).partition(b"\r\n\r\n")
        self.feed(head + b"\r\n\r\n")
        self.assertEqual(self.transport.sent, b"HTTP/1.1 100 Continue\r\n\r\n")
        self.feed(body)
        self.assertEqual(statuses(self.transport), [100, 200])
        self.feed(head + b"\r\n\r\n" + body)
        self.assertEqual(statuses(self.transport), [100, 200, 200])

    def test_accept_is_no_reason_to_refuse_unless_it_excludes_json(self) -> None:
        for accept, status in (
            ("", 200),
            ("*/*", 200),
            ("application/json", 200),
            ("text/event-stream", 200),
            ("application/json, text/event-stream", 200),
            ("text/html, */*;q=0.1", 200),
            ("application/json;q=0.001", 200),
            ("*/*;q=0, application/json", 200),
            ("nonsense;;;,,", 200),
            ("application/json;q=0", 406),
            ("text/event-stream, application/json; q=0.000", 406),
            ("*/*;q=0", 406),
            ("text/event-stream, application/*;q=0", 406),
        ):
            connection, transport = Room().open()
            connection.data_received(post(message("ping"), {"Accept": accept}))
            self.assertEqual(statuses(transport), [status], accept)

    def test_json_may_say_that_it_is_utf_8(self) -> None:
        for kind in ("application/json; charset=utf-8", 'Application/JSON ;a=b;CHARSET="UTF-8"'):
            self.feed(post(message("ping"), {"Content-Type": kind}))
        self.assertEqual(statuses(self.transport), [200, 200])

    def test_a_fault_of_the_server_is_noted_by_its_place_and_ends_one_connection(self) -> None:
        def fail(head: object) -> None:
            raise ValueError("secret")

        self.room.shared.endpoint.admit = fail  # type: ignore[method-assign]  # a fault on purpose
        self.feed(PING)
        self.assertEqual(statuses(self.transport), [500])
        (note,) = self.room.notes
        self.assertRegex(note, r"\Ainternal error: ValueError at \w+\.py:\d+\Z")
        self.assertNotIn(b"secret", self.transport.sent)


class Replies(unittest.TestCase):
    def test_a_reply_carries_its_fields_to_the_byte(self) -> None:
        value = bytes(range(0xA0, 0x100)).decode("latin-1")
        data = Reply(200, b"{}", [("X-PAYMENT-RESPONSE", value)]).render(is_last=False)
        self.assertIn(b"\r\nX-PAYMENT-RESPONSE: " + value.encode("latin-1") + b"\r\n", data)

    def test_an_unanswered_modern_request_is_a_call(self) -> None:
        endpoint = make_endpoint({"FAIRWINS_API_URL": "http://127.0.0.1:9"})
        room = Room()
        room.shared.endpoint = endpoint
        connection, transport = room.open()
        connection.data_received(modern("resources/read", {"uri": "small://status"}))
        self.assertEqual((len(room.calls), transport.sent), (1, b""))
        room.finish()
        self.assertEqual(split(transport.sent)[0][1]["error"]["code"], -32603)


if __name__ == "__main__":
    unittest.main()
