"""The server as a process and on a port: many callers at once, and a quiet end."""

from __future__ import annotations

import json
import signal
import socket
import threading
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler

from support import TOKEN, Gateway, answer, configure, start
from wire import SERVE, STATUS, HttpServer, Peer, call, message, modern, post, read_port

from fairwins_mcp.http.limits import Limits

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def echo(handler: BaseHTTPRequestHandler) -> None:
    """Answer with what the request was made with."""
    told = {name: handler.headers.get(name) for name in ("Authorization", "X-PAYMENT")}
    answer(200, json.dumps({"state": "read", **told}).encode())(handler)


class Concurrency(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.server = self.enterContext(HttpServer(configure(self.gateway.url)))

    def test_fifty_callers_at_once_each_act_with_their_own_token(self) -> None:
        barrier = threading.Barrier(50, timeout=20)

        def respond(handler: BaseHTTPRequestHandler) -> None:
            barrier.wait()  # all fifty are in the gateway before any is answered
            echo(handler)

        self.gateway.respond = respond

        def ask(number: int) -> str:
            reply = self.server.send(call("wagers", {}, {"Authorization": f"Bearer t{number}"}))
            told: str = reply.document["result"]["structuredContent"]["Authorization"]
            return told

        with ThreadPoolExecutor(50) as pool:
            told = list(pool.map(ask, range(50)))
        self.assertEqual(told, [f"Bearer t{number}" for number in range(50)])

    def test_a_client_that_reads_late_gets_all_it_has_asked_for(self) -> None:
        number = 600  # the requests are more than is read ahead, and the answers some 20 MiB
        with self.server.open() as peer:
            peer.send(post(message("tools/list")) * number)
            for _ in range(number):
                self.assertEqual(peer.receive().status, 200)

    def test_a_slow_call_holds_up_nobody_else(self) -> None:
        self.gateway.respond = self.gateway.hold
        with self.server.open() as slow:
            slow.send(call("news", {"asset": "x"}))
            self.assertTrue(self.gateway.arrived.wait(20))
            self.gateway.respond = answer(200, b'{"state":"read"}')
            reply = self.server.send(call("news", {"asset": "x"}))
            self.assertIs(reply.document["result"]["isError"], False)
            self.assertEqual(self.server.ask("tools/list").status, 200)
            self.assertFalse(self.gateway.release.is_set())
            self.gateway.release.set()
            self.assertEqual(slow.receive().status, 200)

    def test_a_client_that_leaves_has_its_call_hung_up(self) -> None:
        leavings: list[Callable[[Peer], None]] = [
            Peer.close,
            lambda peer: peer.socket.shutdown(socket.SHUT_WR),
        ]
        for leave in leavings:
            self.gateway.gone.clear()
            self.gateway.arrived.clear()
            self.gateway.respond = self.gateway.wait_for_hang_up
            with self.server.open() as peer:
                peer.send(call("news", {"asset": "x"}))
                self.assertTrue(self.gateway.arrived.wait(20))
                leave(peer)
                self.assertTrue(self.gateway.gone.wait(20))
        self.assertEqual(self.server.send(HEALTH).status, 200)

    def test_a_connection_serves_many_requests(self) -> None:
        self.gateway.respond = answer(200, b'{"state":"read"}')
        with self.server.open() as peer:
            for number in range(20):
                peer.send(call("news", {"asset": "x"}) + post(message("ping", None, number)))
                self.assertEqual(peer.receive().status, 200)
                self.assertEqual(peer.receive().document["id"], number)

    def test_a_refusal_reaches_a_client_that_is_still_sending(self) -> None:
        with self.server.open() as peer:
            peer.send(post(b" " * (8 << 20)))
            self.assertEqual(peer.receive().status, 413)
            self.assertEqual(peer.read_all(), b"")

    def test_half_a_request_and_an_end_are_no_trouble(self) -> None:
        for data in (b"", b"\r\n", b"POST /mcp HT", post(message("ping"))[:-5], b"\x00" * 100):
            with self.server.open() as peer:
                peer.send(data)
                peer.socket.shutdown(socket.SHUT_WR)
                self.assertNotIn(b"200 OK", peer.read_all())
        self.assertEqual(self.server.send(HEALTH).status, 200)
        self.assertEqual(self.server.notes, [])


class Limited(unittest.TestCase):
    def test_slow_clients_are_let_go_and_others_get_in(self) -> None:
        limits = Limits(
            connections=2,
            head_seconds=0.05,
            body_seconds=0.05,
            idle_seconds=0.05,
        )
        with HttpServer(limits=limits) as server:
            silent, dripping = server.open(), server.open()
            with silent, dripping:
                dripping.send(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n")
                self.assertEqual(silent.read_all(), b"")
                self.assertIn(b" 408 ", dripping.read_all())
            for _ in range(20):
                with server.open() as peer:
                    peer.send(HEALTH)
                    self.assertEqual(peer.receive("GET").status, 200)

    def test_a_crowd_of_open_connections_shuts_out_nobody(self) -> None:
        with HttpServer(limits=Limits(connections=8)) as server:
            crowd = [server.open() for _ in range(40)]
            for peer in crowd:
                peer.send(b"POST")
            self.assertEqual(server.send(HEALTH).status, 200)
            for peer in crowd:
                peer.close()


class Process(unittest.TestCase):
    def test_a_signal_ends_it_quietly(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with start("--http", code=SERVE) as process:
                port = read_port(process)
                with Peer(port) as idle, Peer(port) as peer:
                    peer.send(HEALTH)
                    self.assertEqual(peer.receive("GET").document, {"status": "ok"})
                    process.send_signal(number)
                    self.assertEqual(idle.read_all() + peer.read_all(), b"")
                out, err = process.communicate()
                self.assertEqual(
                    (process.returncode, out, err), (0, b"", b"fairwins-mcp: stopped\n")
                )

    def test_a_call_in_flight_may_end_after_a_signal(self) -> None:
        with Gateway() as gateway:
            gateway.respond = gateway.hold
            with start("--http", code=SERVE, environment=configure(gateway.url)) as process:
                with Peer(read_port(process)) as peer:
                    peer.send(STATUS)
                    self.assertTrue(gateway.arrived.wait(20))
                    process.send_signal(signal.SIGTERM)
                    gateway.release.set()
                    reply = peer.receive()
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(peer.read_all(), b"")  # and that is the end
                self.assertEqual(process.wait(10), 0)

    def test_a_call_that_does_not_end_is_cut_off_and_told_so(self) -> None:
        with Gateway() as gateway:
            gateway.respond = gateway.wait_for_hang_up
            with start("--http", code=SERVE, environment=configure(gateway.url)) as process:
                with Peer(read_port(process)) as peer:
                    peer.send(STATUS)
                    self.assertTrue(gateway.arrived.wait(20))
                    process.send_signal(signal.SIGTERM)
                    reply = peer.receive()
                    self.assertEqual((reply.status, reply.code), (503, -32603))
                    self.assertTrue(gateway.gone.wait(20))
                self.assertEqual(process.wait(10), 0)

    def test_a_second_signal_does_not_wait(self) -> None:
        with Gateway() as gateway:
            gateway.respond = gateway.hold
            with start("--http", code=SERVE, environment=configure(gateway.url)) as process:
                port = read_port(process)
                with Peer(port) as idle, Peer(port) as peer:
                    peer.send(STATUS)
                    self.assertTrue(gateway.arrived.wait(20))
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(idle.read_all(), b"")  # so the first one has been seen
                    process.send_signal(signal.SIGTERM)
                    # Zero on a machine so slow that half a second has passed since.
                    self.assertIn(process.wait(10), (128 + signal.SIGTERM, 0))

    def test_a_host_that_cannot_be_looked_up_is_said_in_one_line(self) -> None:
        with start("--http", "8080", "--host", "a..b") as process:
            out, err = process.communicate()
        self.assertEqual((process.returncode, out), (1, b""))
        self.assertEqual(
            err.decode(), "fairwins-mcp: cannot listen on a..b:8080: that is no host name\n"
        )

    def test_a_taken_port_is_said_in_one_line(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with start("--http", str(port)) as process:
                out, err = process.communicate()
        self.assertEqual((process.returncode, out), (1, b""))
        self.assertRegex(
            err.decode(), rf"\Afairwins-mcp: cannot listen on 127.0.0.1:{port}: [^\n]+\n\Z"
        )

    def test_it_listens_on_this_machine_alone(self) -> None:
        with start("--http", code=SERVE) as process:
            read_port(process)  # which looks at the address too
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(10), 0)

    def test_a_token_for_everybody_is_refused_before_anything_listens(self) -> None:
        code = (
            "import socket; socket.socket.bind = socket.socket.listen = None; "
            "status = main(); assert 'fairwins_mcp.http.service' in sys.modules; sys.exit(status)"
        )
        with start("--http", code=code, environment=configure("", TOKEN)) as process:
            out, err = process.communicate()
        self.assertEqual((process.returncode, out), (1, b""))
        self.assertIn(b"--allow-shared-token", err)
        self.assertNotIn(b"Traceback", err)
        self.assertNotIn(TOKEN.encode(), err)

    def test_a_token_for_everybody_is_used_when_that_is_meant(self) -> None:
        with Gateway() as gateway:
            gateway.respond = answer(503, b"{}")
            environment = configure(gateway.url, TOKEN)
            arguments = ("--http", "--allow-shared-token")
            with start(*arguments, code=SERVE, environment=environment) as process:
                with Peer(read_port(process)) as peer:
                    peer.send(call("get_membership"))
                    text = peer.receive().texts[0]
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate()
        self.assertEqual(gateway.requests[0][2]["Authorization"], f"Bearer {TOKEN}")
        self.assertNotIn(TOKEN, text + out.decode() + err.decode())

    def test_nothing_reaches_stdout_and_no_secret_reaches_stderr(self) -> None:
        secrets = {"Authorization": f"Bearer {TOKEN}", "X-PAYMENT": "cGF5bWVudA=="}
        code = (
            "import fairwins_mcp.prompts as p; real = p.Prompts.get; "
            "p.Prompts.get = lambda self, params: print('stray') or 1 / 0; " + SERVE
        )
        with start("--http", code=code, environment=configure("http://127.0.0.1:9")) as process:
            with Peer(read_port(process)) as peer:
                peer.send(call("get_wagers", {}, secrets))
                shown = peer.receive().body
                peer.send(modern("prompts/get", {"name": "wager-review"}, secrets))
                reply = peer.receive()
                self.assertEqual((reply.status, reply.code), (200, -32603))
                peer.send(call("get_wagers", {}, secrets).replace(b"Host:", b"Host :"))
                shown += reply.body + peer.receive().body
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate()
        self.assertEqual(out, b"")
        self.assertRegex(err, rb"stray\nfairwins-mcp: internal error: ZeroDivisionError at ")
        for secret in (TOKEN, "cGF5bWVudA"):
            self.assertNotIn(secret.encode(), shown + err)


if __name__ == "__main__":
    unittest.main()
