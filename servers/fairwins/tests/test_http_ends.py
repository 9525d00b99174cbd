"""How connections end: by time, by crowds, by the end of the server."""

from __future__ import annotations

import errno
import unittest
from typing import TYPE_CHECKING

from room import LAST, LIMITS, PING, SLOW, Room, Transport, split, statuses
from wire import message, post

from fairwins_mcp.http.connection import Connection
from fairwins_mcp.http.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable


class Ends(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room()
        self.connection, self.transport = self.room.open()

    def test_a_client_that_leaves_cancels_its_call(self) -> None:
        leavings: list[Callable[[], object]] = [
            lambda: self.connection.connection_lost(None),
            lambda: self.assertFalse(self.connection.eof_received()),
        ]
        for leave in leavings:
            self.setUp()
            self.connection.data_received(SLOW + PING)
            leave()
            self.assertIsNone(self.room.carrier.run(self.room.calls[0][0].steps()))
            self.room.finish()
            self.assertEqual(self.transport.sent, b"")

    def test_a_silent_client_is_closed(self) -> None:
        self.room.after(LIMITS.head_seconds - 1)
        self.assertEqual(self.transport.ends, [])
        self.room.after(1)
        self.assertEqual((self.transport.sent, self.transport.ends), (b"", ["close"]))

    def test_a_client_that_reads_nothing_is_cut_off_after_that(self) -> None:
        self.room.after(LIMITS.head_seconds)
        self.room.after(LIMITS.write_seconds)
        self.assertEqual(self.transport.ends, ["close", "abort"])

    def test_a_head_has_its_time_however_it_drips(self) -> None:
        self.connection.data_received(PING)
        for _ in range(int(LIMITS.head_seconds)):
            self.connection.data_received(b"X")
            self.assertEqual(self.transport.ends, [])
            self.room.after(1)
        self.assertEqual((statuses(self.transport), self.transport.ends), ([200, 408], ["eof"]))

    def test_a_body_has_its_time_however_it_drips(self) -> None:
        head, _, _ = PING.partition(b"\r\n\r\n")
        self.connection.data_received(head + b"\r\n\r\n")
        for _ in range(int(LIMITS.body_seconds)):
            self.connection.data_received(b" ")
            self.assertEqual(self.transport.ends, [])
            self.room.after(1)
        self.assertEqual((statuses(self.transport), self.transport.ends), ([408], ["eof"]))

    def test_an_idle_client_may_come_back_for_a_while(self) -> None:
        for _ in range(3):
            self.connection.data_received(PING)
            self.room.after(LIMITS.idle_seconds - 1)
        self.assertEqual((statuses(self.transport), self.transport.ends), ([200] * 3, []))
        self.connection.data_received(b"\r\n")  # no request begins with this
        self.room.after(1)
        self.assertEqual(self.transport.ends, ["close"])

    def test_empty_lines_give_no_more_time(self) -> None:
        for line in ([b"\r\n"], [b"\r", b"\n"]):
            self.setUp()
            self.room.after(LIMITS.head_seconds - 1)
            for piece in line:
                self.connection.data_received(piece)
            self.room.after(1)
            self.assertEqual((self.transport.sent, self.transport.ends), (b"", ["close"]))

    def test_one_empty_line_may_precede_a_request_and_not_two(self) -> None:
        self.connection.data_received(b"\r\n" + PING + b"\r\n" + PING)
        self.assertEqual((statuses(self.transport), self.transport.ends), ([200, 200], []))
        self.connection.data_received(b"\r\n")
        self.connection.data_received(b"\r\n")
        self.assertEqual((statuses(self.transport)[2:], self.transport.ends), ([400], ["eof"]))

    def test_a_client_that_does_not_take_its_answer_is_cut_off(self) -> None:
        self.connection.data_received(PING)
        self.connection.pause_writing()
        self.room.after(LIMITS.write_seconds)
        self.assertEqual(self.transport.ends, ["abort"])

    def test_a_call_has_no_time_here(self) -> None:
        self.connection.data_received(SLOW)
        self.room.after(1e6)
        self.assertEqual(self.transport.ends, [])
        self.room.finish()
        self.assertEqual(statuses(self.transport), [200])

    def test_a_refused_client_has_a_moment_to_read_why(self) -> None:
        self.connection.data_received(b"NONSENSE\r\n\r\n")
        self.connection.data_received(b"more of it")
        self.room.after(LIMITS.linger_seconds)
        self.assertEqual(self.transport.ends, ["eof", "abort"])


class Gone(Transport):
    """A transport whose client is gone, which the event loop does not know yet."""

    def write_eof(self) -> None:
        raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")


class Broken(Transport):
    """A transport that fails where none should."""

    def close(self) -> None:
        raise RuntimeError("private")


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room()

    def join(self, transport: Transport) -> Connection:
        connection = Connection(self.room.shared)
        connection.connection_made(transport)
        return connection

    def test_a_client_that_is_gone_when_its_time_is_over_is_aborted(self) -> None:
        transport = Gone()
        self.join(transport).data_received(b"POST")
        self.room.after(LIMITS.head_seconds)
        self.assertEqual((statuses(transport), transport.ends), ([408], ["abort"]))
        self.assertEqual(self.room.notes, [])

    def test_a_connection_that_fails_at_its_end_is_noted_once_and_spoils_no_other(self) -> None:
        ends: list[Callable[[], object]] = [
            lambda: self.room.after(LIMITS.head_seconds),
            lambda: self.room.shared.stop(),
        ]
        for end in ends:
            self.setUp()
            self.join(Broken())
            others = [self.room.open()[1] for _ in range(2)]
            end()
            self.room.after(0)
            self.assertEqual([transport.ends for transport in others], [["close"]] * 2)
            self.assertEqual(len(self.room.notes), 1)
            self.assertRegex(self.room.notes[0], r"^internal error: RuntimeError at \S+:\d+$")


class Crowds(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room()

    def open_in_turn(self, number: int) -> list[tuple[Connection, Transport]]:
        opened = []
        for _ in range(number):
            opened.append(self.room.open())
            self.room.time += 1
        return opened

    def test_the_client_that_waits_longest_makes_room(self) -> None:
        first, second, third = self.open_in_turn(3)
        first[0].data_received(PING)  # has just been served
        newcomer = self.room.open()
        self.assertEqual((statuses(second[1]), second[1].ends), ([503], ["eof"]))
        second[0].connection_lost(None)
        self.assertEqual(len(self.room.shared), 3)
        for connection, transport in (first, third, newcomer):
            connection.data_received(PING)
            self.assertEqual((statuses(transport)[-1], transport.ends), (200, []))

    def test_clients_that_drip_make_room_too(self) -> None:
        for connection, _ in self.open_in_turn(3):
            connection.data_received(b"POST /mcp HTTP/1.1\r\n")
        for _ in range(10):
            connection, transport = self.room.open()
            connection.data_received(post(message("ping"), LAST))
            self.assertEqual(statuses(transport), [200])
            connection.connection_lost(None)

    def test_in_a_rush_everybody_gets_an_answer(self) -> None:
        room = Room(Limits(connections=3))
        crowd = [room.open() for _ in range(5)]  # all come before the first request is read
        for connection, _ in crowd:
            connection.data_received(PING)
        answers = [(statuses(transport), transport.ends) for _, transport in crowd]
        self.assertCountEqual(answers, [([200], [])] * 3 + [([503], ["eof"])] * 2)

    def test_who_waits_between_two_requests_is_let_go_without_a_word(self) -> None:
        room = Room(Limits(connections=1))
        served, transport = room.open()
        served.data_received(PING)
        newcomer, other = room.open()
        newcomer.data_received(PING)
        self.assertEqual((statuses(transport), transport.ends), ([200], ["abort"]))
        self.assertEqual((statuses(other), other.ends), ([200], []))

    def test_calls_are_not_given_up_for_a_newcomer(self) -> None:
        opened = self.open_in_turn(3)
        for connection, _ in opened:
            connection.data_received(SLOW)
        _, refused = self.room.open()
        self.assertEqual((statuses(refused), refused.ends), ([503], ["eof"]))
        self.assertIn(b"\r\nRetry-After: 1\r\n", refused.sent)
        for _, transport in opened:
            self.room.finish()
            self.assertEqual((statuses(transport), transport.ends), ([200], []))

    def test_who_finds_no_room_can_read_so_and_is_let_go_in_time(self) -> None:
        room = Room(Limits(connections=1, refusals=2))
        room.open()[0].data_received(SLOW)
        (first, told), (_, other), (_, unheard) = room.open(), room.open(), room.open()
        first.data_received(PING)  # closed with this unread, it would be reset and lose its answer
        self.assertEqual((statuses(told), told.ends), ([503], ["eof"]))
        self.assertEqual((unheard.sent, unheard.ends), (b"", ["abort"]))
        room.after(Limits().linger_seconds)
        self.assertEqual((told.ends, other.ends), (["eof", "abort"], ["eof", "abort"]))
        first.connection_lost(None)
        _, next_one = room.open()
        room.shared.stop()
        self.assertEqual((statuses(next_one), next_one.ends), ([503], ["eof", "abort"]))
        self.assertEqual(len(room.shared), 1)

    def test_who_was_refused_is_not_counted_out(self) -> None:
        opened = self.open_in_turn(3)
        for connection, _ in opened:
            connection.data_received(SLOW)
        refused, _ = self.room.open()
        refused.connection_lost(None)
        self.assertEqual(len(self.room.shared), 3)


class Stops(unittest.TestCase):
    def setUp(self) -> None:
        self.room = Room()
        self.emptied: list[bool] = []
        self.room.shared.on_empty = lambda: self.emptied.append(True)

    def test_a_stop_closes_all_but_running_calls(self) -> None:
        idle, dripping, calling = self.room.open(), self.room.open(), self.room.open()
        dripping[0].data_received(b"POST")
        calling[0].data_received(SLOW + PING)
        self.room.shared.stop()
        self.assertEqual([t.ends for _, t in (idle, dripping, calling)], [["close"]] * 2 + [[]])
        self.room.finish()
        self.assertEqual((statuses(calling[1]), calling[1].ends), ([200], ["close"]))
        self.assertIn(b"\r\nConnection: close\r\n", calling[1].sent)
        self.assertEqual(self.emptied, [])
        for connection, _ in (idle, dripping, calling):
            connection.connection_lost(None)
        self.assertEqual(self.emptied, [True])

    def test_a_call_that_is_cut_off_is_answered_as_unknown(self) -> None:
        connection, transport = self.room.open()
        connection.data_received(SLOW)
        self.room.shared.stop()
        self.room.shared.cut()
        ((status, body),) = split(transport.sent)
        self.assertEqual((status, body["id"], body["error"]["code"]), (503, 1, -32603))
        self.assertIn("unknown", body["error"]["message"])
        self.assertEqual(transport.ends, ["close"])
        self.room.finish()
        self.assertEqual(len(split(transport.sent)), 1)

    def test_what_will_not_end_is_aborted(self) -> None:
        _, transport = self.room.open()
        self.room.shared.abort()
        self.assertEqual(transport.ends, ["abort"])


if __name__ == "__main__":
    unittest.main()
