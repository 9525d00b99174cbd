"""Arguments of the HTTP transport, and a look at the configuration."""

from __future__ import annotations

import json
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any

from support import TOKEN, Gateway, answer, configure, run
from wire import make_gate

from fairwins_mcp.options import HttpOptions, read_options

ME = {
    "account": "0x01",
    "label": "ignore\nall",
    "scopes": ["read:fees", "read:profile"],
    "expiresAt": 1_800_000_000,
    "membership": {"state": "read", "active": True},
}


def read(*arguments: str, **environment: str) -> HttpOptions:
    http = read_options(list(arguments), environment).http
    assert http is not None
    return http


class Listening(unittest.TestCase):
    def test_the_port_comes_from_the_argument_or_the_variable_or_is_the_usual_one(self) -> None:
        self.assertEqual(read("--http").port, 8790)
        self.assertEqual(read("--http", PORT="81").port, 81)
        self.assertEqual(read("--http", PORT="").port, 8790)
        self.assertEqual(read("--http", "82", PORT="81").port, 82)
        self.assertEqual(read("--http=65535", PORT="nonsense").port, 65535)

    def test_the_host_is_this_machine_unless_told(self) -> None:
        self.assertEqual(read("--http").host, "127.0.0.1")
        self.assertEqual(read("--http", K_SERVICE="mcp").host, "0.0.0.0")
        self.assertEqual(read("--http", "--host", "::1", K_SERVICE="mcp").host, "::1")
        self.assertEqual(read("--http", K_SERVICE="").host, "127.0.0.1")

    def test_origins_and_hosts_come_from_arguments_and_variables(self) -> None:
        http = read(
            "--http",
            "--allowed-origin",
            "https://a.test",
            "--allowed-origin",
            "https://b.test:443",
            "--allowed-host",
            "mcp.test",
            FAIRWINS_MCP_ALLOWED_ORIGINS=" https://c.test , http://d.test:8080,",
            FAIRWINS_MCP_ALLOWED_HOSTS="x.test,y.test",
        )
        expected = make_gate(
            ("https://a.test", "https://b.test", "https://c.test", "http://d.test:8080"),
            ("mcp.test", "x.test", "y.test"),
        )
        self.assertEqual(vars(http.gate), vars(expected))

    def test_the_host_is_checked_where_it_is_known(self) -> None:
        for arguments, checks in (
            ((), True),
            (("--host", "localhost"), True),
            (("--host", "::1"), True),
            (("--host", "0.0.0.0"), False),
            (("--host", "0.0.0.0", "--allowed-host", "mcp.test"), True),
        ):
            gate = vars(read("--http", *arguments).gate)
            self.assertEqual(gate, vars(make_gate((), arguments[3:], checks)), arguments)

    def test_wrong_arguments_end_with_status_2_and_a_sentence(self) -> None:
        cases: list[tuple[tuple[str, ...], dict[str, str], bytes]] = [
            (("--http", "0"), {}, b"argument --http: '0' is not a port from 1 to 65535"),
            (("--http", "65536"), {}, b"is not a port"),
            (("--http", "-1"), {}, b""),
            (("--http", "http"), {}, b"is not a port"),
            (("--http", "\u0661"), {}, b"is not a port"),
            (("--http",), {"PORT": "99999999999"}, b"variable PORT"),
            (("--http", "--host", ""), {}, b"no address is named"),
            (("--http", "--allowed-origin", "*"), {}, b"there is no wildcard"),
            (("--http", "--allowed-origin", "https://a.test/"), {}, b"is no origin"),
            (
                ("--http",),
                {"FAIRWINS_MCP_ALLOWED_ORIGINS": "https://a.test, *"},
                b"'*' is no origin",
            ),
            (("--http", "--allowed-host", "a.test:80"), {}, b"is no host name"),
            (("--http",), {"FAIRWINS_MCP_ALLOWED_HOSTS": "*"}, b"there is no wildcard"),
            (("--host", "0.0.0.0"), {}, b"argument --host: only together with --http"),
            (("--allowed-origin", "https://a.test"), {}, b"--allowed-origin: only together"),
            (("--allowed-host", "a.test"), {}, b"--allowed-host: only together"),
            (("--allow-shared-token",), {}, b"--allow-shared-token: only together"),
        ]
        for arguments, environment, sentence in cases:
            with self.subTest(arguments=arguments):
                status, out, err = run(arguments=arguments, environment=environment)
                self.assertEqual((status, out), (2, b""))
                self.assertIn(sentence, err)
                self.assertNotIn(b"Traceback", err)

    def test_variables_of_http_do_not_disturb_stdio(self) -> None:
        environment = {"FAIRWINS_MCP_ALLOWED_ORIGINS": "*", "PORT": "x", "K_SERVICE": "mcp"}
        self.assertEqual(run(environment=environment), (0, b"", b""))
        self.assertIsNone(read_options(["--tools", "get_fees"], environment).http)


class Checks(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.answers: dict[str, tuple[int, Any]] = {
            "/status": (200, {"status": "ok"}),
            "/v1/member/me": (200, ME),
        }

        def respond(handler: BaseHTTPRequestHandler) -> None:
            status, document = self.answers[handler.path]
            answer(status, json.dumps(document).encode())(handler)

        self.gateway.respond = respond

    def check(self, url: str, token: str, *arguments: str) -> tuple[int, str]:
        environment = configure(url, token)
        status, out, err = run(arguments=("--check-config", *arguments), environment=environment)
        self.assertEqual(err, b"")
        self.assertNotIn(b"c2VjcmV0", out)
        return status, out.decode()

    def verdicts(self, report: str) -> dict[str, str]:
        tools = report.partition("\ntools\n")[2].splitlines()
        return {line.split()[0]: line.split(maxsplit=1)[1].partition(":")[0] for line in tools}

    def test_it_tells_what_a_token_will_do(self) -> None:
        status, report = self.check(self.gateway.url, TOKEN)
        self.assertEqual(status, 0, report)
        for words in (
            f"FAIRWINS_API_URL     {self.gateway.url}\n",
            "FAIRWINS_API_TOKEN   set, not shown\n",
            "FAIRWINS_TIMEOUT_MS  15000 ms\n",
            "gateway              answers\n",
            "token                accepted; scopes: read:fees, read:profile; ends 2027-01-15 ",
            " 08:00 UTC; membership: read, active\n",
            "get_wagers               no: the token lacks the scope read:wagers\n",
        ):
            self.assertIn(words, report)
        self.assertEqual(
            {name for name, verdict in self.verdicts(report).items() if verdict == "yes"},
            {
                "get_fees",
                "get_gateway_status",
                "get_perps_pairs",
                "get_prediction_markets",
                "get_profile",
                "get_token_news",
            },
        )
        self.assertNotIn("ignore", report)

    def test_without_a_token_the_public_tools_work(self) -> None:
        status, report = self.check(self.gateway.url, "")
        self.assertEqual(status, 0)
        self.assertIn("FAIRWINS_API_TOKEN   not set\n", report)
        self.assertIn(
            "get_fees                 no: it needs a token with the scope read:fees", report
        )
        self.assertEqual(len(self.gateway.requests), 1)

    def test_without_a_gateway_nothing_works(self) -> None:
        for url, words in (
            ("", "FAIRWINS_API_URL is not set"),
            ("ftp://x", "is not a plain http"),
            ("https://user:c2VjcmV0@x", "is not a plain http"),
            ("http://127.0.0.1:9", "api_unreachable"),
        ):
            status, report = self.check(url, TOKEN)
            self.assertEqual(status, 1)
            self.assertIn(words, report)
            self.assertEqual(set(self.verdicts(report).values()), {"no"})

    def test_a_refused_token_is_told_from_one_that_could_not_be_checked(self) -> None:
        offer = {"x402Version": 2, "error": "token_expired", "accepts": [{}]}
        for status, document, ends, verdict, words in (
            (
                401,
                {"error": {"code": "token_revoked", "reason": "Gone."}},
                1,
                "no",
                "refused: token_",
            ),
            (402, offer, 1, "no", "refused: token_expired"),
            (503, {"error": {"code": "auth_unverifiable", "reason": "x"}}, 1, "unknown", "auth_un"),
            (
                403,
                {"error": {"code": "membership_required", "reason": "x"}},
                1,
                "no",
                "get_wagers               no: membership_required\n",
            ),
            (
                403,
                {"error": {"code": "sanctioned_signer", "reason": "x"}},
                1,
                "no",
                "token                refused: sanctioned_signer — x\n",
            ),
        ):
            self.answers["/v1/member/me"] = (status, document)
            ended, report = self.check(self.gateway.url, TOKEN)
            self.assertEqual(ended, ends, report)
            self.assertIn(words, report)
            self.assertEqual(self.verdicts(report)["get_fees"], verdict)
            self.assertEqual(self.verdicts(report)["get_gateway_status"], "yes")

    def test_a_token_that_may_not_tell_its_scopes_is_tried(self) -> None:
        refused = (403, {"error": {"code": "insufficient_scope", "reason": "x"}})
        self.answers |= {
            "/v1/member/me": refused,
            "/v1/member/fees": (200, {"services": {}}),
            "/v1/member/membership": refused,
            "/v1/member/wagers": (503, {"error": {"code": "auth_unverifiable", "reason": "x"}}),
        }
        status, report = self.check(self.gateway.url, TOKEN)
        self.assertEqual(status, 0, report)
        for words in (
            "token                may not tell what it permits: insufficient_scope — x\n",
            "build_intent             unknown: only a call of it can tell\n",
            "get_fees                 yes\n",
            "get_membership           no: the token lacks the scope read:membership\n",
            "get_profile              no: the token lacks the scope read:profile\n",
            "get_wagers               unknown: auth_unverifiable\n",
        ):
            self.assertIn(words, report)
        self.assertEqual({method for method, _, _, _ in self.gateway.requests}, {"GET"})

    def test_an_address_that_is_missing_is_said_to_be(self) -> None:
        for url in ("", f"https://{'a' * 70}.test"):
            _, report = self.check(url, TOKEN)
            self.assertIn("gateway              not asked: its address is missing\n", report)
            self.assertIn("get_fees                 no: FAIRWINS_API_URL names no gateway", report)
        self.assertIn("host name of at most 253 characters and 63 between its dots", report)

    def test_a_timeout_that_cannot_be_used_is_a_fault(self) -> None:
        for text, status in (("5000", 0), ("5s", 1), ("0", 1), ("600001", 1)):
            environment = configure(self.gateway.url, FAIRWINS_TIMEOUT_MS=text)
            ended, out, _ = run(arguments=("--check-config",), environment=environment)
            self.assertEqual(ended, status, out)
            words = b"15000 ms, since it is not set to milliseconds from 1 to 600000\n"
            self.assertIs(words in out, status == 1)

    def test_a_gateway_that_echoes_the_token_is_quoted_without_it(self) -> None:
        refusal = {"error": {"code": "invalid_token", "reason": f"bad token {TOKEN}"}}
        self.answers["/v1/member/me"] = (401, refusal)
        _, report = self.check(self.gateway.url, TOKEN)
        self.assertIn("refused: invalid_token — bad token [credential removed]\n", report)

    def test_a_token_that_is_not_sent_is_a_fault(self) -> None:
        status, report = self.check(self.gateway.url, "c2VjcmV0 and more")
        self.assertEqual(status, 1)
        self.assertIn("is set but is not sent", report)

    def test_it_tells_how_http_would_start(self) -> None:
        status, report = self.check(self.gateway.url, "", "--http", "81", "--tools", "get_fees")
        self.assertEqual(status, 0)
        self.assertIn("http                 listens on 127.0.0.1, port 81\n", report)
        self.assertEqual(list(self.verdicts(report)), ["get_fees"])
        status, report = self.check(self.gateway.url, TOKEN, "--http")
        self.assertEqual(status, 1)
        self.assertIn("does not start", report)
        status, report = self.check(self.gateway.url, TOKEN, "--http", "--allow-shared-token")
        self.assertEqual(status, 0)
        self.assertIn("acts as this member", report)


if __name__ == "__main__":
    unittest.main()
