"""The seam to the network: addresses, limits, and every way in which a connection can fail."""

from __future__ import annotations

import gzip
import socket
import threading
import unittest
from collections.abc import Callable
from contextlib import closing
from typing import Any

from carriers import LoopThread
from support import TOKEN, Gateway, Server, answer, configure
from wire import HttpServer

from fairwins_mcp.api import Api
from fairwins_mcp.caller import Caller
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.errors import ApiError
from fairwins_mcp.routes import ApiRequest
from fairwins_mcp.settings import BaseUrl, Settings, read_timeout
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier
from fairwins_mcp.upstream.dialogue import MAX_BODY_BYTES


def serve_bytes(script: Callable[[socket.socket], object]) -> int:
    """Accept one connection, run a script on it and close it; return the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(65536)
            script(connection)

    threading.Thread(target=accept, daemon=True).start()
    port: int = listener.getsockname()[1]
    return port


class Connections(unittest.TestCase):
    """Calls over stdio; the same are made over HTTP further down."""

    open_carrier: Callable[[], BlockingCarrier | LoopThread] = BlockingCarrier

    def call(self, environment: dict[str, str]) -> Any:
        return Server(environment).call("wagers")

    def fail(self, url: str) -> str:  # type: ignore[override]  # no test here fails by hand
        result = self.call(configure(url, TOKEN, FAIRWINS_TIMEOUT_MS="5000"))
        self.assertIs(result["isError"], True)
        (content,) = result["content"]
        text: str = content["text"]
        return text

    def fail_after(self, data: bytes) -> str:
        return self.fail(f"http://127.0.0.1:{serve_bytes(lambda peer: peer.sendall(data))}")

    def test_a_refused_connection_is_unreachable(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        text = self.fail(f"http://127.0.0.1:{port}")
        self.assertIn("api_unreachable — the API's host refused the connection.", text)

    def test_an_unknown_host_is_unreachable(self) -> None:
        text = self.fail("http://nowhere.invalid")
        self.assertIn("api_unreachable — the API's host name could not be resolved.", text)

    def test_a_host_name_that_the_resolver_cannot_encode_is_unreachable(self) -> None:
        base = BaseUrl("http", "a" * 64, 80, "")
        api = Api(Settings(base, "", 5))
        carrier = self.enterContext(closing(self.open_carrier()))
        with self.assertRaises(ApiError) as caught:
            steps = api.send(ApiRequest("GET", "/", None, False), Caller(None, ""), Cancellation())
            carrier.run(steps)
        self.assertEqual(caught.exception.code, "api_unreachable")
        self.assertIs(caught.exception.is_sent, False)

    def test_a_server_that_speaks_no_tls_is_unreachable(self) -> None:
        port = serve_bytes(lambda peer: peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
        self.assertIn("api_unreachable — ", self.fail(f"https://127.0.0.1:{port}"))

    def test_a_server_that_never_shakes_hands_is_a_timeout(self) -> None:
        release = threading.Event()
        self.addCleanup(release.set)
        port = serve_bytes(lambda peer: release.wait(20))
        url = f"https://127.0.0.1:{port}"
        result = self.call(configure(url, TOKEN, FAIRWINS_TIMEOUT_MS="100"))
        text = result["content"][0]["text"]
        self.assertIn("api_timeout — no complete answer came within 0.1 s.", text)

    def test_a_connection_that_ends_early_is_unreachable(self) -> None:
        self.assertIn("api_unreachable", self.fail_after(b""))
        for head in (b"Content-Length: 50", b"Transfer-Encoding: chunked"):
            data = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + b'{"state":"read"}'
            self.assertIn("api_unreachable", self.fail_after(data))

    def test_what_is_no_http_is_an_invalid_response(self) -> None:
        for data in (
            b"SSH-2.0-OpenSSH\r\n",
            b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000,
            b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n{}",
        ):
            self.assertIn(
                "invalid_response — the API's answer is not valid HTTP", self.fail_after(data)
            )

    def test_an_answer_beyond_the_limit_is_an_invalid_response(self) -> None:
        with Gateway() as gateway:
            padding = b" " * (MAX_BODY_BYTES - 2)
            gateway.respond = answer(200, b"{}" + padding)
            self.assertIs(self.call(configure(gateway.url, TOKEN))["isError"], False)
            gateway.respond = answer(200, b"{} " + padding)
            self.assertIn(
                "invalid_response — the API's answer is larger than 4 MiB", self.fail(gateway.url)
            )

    def test_a_compressed_answer_that_nobody_asked_for_is_an_invalid_response(self) -> None:
        with Gateway() as gateway:
            gateway.respond = answer(200, gzip.compress(b"{}"), {"Content-Encoding": "gzip"})
            self.assertIn("invalid_response", self.fail(gateway.url))
            self.assertEqual(gateway.requests[0][2]["Accept-Encoding"], "identity")

    def test_a_request_says_who_asks_and_what_for(self) -> None:
        with Gateway() as gateway:
            self.call(configure(gateway.url, TOKEN))
            headers = gateway.requests[0][2]
            self.assertEqual(headers["Accept"], "application/json")
            self.assertRegex(headers["User-Agent"], r"^fairwins-mcp/[0-9.]+$")
            self.assertEqual(headers["Host"], gateway.url.removeprefix("http://"))


class ConnectionsOfALoop(Connections):
    """The same calls over HTTP."""

    open_carrier = LoopThread

    def call(self, environment: dict[str, str]) -> Any:
        with HttpServer(environment) as server:
            answer = server.ask("tools/call", {"name": "wagers", "arguments": {}})
        self.assertEqual(server.notes, [])
        return answer.document["result"]


class Addresses(unittest.TestCase):
    def test_the_host_header_names_the_port_only_when_needed(self) -> None:
        for text, authority in (
            ("https://relay.test", "relay.test"),
            ("https://relay.test:443/x", "relay.test"),
            ("https://relay.test:80", "relay.test:80"),
            ("http://[::1]:8080", "[::1]:8080"),
        ):
            base = BaseUrl.parse(text)
            assert base is not None
            self.assertEqual(base.authority, authority)

    def test_plain_urls_are_taken_apart(self) -> None:
        cases = {
            "https://relay.fairwins.test": ("https", "relay.fairwins.test", 443, ""),
            "HTTPS://Relay.Test:8443/": ("https", "relay.test", 8443, ""),
            " http://127.0.0.1:8080/base/v1/// ": ("http", "127.0.0.1", 8080, "/base/v1"),
            "http://[::1]:80": ("http", "::1", 80, ""),
            f"http://{'a' * 63}.test": ("http", f"{'a' * 63}.test", 80, ""),
            f"http://{'a.' * 124}tests.": ("http", f"{'a.' * 124}tests.", 80, ""),
            "http://localhost./~a_b-c.d": ("http", "localhost.", 80, "/~a_b-c.d"),
        }
        for text, expected in cases.items():
            with self.subTest(url=text):
                base = BaseUrl.parse(text)
                assert base is not None
                self.assertEqual((base.scheme, base.host, base.port, base.path), expected)

    def test_anything_else_counts_as_unset(self) -> None:
        for text in (
            "relay.test",
            "//relay.test",
            "ftp://relay.test",
            "file:///etc/passwd",
            "http://",
            "http:///x",
            "http://user@relay.test",
            "http://user:secret@relay.test",
            "http://relay.test?x=1",
            "http://relay.test/?",
            "http://relay.test/#f",
            "http://relay.test:0",
            "http://relay.test:99999",
            "http://relay.test:",
            "http://relay.test:8o",
            "http://relay..test",
            "http://relay.test/a/../b",
            "http://relay.test/..",
            "http://relay.test/./",
            "http://relay.test/a//b",
            "http://relay.test/%2e%2e",
            "http://relay.test\\@evil.test",
            "http://relay.test/a b",
            "http://relay.te\nst",
            "http://réseau.test",
            "http://[::1",
            f"http://{'a' * 64}.test",
            f"http://{'a.' * 126}test",
        ):
            with self.subTest(url=text):
                self.assertIsNone(BaseUrl.parse(text))
                settings = Settings.from_environment({"FAIRWINS_API_URL": text})
                self.assertIsNone(settings.base)
                self.assertNotIn("secret", settings.base_gap)

    def test_a_timeout_is_a_number_of_milliseconds(self) -> None:
        self.assertEqual(read_timeout("1"), 1)
        self.assertEqual(read_timeout("600000"), 600_000)
        for text in ("", "0", "-5", "600001", "1e3", "1.5", "soon", "٣", "9" * 5000):
            self.assertEqual(read_timeout(text), 15_000)


if __name__ == "__main__":
    unittest.main()
