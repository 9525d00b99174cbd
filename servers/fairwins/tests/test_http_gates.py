"""Who may ask: origins of pages, names of this server, and that nothing comes before these."""

from __future__ import annotations

import unittest

from wire import HttpServer, make_gate

from fairwins_mcp.http.gates import Origin, is_host, is_loopback

HEALTH = "GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n"
SERVED = (
    "http://localhost",
    "http://localhost:3000",
    "https://localhost:6274",
    "http://LOCALHOST:80",
    "http://127.0.0.1",
    "https://127.0.0.1:65535",
    "http://127.255.255.254:1",
    "http://[::1]",
    "https://[::1]:8080",
)
REFUSED = (
    "null",
    "",
    "*",
    "https://evil.example",
    "http://localhost.evil.example",
    "http://evil.example:80",
    "http://localhost/",
    "http://localhost/path",
    "http://localhost?",
    "http://localhost#",
    "http://user@localhost",
    "http://localhost, http://localhost",
    "http://localhost,https://evil.example",
    "https://evil.example http://localhost",
    "http://localhost:0",
    "http://localhost:",
    "http://localhost:65536",
    "http://localhost:080",
    "http://127.0.0.1.evil.example",
    "http://127.0.0.256",
    "http://127.1",
    "http://0.0.0.0",
    "http://[::]",
    "http://[0:0:0:0:0:0:0:1]",
    "http://10.0.0.1",
    "http://::1",
    "ftp://localhost",
    "file://",
    "localhost",
    "//localhost",
    "chrome-extension://abcdef",
    "http://l\xf6calhost",
)


class Origins(unittest.TestCase):
    def setUp(self) -> None:
        gate = make_gate(("https://app.example", "http://tool.example:8080"))
        self.server = self.enterContext(HttpServer(gate=gate))

    def ask(self, *origins: str, path: str = "/healthz", method: str = "GET") -> int:
        fields = "".join(f"Origin: {origin}\r\n" for origin in origins)
        text = HEALTH.format(host="localhost", more=fields).replace("GET /healthz", "GET " + path)
        return self.server.send(text.replace("GET", method, 1).encode("latin-1")).status

    def test_a_request_of_no_page_is_served(self) -> None:
        self.assertEqual(self.ask(), 200)

    def test_pages_of_this_machine_are_served(self) -> None:
        for origin in SERVED:
            self.assertEqual(self.ask(origin), 200, origin)

    def test_every_other_page_is_refused(self) -> None:
        for origin in REFUSED:
            self.assertEqual(self.ask(origin), 403, origin)
        self.assertEqual(self.ask("http://localhost", "http://localhost"), 403)

    def test_allowed_pages_are_served_with_their_default_port_or_without(self) -> None:
        for origin, status in (
            ("https://app.example", 200),
            ("https://app.example:443", 200),
            ("https://APP.example", 200),
            ("http://tool.example:8080", 200),
            ("http://app.example", 403),
            ("https://app.example:8443", 403),
            ("http://tool.example", 403),
            ("https://app.example/", 403),
            ("https://sub.app.example", 403),
            ("https://app.example.", 403),
        ):
            self.assertEqual(self.ask(origin), status, origin)

    def test_the_origin_is_judged_before_the_route_and_the_method(self) -> None:
        for path, method in (
            ("/mcp", "POST"),
            ("/mcp", "DELETE"),
            ("/mcp", "OPTIONS"),
            ("/nothing", "GET"),
            ("*", "OPTIONS"),
        ):
            self.assertEqual(self.ask("https://evil.example", path=path, method=method), 403)

    def test_a_refusal_names_the_setting_and_allows_no_page_to_read_it(self) -> None:
        text = HEALTH.format(host="localhost", more="Origin: null\r\n")
        reply = self.server.send(text.encode())
        self.assertEqual(reply.code, "origin_not_allowed")
        self.assertIn("--allowed-origin", reply.document["error"]["reason"])
        self.assertIn("FAIRWINS_MCP_ALLOWED_ORIGINS", reply.document["error"]["reason"])
        for origin in ("null", "http://localhost", "https://app.example"):
            text = HEALTH.format(host="localhost", more=f"Origin: {origin}\r\n")
            names = [name.lower() for name, _ in self.server.send(text.encode()).headers]
            self.assertEqual([name for name in names if name.startswith("access-control")], [])

    def test_an_allowed_origin_needs_the_form_of_one(self) -> None:
        for text in ("*", "null", "https://*.example", "https://app.example/", "app.example"):
            self.assertIsNone(Origin.parse(text), text)


class Hosts(unittest.TestCase):
    def ask(self, server: HttpServer, host: str, path: str = "/healthz") -> int:
        text = HEALTH.format(host=host, more="").replace("/healthz", path, 1)
        return server.send(text.encode()).status

    def test_a_server_for_this_machine_answers_to_its_names_only(self) -> None:
        with HttpServer() as server:
            for host, status in (
                ("localhost", 200),
                ("LocalHost:8790", 200),
                ("localhost.", 200),
                ("127.0.0.1:1", 200),
                ("127.9.9.9", 200),
                ("[::1]:8790", 200),
                ("evil.example", 421),
                ("localhost.evil.example", 421),
                ("127.0.0.1.evil.example", 421),
                ("192.168.0.1", 421),
                ("[::2]", 421),
                ("[::ffff:127.0.0.1]", 421),
                ("u@localhost", 400),
                ("localhost, localhost", 400),
                ("local host", 400),
                ("localhost/x", 400),
            ):
                self.assertEqual(self.ask(server, host), status, host)

    def test_who_names_no_host_is_refused_where_the_host_is_checked(self) -> None:
        for checks_host, status in ((True, 400), (False, 200)):
            with HttpServer(gate=make_gate(checks_host=checks_host)) as server:
                self.assertEqual(self.ask(server, ""), status)
                self.assertEqual(server.send(b"GET /healthz HTTP/1.0\r\n\r\n").status, status)

    def test_a_refusal_names_the_setting(self) -> None:
        with HttpServer() as server:
            reply = server.send(HEALTH.format(host="evil.example", more="").encode())
        self.assertEqual(reply.code, "host_not_allowed")
        self.assertIn("--allowed-host", reply.document["error"]["reason"])
        self.assertIn("FAIRWINS_MCP_ALLOWED_HOSTS", reply.document["error"]["reason"])

    def test_the_host_in_a_url_counts_and_the_field_does_not(self) -> None:
        with HttpServer() as server:
            self.assertEqual(self.ask(server, "evil.example", "http://localhost/healthz"), 200)
            self.assertEqual(self.ask(server, "localhost", "http://evil.example/healthz"), 421)

    def test_further_names_can_be_allowed(self) -> None:
        with HttpServer(gate=make_gate(hosts=("Mcp.Example",))) as server:
            self.assertEqual(self.ask(server, "mcp.example:443"), 200)
            self.assertEqual(self.ask(server, "mcp.example."), 200)
            self.assertEqual(self.ask(server, "localhost"), 200)
            self.assertEqual(self.ask(server, "other.example"), 421)

    def test_a_server_for_others_answers_to_any_name(self) -> None:
        with HttpServer(gate=make_gate(checks_host=False)) as server:
            self.assertEqual(self.ask(server, "anything.example"), 200)
            self.assertEqual(self.ask(server, "no host"), 400)

    def test_loopback_is_told_from_what_looks_like_it(self) -> None:
        for host in ("localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "LOCALHOST."):
            self.assertTrue(is_loopback(host), host)
        for host in ("0.0.0.0", "::", "127.0.0.300", "127.0.0.01", "128.0.0.1", "localhosts", ""):
            self.assertFalse(is_loopback(host), host)

    def test_a_host_is_a_name_without_a_port(self) -> None:
        for name in ("mcp.example", "localhost", "10.0.0.1", "[::1]"):
            self.assertTrue(is_host(name), name)
        for name in ("mcp.example:80", "*", "*.example", "https://mcp.example", "", "a b"):
            self.assertFalse(is_host(name), name)


if __name__ == "__main__":
    unittest.main()
