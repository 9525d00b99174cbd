"""The transport: order, threads, batches, cancellation, and a quiet end."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any

from support import (
    TOKEN,
    Gateway,
    Server,
    answer,
    configure,
    notification,
    receive,
    request,
    run,
    send,
    start,
)

CALL = request("tools/call", {"name": "get_gateway_status"}, "call")
PING = request("ping", None, "ping")
PONG: Any = {"jsonrpc": "2.0", "id": "ping", "result": {}}


def cancel(request_id: object) -> bytes:
    return notification("notifications/cancelled", {"requestId": request_id, "reason": "bored"})


def batch(*lines: bytes) -> bytes:
    return b"[" + b",".join(lines) + b"]"


class SlowCalls(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.gateway.respond = self.gateway.hold

    def start(self, **more: str) -> subprocess.Popen[bytes]:
        environment = configure(self.gateway.url, TOKEN, **more)
        return self.enterContext(start(environment=environment))

    def test_a_ping_is_answered_while_calls_wait(self) -> None:
        process = self.start()
        send(process, *[CALL] * 40, PING)
        self.assertEqual(receive(process), PONG)
        self.gateway.release.set()
        for _ in range(40):
            self.assertIn("result", receive(process))

    def test_accepted_calls_are_answered_after_the_end_of_input(self) -> None:
        process = self.start()
        calls = [request("tools/call", {"name": "get_gateway_status"}, n) for n in range(50)]
        send(process, *calls)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        self.assertTrue(self.gateway.arrived.wait(20))
        self.gateway.release.set()
        replies = [json.loads(line) for line in process.stdout]
        self.assertEqual(sorted(reply["id"] for reply in replies), list(range(50)))
        self.assertEqual(process.wait(20), 0)

    def test_a_hundred_calls_wait_for_the_gateway_together(self) -> None:
        barrier = threading.Barrier(100, timeout=20)

        def respond(handler: BaseHTTPRequestHandler) -> None:
            barrier.wait()  # all of them are in the gateway before any is answered
            answer(200, b'{"state":"read"}')(handler)

        self.gateway.respond = respond
        process = self.start()
        send(process, *[CALL] * 100)
        for _ in range(100):
            self.assertIn("result", receive(process))
        self.assertFalse(barrier.broken)

    def test_a_call_that_outlasts_the_end_of_input_is_cut_off_and_answered(self) -> None:
        self.gateway.respond = self.gateway.wait_for_hang_up
        process = self.start()
        send(process, CALL)
        out, err = process.communicate()
        self.assert_is_cut(json.loads(out), "call")
        self.assertEqual((err, process.returncode), (b"", 0))
        self.assertTrue(self.gateway.gone.wait(20))

    def test_a_cut_batch_keeps_the_answers_that_there_are(self) -> None:
        process = self.start()
        opening = request("initialize", {"protocolVersion": "2025-03-26"}, "opening")
        send(process, opening, batch(PING, CALL, request("nothing", None, 3)))
        out, _ = process.communicate()
        pong, cut, unknown = json.loads(out.splitlines()[1])
        self.assertEqual((pong, unknown["error"]["code"]), (PONG, -32601))
        self.assert_is_cut(cut, "call")

    def test_a_signal_cuts_calls_off_and_answers_them_unless_they_were_cancelled(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.gateway.arrived.clear()
            self.gateway.gone.clear()
            self.gateway.respond = self.gateway.wait_for_hang_up
            process = self.start()
            other = request("tools/call", {"name": "get_gateway_status"}, "other")
            send(process, other, CALL)
            self.assertTrue(self.gateway.arrived.wait(20))
            send(process, cancel("other"), PING)
            self.assertEqual(receive(process), PONG)
            process.send_signal(number)
            self.assert_is_cut(receive(process), "call")
            self.assertEqual(process.wait(10), 128 + number)
            self.assertTrue(self.gateway.gone.wait(20))
            out, err = process.communicate()
            self.assertEqual((out, err), (b"", b""))

    def assert_is_cut(self, reply: Any, request_id: str) -> None:
        self.assertEqual((reply["id"], reply["error"]["code"]), (request_id, -32603))
        self.assertIn("is stopping", reply["error"]["message"])

    def test_a_client_that_no_longer_reads_ends_its_calls(self) -> None:
        self.gateway.respond = self.gateway.wait_for_hang_up
        process = self.start()
        send(process, CALL)
        self.assertTrue(self.gateway.arrived.wait(20))
        assert process.stdout is not None
        process.stdout.close()
        self.assertEqual(process.wait(20), 0)  # with its input still open
        self.assertTrue(self.gateway.gone.wait(20))

    def test_a_vanished_client_ends_the_wait(self) -> None:
        process = self.start()
        send(process, CALL)
        self.assertTrue(self.gateway.arrived.wait(20))
        assert process.stdin is not None and process.stdout is not None
        process.stdout.close()
        process.stdin.close()
        self.assertEqual(process.wait(20), 0)
        self.assertFalse(self.gateway.release.is_set())

    def test_a_late_answer_to_a_vanished_client_ends_the_process(self) -> None:
        process = self.start()
        send(process, CALL)
        self.assertTrue(self.gateway.arrived.wait(20))
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        self.gateway.release.set()
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(process.stderr.read(), b"")

    def test_a_cancelled_call_is_dropped_and_hung_up(self) -> None:
        self.gateway.respond = self.gateway.wait_for_hang_up
        process = self.start()
        send(process, CALL)
        self.assertTrue(self.gateway.arrived.wait(20))
        send(process, cancel("call"), cancel("call"), PING)
        self.assertEqual(receive(process), PONG)
        self.assertTrue(self.gateway.gone.wait(20))
        out, err = process.communicate()
        self.assertEqual((out, err, process.returncode), (b"", b"", 0))

    def test_a_call_that_waits_for_a_free_thread_can_be_cancelled(self) -> None:
        process = self.start()
        calls = [request("tools/call", {"name": "get_gateway_status"}, n) for n in range(257)]
        send(process, *calls, cancel(256), PING)
        self.assertEqual(receive(process), PONG)
        self.gateway.release.set()
        replies = [receive(process)["id"] for _ in range(256)]
        self.assertEqual(sorted(replies), list(range(256)))
        self.assertEqual(process.communicate(), (b"", b""))
        self.assertEqual(len(self.gateway.requests), 256)

    def test_cancelling_what_is_unknown_or_malformed_does_nothing(self) -> None:
        process = self.start()
        odd = [cancel(None), cancel([]), cancel(True), cancel("nothing"), cancel(1.5)]
        send(process, CALL, *odd, notification("notifications/cancelled"), PING)
        self.assertEqual(receive(process), PONG)
        self.gateway.release.set()
        self.assertEqual(receive(process)["id"], "call")
        send(process, cancel("call"), PING)
        self.assertEqual(receive(process), PONG)

    def test_an_id_is_cancelled_with_its_type(self) -> None:
        process = self.start()
        for request_id in (1, "1"):
            send(process, request("tools/call", {"name": "get_gateway_status"}, request_id))
        send(process, cancel(1), PING)
        self.assertEqual(receive(process), PONG)
        self.gateway.release.set()
        self.assertEqual(receive(process)["id"], "1")
        out, _ = process.communicate()
        self.assertEqual(out, b"")

    def test_time_is_limited_for_the_whole_answer(self) -> None:
        for respond in (self.gateway.wait_for_hang_up, self.gateway.drip):
            self.gateway.respond = respond
            process = self.start(FAIRWINS_TIMEOUT_MS="300")
            send(process, CALL)
            text = receive(process)["result"]["content"][0]["text"]
            self.assertIn("api_timeout — no complete answer came within 0.3 s.", text)


class Batches(unittest.TestCase):
    def exchange(self, *lines: bytes, version: str = "2025-03-26") -> list[Any]:
        server = Server()
        opening = request("initialize", {"protocolVersion": version}, "opening")
        return server.exchange(opening, *lines)[1:]

    def test_a_batch_gets_one_array_of_its_replies(self) -> None:
        inner = batch(PING, notification("notifications/initialized"), request("nothing", None, 2))
        (replies,) = self.exchange(inner)
        self.assertEqual(replies[0], PONG)
        self.assertEqual((replies[1]["id"], replies[1]["error"]["code"]), (2, -32601))
        self.assertEqual(len(replies), 2)

    def test_a_batch_with_calls_waits_for_all_of_them(self) -> None:
        with Gateway() as gateway:
            gateway.respond = answer(200, b'{"state":"read"}')
            server = Server(configure(gateway.url))
            opening = request("initialize", {"protocolVersion": "2025-03-26"}, "opening")
            news = {"name": "news", "arguments": {"asset": "x"}}
            calls = batch(
                request("tools/call", news, 1), PING, request("tools/call", news, 2), cancel(2)
            )
            _, replies = server.exchange(opening, calls)
        self.assertEqual([reply["id"] for reply in replies], [1, "ping"])
        self.assertIs(replies[0]["result"]["isError"], False)

    def test_a_batch_of_notifications_gets_no_reply(self) -> None:
        self.assertEqual(self.exchange(batch(notification("notifications/initialized"))), [])

    def test_initialize_does_not_belong_in_a_batch(self) -> None:
        ((reply,),) = self.exchange(batch(request("initialize", {"protocolVersion": "2025-06-18"})))
        self.assertEqual(reply["error"]["code"], -32600)

    def test_broken_members_do_not_spoil_a_batch(self) -> None:
        ((first, last),) = self.exchange(batch(b'{"id":9}', b"5", b"[]", b"null", PING))
        self.assertEqual((first["id"], first["error"]["code"]), (9, -32600))
        self.assertEqual(last, PONG)

    def test_other_revisions_refuse_every_request_of_an_array(self) -> None:
        lines = batch(PING, notification("notifications/initialized"), request("ping", None, 2))
        for version in ("2024-11-05", "2025-06-18", "2025-11-25"):
            replies = self.exchange(lines, version=version)
            self.assertEqual([r["id"] for r in replies], ["ping", 2])
            self.assertEqual({r["error"]["code"] for r in replies}, {-32600})
        replies = Server().exchange(lines)
        self.assertEqual([r["error"]["code"] for r in replies], [-32600, -32600])

    def test_an_array_without_a_readable_id_is_dropped_with_a_note(self) -> None:
        for line in (b"[]", b"[1,null]", batch(notification("ping"))):
            server = Server()
            self.assertEqual(server.exchange(line), [])
            self.assertEqual(server.notes, ["dropped a batch without a readable id"])


class Process(unittest.TestCase):
    def test_a_session_of_each_kind_leaves_nothing_but_messages_on_stdout(self) -> None:
        lines = [
            request("initialize", {"protocolVersion": "2025-06-18"}, 1),
            notification("notifications/initialized"),
            request("tools/list", None, 2),
            request("tools/call", {"name": "get_gateway_status"}, 3),
            request("resources/read", {"uri": "fairwins://guide"}, 4),
            request("server/discover", {"_meta": {}}, 5),
            b"noise",
        ]
        status, out, err = run(*lines)
        self.assertEqual(status, 0)
        replies = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([reply["id"] for reply in replies], [1, 2, 3, 4, 5])
        self.assertRegex(err.decode(), r"\Afairwins-mcp: dropped a line of 6 bytes: [^\n]+\n\Z")

    def test_input_that_is_empty_or_closed_ends_with_status_0(self) -> None:
        self.assertEqual(run(), (0, b"", b""))
        with start(code="import os; os.close(0); sys.exit(main())") as process:
            out, err = process.communicate()
            self.assertEqual((process.returncode, out), (0, b""))
            self.assertEqual(err.count(b"\n"), 1)

    def test_signals_end_it_quietly_with_input_open(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            with start() as process:
                send(process, PING)
                self.assertEqual(receive(process), PONG)
                process.send_signal(number)
                self.assertEqual(process.wait(10), 128 + number)
                assert process.stderr is not None and process.stdout is not None
                self.assertEqual(process.stderr.read() + process.stdout.read(), b"")

    def test_a_signal_cuts_no_line(self) -> None:
        with start() as process:
            send(process, *[request("tools/list", None, n) for n in range(500)])
            self.assertEqual(receive(process)["id"], 0)
            process.send_signal(signal.SIGTERM)
            assert process.stdout is not None
            for number, line in enumerate(process.stdout, 1):
                self.assertEqual(json.loads(line)["id"], number)
            self.assertEqual(process.wait(10), 128 + signal.SIGTERM)

    def test_a_signal_ends_it_although_nobody_reads(self) -> None:
        with start() as process:
            send(process, *[request("tools/list", None, n) for n in range(500)])
            self.assertEqual(receive(process)["id"], 0)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(10), 128 + signal.SIGTERM)

    def test_signals_end_it_quietly_while_a_call_waits(self) -> None:
        with Gateway() as gateway:
            gateway.respond = gateway.hold
            for end_input in (False, True):
                with start(environment=configure(gateway.url)) as process:
                    gateway.arrived.clear()
                    send(process, CALL)
                    self.assertTrue(gateway.arrived.wait(20))
                    assert process.stdin is not None
                    if end_input:
                        process.stdin.close()
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(10), 128 + signal.SIGTERM)

    def test_a_closed_output_ends_it_quietly(self) -> None:
        with start() as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()
            send(process, PING)
            self.assertEqual(process.wait(10), 0)
            self.assertEqual(process.stderr.read(), b"")

    def test_pipes_in_non_blocking_mode_are_served(self) -> None:
        code = "import os; os.set_blocking(0, False); os.set_blocking(1, False); sys.exit(main())"
        with start(code=code) as process:
            send(process, *[request("tools/list", None, n) for n in range(30)])
            for n in range(30):
                self.assertEqual(receive(process)["id"], n)

    def test_the_encoding_of_the_system_does_not_matter(self) -> None:
        arguments = {"name": "wager-review", "arguments": {"chainId": "Đ 🌍"}}
        environment = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
        line = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": arguments},
            ensure_ascii=False,
        )
        status, out, err = run(line.encode(), environment=environment)
        self.assertEqual((status, err), (0, b""))
        self.assertIn("Đ 🌍".encode(), out)

    def test_a_token_appears_nowhere(self) -> None:
        lines = [
            request("tools/call", {"name": name, "arguments": {}}, name)
            for name in ("get_wagers", "get_profile", "build_intent")
        ]
        for token in (TOKEN, TOKEN + "\n"):
            environment = configure("http://127.0.0.1:9", token)
            _, out, err = run(*lines, b"x", environment=environment)
            self.assertEqual(len(out.splitlines()), 3)
            self.assertNotIn(TOKEN.encode(), out + err)

    def test_two_thousand_lists_are_answered_in_order(self) -> None:
        lines = [request("tools/list", None, n) for n in range(2000)]
        status, out, _ = run(*lines)
        self.assertEqual(status, 0)
        self.assertEqual([json.loads(line)["id"] for line in out.splitlines()], list(range(2000)))

    def test_a_stray_print_does_not_reach_the_client(self) -> None:
        code = (
            "import fairwins_mcp.prompts as p; real = p.Prompts.get; "
            "p.Prompts.get = lambda self, params: print('stray') or real(self, params); "
            "sys.exit(main())"
        )
        with start(code=code) as process:
            out, err = process.communicate(request("prompts/get", {"name": "wager-review"}) + b"\n")
        self.assertEqual(len([json.loads(line) for line in out.splitlines()]), 1)
        self.assertEqual(err, b"stray\n")


if __name__ == "__main__":
    unittest.main()
