"""Tool calls: what is sent, what is shown, and what is refused."""

from __future__ import annotations

import json
import unittest
from contextlib import closing
from typing import Any

from support import (
    MODERN,
    SNAPSHOT,
    TOKEN,
    UNKNOWN,
    Gateway,
    Server,
    answer,
    configure,
)

from fairwins_mcp.answers import read_retry_after
from fairwins_mcp.jsonrpc import Request
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.server = Server(configure(self.gateway.url, TOKEN))

    def test_an_answer_is_passed_whole(self) -> None:
        body = b'{"state": "read",\n "n": 1.00, "big": 123456789012345678901234567890, "x": null}'
        self.gateway.respond = answer(200, body)
        result = self.server.call("news", {"asset": "native"})
        self.assertEqual(result["content"], [{"type": "text", "text": body.decode()}])
        self.assertEqual(result["structuredContent"], json.loads(body))
        self.assertIs(result["isError"], False)

    def test_arguments_travel_where_the_contract_says(self) -> None:
        self.gateway.respond = answer(200, b'{"state":"read"}')
        self.server.call("news", {"asset": "a b", "chainId": 10, "q": "50% & é/?", "fresh": True})
        self.server.call("news", {"asset": "native"})
        self.server.call("news", {"asset": "native", "chainId": 10.0})
        targets = [target for _, target, _, _ in self.gateway.requests]
        self.assertEqual(
            targets,
            [
                "/v1/news/10/a%20b?q=50%25%20%26%20%C3%A9%2F%3F&fresh=true",
                "/v1/news/137/native",
                "/v1/news/10/native",
            ],
        )

    def test_a_body_is_json_of_the_given_arguments(self) -> None:
        self.server.call("build", {"action": "claim", "params": {"id": 7, "x": ["é", None]}})
        self.server.call("build", {"action": "claim"})
        method, target, headers, body = self.gateway.requests[0]
        self.assertEqual((method, target), ("POST", "/v1/build"))
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(
            json.loads(body), {"action": "claim", "params": {"id": 7, "x": ["é", None]}}
        )
        self.assertEqual(json.loads(self.gateway.requests[1][3]), {"action": "claim"})

    def test_the_token_goes_with_grants_and_with_nothing_else(self) -> None:
        self.gateway.respond = answer(200, b'{"state":"read"}')
        self.server.call("wagers")
        self.server.call("news", {"asset": "native"})
        grant, public = (headers for _, _, headers, _ in self.gateway.requests)
        self.assertEqual(grant["Authorization"], f"Bearer {TOKEN}")
        self.assertNotIn("Authorization", public)

    def test_a_base_path_is_kept(self) -> None:
        Server(configure(self.gateway.url + "/base/v2//", TOKEN)).call("wagers")
        self.assertEqual(self.gateway.requests[0][1], "/base/v2/v1/wagers")

    def test_unknown_and_local_tools_are_errors_that_name_the_others(self) -> None:
        for name in ("nothing", "find", "", None, 5, ["news"], "\ud800"):
            for version in (MODERN, ""):
                error = self.server.ask("tools/call", {"name": name}, version)["error"]
                self.assertEqual(error["code"], -32602)
                self.assertIn("Available: build, news, wagers", error["message"])

    def test_a_filter_hides_the_other_tools(self) -> None:
        server = Server(configure(self.gateway.url), only=["wagers", "news"])
        shown = [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
        self.assertEqual(shown, ["news", "wagers"])
        error = server.ask("tools/call", {"name": "build"})["error"]
        self.assertIn("Available: news, wagers", error["message"])

    def test_arguments_must_be_an_object(self) -> None:
        odd: list[Any] = [[], "x", 5, False]
        for arguments in odd:
            error = self.server.ask("tools/call", {"name": "wagers", "arguments": arguments})
            self.assertEqual(error["error"]["code"], -32602)
        for params in ({"name": "wagers", "arguments": None}, {"name": "wagers"}):
            self.assertIn("result", self.server.ask("tools/call", params))

    def test_wrong_arguments_are_named_one_by_one_and_nothing_is_sent(self) -> None:
        text = self.server.fail("wagers", {"first": 0, "account": "x", "a/b": 1})
        self.assertIn("wagers was not called", text)
        self.assertIn("- /first: must be at least 1", text)
        self.assertIn("- /account: is not a known property", text)
        self.assertIn("- /a~1b: is not a known property", text)
        self.assertNotIn(UNKNOWN, text)
        self.assertIn('(arguments): must have "asset"', self.server.fail("news"))
        self.assertEqual(self.gateway.requests, [])

    def test_many_faults_are_cut_with_their_number(self) -> None:
        text = self.server.fail("wagers", {f"x{n}": 1 for n in range(50)})
        self.assertEqual(len(text.splitlines()), 22)
        self.assertTrue(text.endswith("- and 30 more"))

    def test_a_path_argument_cannot_leave_its_segment(self) -> None:
        for asset in (
            "",
            ".",
            "..",
            "a/b",
            "..\\",
            "a?b",
            "a#b",
            "%2e%2e",
            "a\x00",
            "a\u2028",
            "\n",
        ):
            with self.subTest(asset=asset):
                text = self.server.fail("news", {"asset": asset})
                self.assertIn("- /asset: ", text)
        for chain in ("", "..", "137\n", "0137", "137/../x", "١٣٧", -5, 1.5):
            with self.subTest(chain=chain):
                text = self.server.fail("news", {"asset": "native", "chainId": chain})
                self.assertIn("- /chainId: ", text)
        self.assertEqual(self.gateway.requests, [])

    def test_a_query_argument_must_match_its_pattern(self) -> None:
        for query in ("", "x" * 21, "a\nb", "\ud800"):
            text = self.server.fail("news", {"asset": "native", "q": query})
            self.assertIn("- /q: ", text)
        self.assertEqual(self.gateway.requests, [])

    def test_a_payment_in_a_message_is_refused_in_words(self) -> None:
        params = {"name": "wagers", "_meta": {"x402/payment": {"x402Version": 2}}}
        result = self.server.ask("tools/call", params, MODERN)["result"]
        self.assertIs(result["isError"], True)
        self.assertIn("takes no payment in a message", result["content"][0]["text"])
        self.assertEqual(self.gateway.requests, [])

    def test_half_a_character_reaches_the_client_as_text_it_can_read(self) -> None:
        body = b'{"state":"read","title":"cut \\ud83d","pair":"\\ud83d\\ude00"}'
        self.gateway.respond = answer(200, body)
        result = self.server.call("news", {"asset": "native"})
        self.assertEqual(result["content"][0]["text"], body.decode())
        self.assertEqual(
            result["structuredContent"], {"state": "read", "title": "cut \ufffd", "pair": "😀"}
        )

    def test_structured_content_keeps_the_spelling_of_everything_but_white_space(self) -> None:
        digits = "9" * 5000
        body = (
            '{ "state" : "read",\r\n\t'
            '"a b" : [ 0.12345678901234567890, 1.10, 1E2, -0, 1e400 ],\n'
            f'"long": [{digits}, -{digits}], "text": " \\" \\u00e9 \\n é\u2028 \\\\", '
            '"o": {} }\n'
        )
        expected = (
            '{"state":"read","a b":[0.12345678901234567890,1.10,1E2,-0,1e400],'
            f'"long":[{digits},-{digits}],"text":" \\" \\u00e9 \\n é\u2028 \\\\","o":{{}}}}'
        )
        self.gateway.respond = answer(200, body.encode())
        work = self.server.protocol.begin(
            Request(1, "tools/call", {"name": "news", "arguments": {"asset": "native"}}),
            self.server.session,
            self.server.caller,
        )
        with closing(BlockingCarrier()) as carrier:
            line = carrier.run(work.steps()) or b""
        self.assertIn(f'"structuredContent":{expected}'.encode(), line)
        self.assertNotIn(b"\n", line)
        shown = json.loads(line, parse_int=str, parse_float=str)["result"]
        self.assertEqual(shown["content"][0]["text"], body)
        self.assertEqual(shown["structuredContent"]["long"], [digits, f"-{digits}"])

    def test_a_number_out_of_range_is_judged_as_a_huge_one(self) -> None:
        news = next(tool for tool in SNAPSHOT["tools"] if tool["name"] == "news")
        schema = {"properties": {"n": {"type": "integer", "maximum": 5}}}
        server = Server(
            configure(self.gateway.url),
            {**SNAPSHOT, "tools": [{**news, "outputSchema": schema}]},
        )
        for number in ("9" * 5000, "1e400"):
            self.gateway.respond = answer(200, f'{{"n":{number}}}'.encode())
            text = server.fail("news", {"asset": "native"})
            self.assertIn("/n must be at most 5", text)
            self.gateway.respond = answer(200, f'{{"n":-{number}}}'.encode())
            self.assertIs(self.server.call("news", {"asset": "x"})["isError"], True)

    def test_deeply_nested_arguments_are_a_fault(self) -> None:
        nested: Any = []
        for _ in range(400):
            nested = [nested]
        self.server.call("build", {"action": "claim", "params": {"x": nested}})
        self.assertEqual(len(self.gateway.requests), 1)


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.server = Server(configure(self.gateway.url, TOKEN))

    def check(self, status: int, body: bytes, expected: str, headers: Any = None) -> None:
        self.gateway.respond = answer(status, body, headers)
        for version in (MODERN, "2025-06-18", "2024-11-05"):
            text = self.server.fail("wagers", {"first": 5}, version)
            self.assertEqual(
                text, f"wagers (GET /v1/wagers?first=5) did not succeed: {expected} {UNKNOWN}"
            )

    def test_an_error_envelope_gives_code_and_reason(self) -> None:
        body = b'{"error":{"code":"insufficient_scope","reason":"Scope read:wagers is missing."}}'
        self.check(403, body, "insufficient_scope — Scope read:wagers is missing.")

    def test_a_build_that_is_wrong_in_itself_is_no_failed_read(self) -> None:
        for code in ("bad_request", "unsupported_action", "invalid_params", "invalid_cursor"):
            body = json.dumps({"error": {"code": code, "reason": "No such action."}}).encode()
            self.gateway.respond = answer(400, body)
            text = self.server.fail("build", {"action": "x"})
            self.assertTrue(text.endswith(f" did not succeed: {code} — No such action."), text)
            self.assertTrue(self.server.fail("wagers").endswith(UNKNOWN))
        self.gateway.respond = answer(502, b'{"error":{"code":"upstream_failed","reason":"x"}}')
        self.assertTrue(self.server.fail("build", {"action": "x"}).endswith(UNKNOWN))

    def test_the_older_flat_envelope_does_too(self) -> None:
        self.check(400, b'{"error":"bad_request","message":"No."}', "bad_request — No.")

    def test_the_waiting_time_is_named(self) -> None:
        body = b'{"error":{"code":"quota_exceeded","reason":"Too many"}}'
        expected = "quota_exceeded — Too many."
        self.check(429, body, f"{expected} Retry after 12 s.", {"Retry-After": "12"})
        for value in ("soon", "-1", "1e9", "9999999", "", "١"):
            self.check(429, body, expected, {"Retry-After": value.encode().decode("latin-1")})

    def test_the_waiting_time_may_be_a_date(self) -> None:
        now = 784_111_777 - 89.5
        for text, seconds in (
            ("Sun, 06 Nov 1994 08:49:37 GMT", 90),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 90),
            ("Sun Nov  6 08:49:37 1994", 90),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Sun, 06 Nov 2094 08:49:37 GMT", None),
            ("Sun, 99 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 99999999999999 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 " * 5, None),
        ):
            self.assertEqual(read_retry_after(text, now), seconds, text)
        body = b'{"error":{"code":"quota_exceeded","reason":"Too many"}}'
        past = {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
        self.check(429, body, "quota_exceeded — Too many. Retry after 0 s.", past)

    def test_an_answer_without_an_envelope_is_named_by_its_status(self) -> None:
        for body in (
            b"<html>Bad gateway</html>",
            b"",
            b"[]",
            b'"x"',
            b'{"error":null}',
            b'{"error":{"code":5,"reason":[]}}',
            b'{"error":{"code":"no code at all"}}',
            b"\xff",
        ):
            self.check(502, body, "http_502 — the API answered HTTP 502 and gave no reason.")

    def test_a_foreign_reason_is_cut_and_flattened(self) -> None:
        reason = "a\n\n\x1b[31m\u202eb\ud800 " + "x" * 1000
        body = json.dumps({"error": {"code": "c", "reason": reason}}).encode()
        self.gateway.respond = answer(500, body)
        text = self.server.fail("wagers")
        self.assertIn("c — a [31m b\ufffd xxx", text)
        self.assertLess(len(text), 600)
        self.assertTrue(text.isprintable())

    def test_a_redirect_is_not_followed(self) -> None:
        reason = "the API answered with a redirect, and this server follows none."
        for status in (301, 302, 303, 307, 308):
            location = {"Location": self.gateway.url + "/elsewhere"}
            self.check(status, b"", f"http_{status} — {reason}", location)
        self.assertEqual(
            {target for _, target, _, _ in self.gateway.requests}, {"/v1/wagers?first=5"}
        )

    def test_a_success_that_is_no_json_object_is_a_failure(self) -> None:
        reason = "invalid_response — the API's answer is not a JSON object."
        for body in (b"", b"<html>", b"[]", b"null", b'"x"', b"{", b'{"a":NaN}'):
            self.check(200, body, reason)
        self.check(200, b'{"a":"\xff"}', reason)
        self.check(200, b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}", reason)
        self.check(200, b'{"a":' + b"[" * 150 + b"]" * 150 + b"}", reason)

    def test_an_answer_that_is_unreadable_as_a_whole_is_a_failure_although_the_status_is_200(
        self,
    ) -> None:
        for body in (
            '{"state":"unreadable","reason":"upstream_error"}',
            '{"state":"unreadable","reason":"upstream_error","items":[],"stale":false}',
            '{ "state":"unreadable", "chainId":137, "role":"X", "reason":"upstream_error"}',
        ):
            expected = f"unreadable — upstream_error. The API's answer: {body}"
            self.check(200, body.encode(), expected)
        body = '{"state":"unreadable"}'
        expected = f"unreadable — the API gave no reason. The API's answer: {body}"
        self.check(200, body.encode(), expected)

    def test_the_reason_comes_before_the_announced_form(self) -> None:
        news = next(tool for tool in SNAPSHOT["tools"] if tool["name"] == "news")
        strict = {**news, "outputSchema": {"type": "object", "maxProperties": 1}}
        server = Server(configure(self.gateway.url), {**SNAPSHOT, "tools": [strict]})
        body = b'{"state":"unreadable","reason":"vendor_down","fetchedAt":1}'
        self.gateway.respond = answer(200, body)
        text = server.fail("news", {"asset": "native"})
        self.assertIn("unreadable — vendor_down.", text)
        self.assertTrue(text.endswith(UNKNOWN))

    def test_an_answer_that_is_unreadable_in_part_or_not_configured_is_data(self) -> None:
        documents: list[Any] = [
            {"state": "not-configured", "reason": "r"},
            {"chains": {"137": {"state": "unreadable", "reason": "r"}}, "partial": [137]},
            {"state": "read", "items": []},
        ]
        for document in documents:
            self.gateway.respond = answer(200, json.dumps(document).encode())
            result = self.server.call("wagers")
            self.assertIs(result["isError"], False)
            self.assertEqual(result["structuredContent"], document)

    def test_data_of_another_form_than_announced_is_a_failure(self) -> None:
        self.gateway.respond = answer(200, b'{"state":"odd"}')
        text = self.server.fail("news", {"asset": "native"})
        self.assertIn("invalid_response — the API's answer is not of the announced form:", text)
        self.assertIn('/state must be one of "read", "unreadable".', text)
        self.assertTrue(text.endswith(UNKNOWN))

    def test_without_a_url_every_call_says_so(self) -> None:
        for url, why in (
            ("", "FAIRWINS_API_URL is not set"),
            ("ftp://x.test", "is set but is not a plain http or https URL"),
        ):
            server = Server(configure(url, TOKEN))
            for name, arguments in (("wagers", {}), ("news", {"asset": "native"})):
                text = server.fail(name, arguments)
                self.assertIn("did not succeed: api_unconfigured — ", text)
                self.assertIn(why, text)
                self.assertTrue(text.endswith(UNKNOWN))
            self.assertEqual(len(server.ask("tools/list")["result"]["tools"]), 3)


if __name__ == "__main__":
    unittest.main()
