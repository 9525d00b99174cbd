"""Tokens: sent with their own requests only, and told from none where they cannot be sent."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from pathlib import Path

from support import MODERN, TOKEN, UNKNOWN, Gateway, Server, answer, configure, request, run
from wire import BEARER, Answer, HttpServer, call

from fairwins_mcp.caller import TOKEN_FILE_VARIABLE, Caller

OWN, SHARED = "fw1.b3du.c2ln", "fw1.ZW52aXJvbm1lbnQ.c2ln"
MARK = "bWFyaw"  # in every unusable token, and in nothing that may be said about one
CALLS = {"wagers": {}, "build": {"action": "claim"}, "news": {"asset": "x"}}
MEMBER = ("wagers", "build")  # the second one has a price
UNUSABLE = (
    (f"fw1.{MARK} b", "has a space in it"),
    (f" fw1.{MARK}", "has a space in it"),
    (f"Bearer fw1.{MARK}", "has a space in it"),
    ("   ", "has a space in it"),
    (f"fw1.{MARK}\n", "has a line end, a tab or another control character in it"),
    (f"fw1.{MARK}\r\nX-Evil: 1", "has a space in it"),
    (f"fw1.\t{MARK}", "has a line end, a tab or another control character in it"),
    (f"fw1.{MARK}\x7f", "has a line end, a tab or another control character in it"),
    (f"fw1.{MARK}é", "has a character in it that is not ASCII"),
    (f"fw1.{MARK}\udc80", "has a character in it that is not ASCII"),
    (MARK + "x" * 8192, "is longer than 8192 characters"),
)
BROKEN = (
    (" ", "the header is empty"),
    ("Bearer", "what follows Bearer is empty"),
    ("Bearer ", "what follows Bearer is empty"),
    (MARK, "the header does not begin with Bearer and a space"),
    (f"Basic {MARK}", "the header does not begin with Bearer and a space"),
    (f"Bearer\t{MARK}", "the header does not begin with Bearer and a space"),
    (f"Bearer:{MARK}", "the header does not begin with Bearer and a space"),
    (f"Bearer two {MARK}", "what follows Bearer has a space in it"),
    (f"Bearer {OWN}, Bearer {MARK}", "what follows Bearer has a space in it"),
    (f"Bearer {MARK}\tb", "what follows Bearer has a line end, a tab or another control character"),
    (f"Bearer {MARK}é", "what follows Bearer has a character in it that is not ASCII"),
    (f"Bearer {MARK}{'d' * 8192}", "what follows Bearer is longer than 8192 characters"),
)


class OverHttp(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.gateway.respond = answer(200, b'{"state":"read"}')

    def serve(self, token: str = "") -> HttpServer:
        return self.enterContext(HttpServer(configure(self.gateway.url, token)))

    def ask(self, server: HttpServer, name: str = "wagers", **headers: str) -> Answer:
        return server.send(call(name, CALLS[name], headers))

    def seen(self) -> list[str | None]:
        return [headers.get("Authorization") for _, _, headers, _ in self.gateway.requests]

    def test_a_request_is_made_with_its_own_token(self) -> None:
        server = self.serve()
        for value in ("Bearer a", "bearer b", "BEARER   c  ", f"Bearer {'d' * 8192}"):
            reply = self.ask(server, Authorization=value)
            self.assertIs(reply.document["result"]["isError"], False)
        self.assertEqual(self.seen(), ["Bearer a", "Bearer b", "Bearer c", f"Bearer {'d' * 8192}"])

    def test_without_a_token_the_call_says_how_to_send_one(self) -> None:
        server = self.serve()
        (text,) = self.ask(server).texts
        self.assertIn("token_missing", text)
        self.assertIn("Authorization: Bearer", text)
        self.assertIs(self.ask(server, "news").document["result"]["isError"], False)
        self.assertEqual(self.seen(), [None])

    def test_the_token_of_a_request_beats_the_shared_one(self) -> None:
        server = self.serve(SHARED)
        self.ask(server, Authorization="Bearer own")
        self.ask(server)
        self.ask(server, Authorization="Bearer other")
        self.assertEqual(self.seen(), ["Bearer own", f"Bearer {SHARED}", "Bearer other"])

    def test_a_header_without_a_usable_token_is_named_and_nobody_stands_in(self) -> None:
        for server in (self.serve(), self.serve(SHARED)):
            for value, why in BROKEN:
                for name in MEMBER:
                    with self.subTest(value=value[:20], name=name):
                        reply = self.ask(server, name, Authorization=value)
                        (text,) = reply.texts
                        self.assertIn("token_unusable — ", text)
                        self.assertIn(f"Authorization header is not sent: {why}", text)
                        self.assertTrue(text.endswith(UNKNOWN))
                        self.assertNotIn(MARK.encode(), reply.body)
        self.assertEqual(self.seen(), [])

    def test_a_shared_token_that_cannot_be_sent_is_named(self) -> None:
        for token, why in UNUSABLE:
            server = self.serve(token)
            for name in MEMBER:
                with self.subTest(why=why, name=name):
                    reply = self.ask(server, name)
                    (text,) = reply.texts
                    self.assertIn("token_unusable — FAIRWINS_API_TOKEN is set but", text)
                    self.assertIn(f"its value {why}.", text)
                    self.assertNotIn(MARK.encode(), reply.body)
            self.ask(server, Authorization=f"Bearer {OWN}")
        self.assertEqual(self.seen(), [f"Bearer {OWN}"] * len(UNUSABLE))

    def test_what_needs_no_token_works_beside_a_broken_one(self) -> None:
        server = self.serve()
        broken = {"Authorization": "Bearer "}
        self.assertIs(self.ask(server, "news", **broken).document["result"]["isError"], False)
        for method, params in (
            ("tools/list", {}),
            ("resources/read", {"uri": "small://status"}),
            ("prompts/get", {"name": "brief"}),
        ):
            self.assertIn("result", server.ask(method, params, broken).document, method)
        self.assertEqual(self.seen(), [None, None])

    def test_a_payment_takes_the_place_of_a_token_whatever_it_is(self) -> None:
        server = self.serve(SHARED)
        headers = {"X-PAYMENT": "cGF5"}
        for value in (f"Bearer {OWN}", "Bearer "):
            reply = server.send(call("build", CALLS["build"], {**headers, "Authorization": value}))
            self.assertIs(reply.document["result"]["isError"], False)
        self.assertEqual(self.seen(), [None, None])

    def test_two_tokens_are_refused(self) -> None:
        server = self.serve(SHARED)
        for name in CALLS:
            data = call(name, CALLS[name], BEARER)
            twice = data.replace(b"\r\n", b"\r\nAuthorization: Bearer x\r\n", 1)
            reply = server.send(twice)
            self.assertEqual((reply.status, reply.code), (400, -32600))
            self.assertEqual(reply.document["error"]["data"], {"code": "two_tokens"})
            self.assertNotIn(TOKEN.encode(), reply.body)
        self.assertEqual(self.seen(), [])

    def test_a_public_tool_sends_no_token(self) -> None:
        server = self.serve(SHARED)
        self.ask(server, "news", Authorization="Bearer own")
        server.ask("resources/read", {"uri": "small://status"}, {"Authorization": "Bearer own"})
        self.assertEqual(self.seen(), [None, None])

    def test_a_resource_is_read_with_the_token_of_its_request(self) -> None:
        server, params = self.serve(SHARED), {"uri": "small://mine"}
        reply = server.ask("resources/read", params, {"Authorization": "Bearer own"})
        self.assertEqual(reply.document["result"]["cacheScope"], "private")
        self.assertEqual(self.seen(), ["Bearer own"])
        refused = server.ask("resources/read", params, {"Authorization": f"Basic {MARK}"})
        self.assertEqual(refused.document["error"]["data"]["code"], "token_unusable")
        self.assertNotIn(MARK.encode(), refused.body)
        self.assertEqual(len(self.seen()), 1)


class OverStdio(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.gateway.respond = answer(200, b'{"state":"read"}')

    def test_without_a_token_a_grant_says_so_and_public_tools_work(self) -> None:
        server = Server(configure(self.gateway.url))
        for name in MEMBER:
            text = server.fail(name, CALLS[name])
            self.assertIn("token_missing — this read needs a member token", text)
            self.assertIn("FAIRWINS_API_TOKEN is not set", text)
            self.assertTrue(text.endswith(UNKNOWN))
        self.assertIs(server.call("news", CALLS["news"])["isError"], False)

    def test_a_token_that_cannot_be_sent_is_told_from_none(self) -> None:
        for token, why in UNUSABLE:
            server = Server(configure(self.gateway.url, token))
            for name in MEMBER:
                with self.subTest(why=why, name=name):
                    text = server.fail(name, CALLS[name])
                    self.assertIn("did not succeed: token_unusable — FAIRWINS_API_TOKEN is", text)
                    self.assertIn(f"its value {why}.", text)
                    self.assertNotIn(MARK, text)
                    self.assertTrue(text.endswith(UNKNOWN))
            error = server.ask("resources/read", {"uri": "small://mine"}, MODERN)["error"]
            self.assertEqual(error["data"]["code"], "token_unusable")
            self.assertNotIn(MARK, json.dumps(error))
            self.assertIs(server.call("news", CALLS["news"])["isError"], False)
        paths = {path for _, path, _, _ in self.gateway.requests}
        self.assertEqual(paths, {"/v1/news/137/x"})


class Files(unittest.TestCase):
    """A token that a file holds, for clients that can hand on none."""

    def setUp(self) -> None:
        self.file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "token"
        self.environment = {TOKEN_FILE_VARIABLE: str(self.file)}

    def read(self, content: bytes, **more: str) -> Caller:
        self.file.write_bytes(content)
        return Caller.from_environment({**self.environment, **more})

    def test_it_is_read_without_its_line_end(self) -> None:
        for content in (b"fw1.a.b", b"fw1.a.b\n", b"fw1.a.b\r\n"):
            token = self.read(content).token
            assert token is not None
            self.assertEqual(token.reveal(), "fw1.a.b")

    def test_the_variable_goes_before_it(self) -> None:
        token = self.read(b"fw1.a.b", FAIRWINS_API_TOKEN=OWN).token
        assert token is not None
        self.assertEqual(token.reveal(), OWN)

    def test_what_cannot_be_sent_is_told_from_none_without_a_part_of_it(self) -> None:
        for content, why in (
            (b"", "its value is empty"),
            (b"\n", "its value is empty"),
            (f"fw1.{MARK}\n\n".encode(), "its value has a line end"),
            (f"\ufefffw1.{MARK}".encode(), "its value has a character in it that is not ASCII"),
            (MARK.encode() + b"x" * 8192, "its value is longer than 8192 characters"),
        ):
            caller = self.read(content)
            self.assertTrue(caller.has_unusable_token)
            self.assertIn(f"{TOKEN_FILE_VARIABLE} is set but is not sent: {why}", caller.token_gap)
            self.assertNotIn(MARK, caller.token_gap)

    def test_a_file_that_is_not_there_is_no_member_without_a_token(self) -> None:
        caller = Caller.from_environment(self.environment)
        self.assertIn("its file cannot be read: No such file", caller.token_gap)
        self.assertEqual(caller.gap_code, "token_unusable")

    def test_over_http_it_is_shared_only_when_told(self) -> None:
        self.file.write_bytes(b"fw1.a.b")
        status, _, err = run(arguments=("--http",), environment=self.environment)
        self.assertEqual(status, 1)
        self.assertIn(b"--allow-shared-token", err)
        self.assertNotIn(b"fw1", err)

    @unittest.skipIf(os.name == "nt", "permissions are kept elsewhere")
    def test_check_config_says_when_others_may_read_it(self) -> None:
        self.file.write_bytes(b"fw1.a.b")
        for mode, said in ((0o600, b"not shown"), (0o640, b"others may read: chmod 600")):
            self.file.chmod(mode)
            _, out, _ = run(arguments=("--check-config",), environment=self.environment)
            self.assertIn(said, out.splitlines()[1])
            self.assertNotIn(b"fw1", out)


class Operators(unittest.TestCase):
    """What a process says about a token in its environment."""

    unusable = configure(token=f"fw1.{MARK}\n")
    sentence = b"FAIRWINS_API_TOKEN is set but is not sent: its value has a line end"

    def test_a_start_over_stdio_notes_a_token_that_cannot_be_sent(self) -> None:
        status, out, err = run(request("ping"), environment=self.unusable)
        self.assertEqual((status, json.loads(out)["result"]), (0, {}))
        self.assertTrue(err.startswith(b"fairwins-mcp: " + self.sentence), err)
        self.assertEqual(err.count(b"\n"), 1)
        self.assertNotIn(MARK.encode(), err)

    def test_a_start_over_http_notes_a_token_that_cannot_be_sent(self) -> None:
        arguments = ("--http", "--host", "192.0.2.1", "--allow-shared-token")  # no such address
        status, _, err = run(arguments=arguments, environment=self.unusable)
        self.assertEqual(status, 1)
        self.assertIn(self.sentence, err)
        self.assertNotIn(MARK.encode(), err)

    def test_check_config_tells_it_from_none(self) -> None:
        gateway = self.enterContext(Gateway())
        environment = {**self.unusable, "FAIRWINS_API_URL": gateway.url}
        arguments = ("--check-config", "--http", "--allow-shared-token")
        status, out, _ = run(arguments=arguments, environment=environment)
        lines = dict(line.split(maxsplit=1) for line in out.splitlines() if b" " in line)
        self.assertEqual(status, 1)
        self.assertTrue(lines[b"FAIRWINS_API_TOKEN"].startswith(self.sentence), out)
        self.assertEqual(
            lines[b"http"], b"no request without a token of its own can read a member's data"
        )
        self.assertEqual(lines[b"get_gateway_status"], b"yes")
        for tool in (b"get_fees", b"get_profile"):
            self.assertEqual(lines[tool], b"no: FAIRWINS_API_TOKEN is not sent")
        self.assertNotIn(MARK.encode(), out)


if __name__ == "__main__":
    unittest.main()
