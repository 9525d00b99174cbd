"""Connections that are kept: by whom, for how long, and above all when not."""

from __future__ import annotations

import signal
import threading
import unittest
from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from carriers import LoopThread
from support import TOKEN, configure, receive, request, send, start
from wire import SERVE, STATUS, Peer, read_port

from fairwins_mcp.api import Api
from fairwins_mcp.caller import Caller, Secret
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.errors import ApiError, CancelledCallError
from fairwins_mcp.payments import Payment
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import BaseUrl, Settings
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
from fairwins_mcp.upstream.dialogue import MAX_BODY_BYTES
from fairwins_mcp.upstream.exchange import Exchange
from upstream import TIMEOUT, Asked, Last, Upstream, reply

if TYPE_CHECKING:
    from fairwins_mcp.shapes import Steps

NOBODY = Caller(None, "")
CHUNKED = reply(b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", "Transfer-Encoding: chunked", length=False)
# In place of the last step of a process: end it with the number of sockets that are still open.
COUNT = (
    "main(); import gc, socket; "
    "sys.exit(sum(isinstance(o, socket.socket) and o.fileno() >= 0 for o in gc.get_objects()))"
)


def be_good(asked: Asked) -> bytes:
    return reply()


def fail_at(connection: int, number: int, answer: bytes) -> Callable[[Asked], bytes]:
    """Make a script: one answer differs from the others."""
    place = (connection, number)
    return lambda asked: answer if (asked.connection, asked.number) == place else reply()


class Case(unittest.TestCase):
    """Send requests in one way; the same cases are tried in the other one further down."""

    open_carrier: Callable[[], BlockingCarrier | LoopThread] = BlockingCarrier

    def connect(
        self, script: Callable[[Asked], bytes] = be_good, timeout: str = "15000"
    ) -> Upstream:
        upstream = self.enterContext(Upstream(script))
        settings = Settings.from_environment(configure(upstream.url, FAIRWINS_TIMEOUT_MS=timeout))
        self.api = Api(settings)
        self.carrier = self.enterContext(closing(self.open_carrier()))
        return upstream

    def take(
        self, sent: ApiRequest, caller: Caller = NOBODY, cancellation: Cancellation | None = None
    ) -> object:
        steps = self.api.send(sent, caller, cancellation or Cancellation())
        return self.carrier.run(steps).document

    def get(self, caller: Caller = NOBODY, cancellation: Cancellation | None = None) -> object:
        sent = ApiRequest("GET", "/x", None, bearer=caller.token is not None)
        return self.take(sent, caller, cancellation)

    def post(self) -> object:
        sent = ApiRequest("POST", "/x", b'{"a":1}', bearer=False)
        return self.take(sent)

    def pay(self) -> object:
        sent = ApiRequest("GET", "/x", None, bearer=True)
        sent.pay(Payment("X-PAYMENT", "once"))
        return self.take(sent)

    def fail_by(self, ask: Callable[[], object]) -> str:
        with self.assertRaises(ApiError) as raised:
            ask()
        return raised.exception.code


class Reuse(Case):
    def test_calls_one_after_another_share_a_connection(self) -> None:
        upstream = self.connect(lambda asked: CHUNKED if asked.number % 2 else reply())
        for _ in range(6):
            self.assertEqual(self.get(), {})
        self.assertEqual(upstream.accepted, 1)
        self.assertEqual([asked.number for asked in upstream.asked], [0, 1, 2, 3, 4, 5])

    def test_a_refusal_that_was_read_to_its_end_leaves_the_connection_usable(self) -> None:
        upstream = self.connect(fail_at(0, 0, reply(b'{"error":{}}', status="503 No")))
        self.assertEqual(self.fail_by(self.get), "http_503")
        self.get()
        self.assertEqual(upstream.accepted, 1)

    def test_each_request_has_the_credential_of_its_own_caller(self) -> None:
        upstream = self.connect()
        for token in ("fw1.alice", "fw1.bob", "", "fw1.alice"):
            self.get(Caller(Secret(token) if token else None, ""))
        seen = [asked.headers.get("Authorization") for asked in upstream.asked]
        self.assertEqual(seen, ["Bearer fw1.alice", "Bearer fw1.bob", None, "Bearer fw1.alice"])
        self.assertEqual(upstream.accepted, 1)

    def test_nothing_asks_the_api_to_hang_up(self) -> None:
        upstream = self.connect()
        self.get()
        self.assertNotIn("Connection", upstream.asked[0].headers)

    def test_calls_at_the_same_time_never_share_one(self) -> None:
        crowd, calls = 8, 12
        everybody = threading.Barrier(crowd, timeout=TIMEOUT)

        def echo(asked: Asked) -> bytes:
            if asked.number == 0:
                everybody.wait()  # all of them are under way at once
            token = asked.headers["Authorization"].removeprefix("Bearer ")
            return reply(b'{"member":"%s"}' % token.encode())

        upstream = self.connect(echo)
        wrong: list[object] = []

        def act(member: str) -> None:
            for _ in range(calls):
                answer = self.get(Caller(Secret(member), ""))
                if answer != {"member": member}:
                    wrong.append(answer)

        threads = [threading.Thread(target=act, args=(f"m{n}",)) for n in range(crowd)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
        self.assertEqual((wrong, upstream.surplus), ([], b""))
        self.assertEqual(len(upstream.asked), crowd * calls)
        self.assertEqual(upstream.accepted, crowd)

    def test_the_parts_of_the_protocol_share_connections(self) -> None:
        upstream = self.connect(lambda asked: reply(b'{"state":"read","chains":{}}'))
        argument = {"name": "chainId", "value": ""}
        reference = {"type": "ref/prompt", "name": "wager-review"}
        steps = (
            request("tools/call", {"name": "get_gateway_status"}),
            request("resources/read", {"uri": "fairwins://status"}),
            request("completion/complete", {"ref": reference, "argument": argument}),
        )
        with start(environment=configure(upstream.url)) as process:
            for step in steps:
                send(process, step)
                self.assertIn("result", receive(process))
        self.assertEqual((len(upstream.asked), upstream.accepted), (3, 1))


class Ends(Case):
    """A connection that the other end gave up while it waited here."""

    def test_a_connection_that_was_closed_meanwhile_is_not_used(self) -> None:
        upstream = self.connect()
        self.get()
        upstream.drop(0)
        for ask in (self.get, self.post, self.pay):
            self.assertEqual(ask(), {})
        self.assertEqual(len(upstream.asked), 4)

    def test_a_read_that_finds_it_closed_goes_out_once_more(self) -> None:
        upstream = self.connect(fail_at(0, 1, Last()))
        self.get()
        self.assertEqual(self.get(Caller(Secret(TOKEN), "")), {})
        places = [(asked.connection, asked.number) for asked in upstream.asked]
        self.assertEqual(places, [(0, 0), (0, 1), (1, 0)])
        self.assertEqual(upstream.asked[1].headers, upstream.asked[2].headers)

    def test_it_goes_out_once_more_and_not_twice(self) -> None:
        upstream = self.connect(lambda asked: reply() if len(upstream.asked) == 1 else Last())
        self.get()
        self.assertEqual(self.fail_by(self.get), "api_unreachable")
        self.assertEqual(len(upstream.asked), 3)

    def test_a_new_connection_that_ends_without_an_answer_is_a_failure(self) -> None:
        upstream = self.connect(lambda asked: Last())
        self.assertEqual(self.fail_by(self.get), "api_unreachable")
        self.assertEqual(len(upstream.asked), 1)

    def test_nothing_goes_out_again_after_the_first_byte_of_an_answer(self) -> None:
        for answer, code in ((b"H", "invalid_response"), (reply()[:-1], "api_unreachable")):
            upstream = self.connect(fail_at(0, 1, Last(answer)))
            self.get()
            self.assertEqual(self.fail_by(self.get), code)
            self.assertEqual(len(upstream.asked), 2)

    def test_what_must_not_arrive_twice_has_a_new_connection_and_one_try(self) -> None:
        for ask in (self.post, self.pay):
            upstream = self.connect(fail_at(1, 0, Last()))
            self.get()
            self.assertEqual(self.fail_by(ask), "api_unreachable")
            places = [(asked.connection, asked.number) for asked in upstream.asked]
            self.assertEqual(places, [(0, 0), (1, 0)])

    def test_a_build_or_payment_leaves_its_connection_to_reads(self) -> None:
        for ask in (self.post, self.pay):
            upstream = self.connect()
            ask()
            self.get()
            self.assertEqual(upstream.accepted, 1)
            self.assertNotIn("X-PAYMENT", upstream.asked[1].headers)
            self.assertEqual(upstream.asked[1].body, b"")

    def test_words_that_nobody_asked_for_are_nobodys_answer(self) -> None:
        upstream = self.connect()
        self.get()
        upstream.say(0, reply(b'{"member":"somebody else"}'))
        self.assertEqual(self.get(), {})
        self.assertEqual(upstream.accepted, 2)


class Refusals(Case):
    """Requests that never leave."""

    def test_a_field_that_would_end_its_line_is_refused(self) -> None:
        upstream = self.connect()
        base = BaseUrl.parse(upstream.url)
        assert base is not None

        def send() -> Steps[str]:
            fields = {"Host": "x", "X-PAYMENT": "a\r\nAuthorization: b"}
            request = ApiRequest("GET", "/x", None, bearer=False)
            try:
                yield Exchange(base, request, fields, TIMEOUT, Cancellation())
            except ValueError as error:
                return str(error)
            return "sent"

        self.assertIn("Invalid header value", self.carrier.run(send()))
        self.assertEqual(upstream.asked, [])

    def test_what_was_cancelled_before_is_not_sent(self) -> None:
        upstream = self.connect()
        self.get()  # so that there is a kept connection
        cancellation = Cancellation()
        cancellation.request()
        with self.assertRaises(CancelledCallError):
            self.get(NOBODY, cancellation)
        self.get()
        self.assertEqual(len(upstream.asked), 2)


class Doubts(Case):
    """Answers after which it is not certain what comes next on a connection."""

    def test_the_connection_is_not_used_again(self) -> None:
        other = reply(b'{"member":"somebody else"}')
        too_long = b" " * (MAX_BODY_BYTES + 1)
        for name, answer in {
            "close": reply(b"{}", "Connection: close"),
            "a redirect": reply(b"", "Location: /elsewhere", status="307 Away"),
            "not modified": reply(b"", status="304 Same", length=False),
            "an interim answer": b"HTTP/1.1 103 Early Hints\r\n\r\n",
            "another protocol": reply(b"", "Upgrade: h2c", status="101 Switch", length=False),
            "more than was announced": reply() + other,
            "an unasked beginning": reply() + b"H",
            "two lengths": reply(b"{}", "Content-Length: 2"),
            "length and chunks": CHUNKED.replace(b"\r\n", b"\r\nContent-Length: 2\r\n", 1),
            "a coding that is not spoken": reply(
                b"", "Transfer-Encoding: gzip", status="204 None", length=False
            ),
            "a length with a sign": reply().replace(b": 2", b": +2"),
            "HTTP/1.0": reply().replace(b"1.1", b"1.0", 1),
            "no HTTP": b"SSH-2.0-OpenSSH\r\n",
            "too long a body": reply(too_long),
            "too long in chunks": CHUNKED.replace(
                b"1\r\n{", b"%x\r\n%s\r\n1\r\n{" % (len(too_long), too_long)
            ),
        }.items():
            with self.subTest(answer=name):
                upstream = self.connect(fail_at(0, 0, answer))
                with suppress(ApiError):
                    self.get()
                self.assertEqual(self.get(), {})
                self.assertEqual([asked.connection for asked in upstream.asked], [0, 1])

    def test_it_is_not_used_after_a_timeout(self) -> None:
        late = threading.Event()
        self.addCleanup(late.set)

        def script(asked: Asked) -> bytes:
            if asked.connection == 0:
                late.wait(TIMEOUT)
            return reply()

        upstream = self.connect(script, timeout="100")
        self.assertEqual(self.fail_by(self.get), "api_timeout")
        self.assertTrue(upstream.wait_for(lambda: len(upstream.asked) == 1))
        late.set()
        self.assertTrue(upstream.wait_for(lambda: upstream.ended == 1))

    def test_it_is_not_used_after_a_cancellation_and_nothing_is_repeated(self) -> None:
        cancellation = Cancellation()

        def script(asked: Asked) -> bytes:
            if (asked.connection, asked.number) == (0, 1):
                cancellation.request()
            return reply()

        upstream = self.connect(script)
        self.get()
        try:
            self.get(NOBODY, cancellation)
        except CancelledCallError as error:
            self.assertIsNotNone(error.__cause__)  # or the answer was there already
        self.get()
        places = [(asked.connection, asked.number) for asked in upstream.asked]
        self.assertEqual(places, [(0, 0), (0, 1), (1, 0)])

    def test_it_is_not_used_after_a_cancellation_that_came_too_late(self) -> None:
        class Late(Cancellation):
            """Say so when the answer is there, and be about to interrupt what waits for it."""

            def on_request(self, interrupt: Callable[[], None] | None) -> None:
                if interrupt is None:
                    self.requested = True
                super().on_request(interrupt)

        upstream = self.connect()
        self.get(NOBODY, Late())
        self.get()
        self.assertEqual([asked.connection for asked in upstream.asked], [0, 1])


class ReuseOnALoop(Reuse):
    open_carrier = LoopThread


class EndsOnALoop(Ends):
    open_carrier = LoopThread


class RefusalsOnALoop(Refusals):
    open_carrier = LoopThread


class DoubtsOnALoop(Doubts):
    open_carrier = LoopThread


class Shutdown(Case):
    """Every way of serving closes what it kept: no process counts an open socket at its end."""

    def test_over_stdio(self) -> None:
        upstream = self.connect()
        with start(code=COUNT, environment=configure(upstream.url)) as process:
            send(process, request("tools/call", {"name": "get_gateway_status"}))
            receive(process)
            self.assertEqual(upstream.ended, 0)
            out, err = process.communicate()
        self.assertEqual((process.returncode, out, err), (0, b"", b""))

    def test_over_http(self) -> None:
        upstream = self.connect()
        code = SERVE.replace("sys.exit(main())", COUNT)
        with start("--http", code=code, environment=configure(upstream.url)) as process:
            with Peer(read_port(process)) as peer:
                peer.send(STATUS)
                self.assertEqual(peer.receive().status, 200)
            self.assertEqual(upstream.ended, 0)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate()
        self.assertEqual((process.returncode, err), (0, b"fairwins-mcp: stopped\n"))

    def test_after_a_look_at_the_configuration(self) -> None:
        upstream = self.connect()
        environment = configure(upstream.url, TOKEN)
        with start("--check-config", code=COUNT, environment=environment) as process:
            _, err = process.communicate()
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertEqual((upstream.accepted, len(upstream.asked)), (1, 2))


if __name__ == "__main__":
    unittest.main()
