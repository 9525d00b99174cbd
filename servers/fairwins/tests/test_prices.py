"""Prices that are offered, and credentials that are in nothing that the server says."""

from __future__ import annotations

import json
import unittest

from support import PRICE, SNAPSHOT, TOKEN, UNKNOWN, Gateway, Server, answer, configure

OFFER = b"""{ "x402Version": 2, "error": "payment_required", "n": 1.00,
 "accepts": [ {"scheme": "exact", "amount": "10000", "unheard": {"of": [null]}} ] }"""


class Prices(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.server = Server(configure(self.gateway.url, TOKEN))

    def test_an_offer_is_surfaced_whole(self) -> None:
        self.gateway.respond = answer(402, OFFER)
        result = self.server.call("build", {"action": "claim"})
        offer, prose = result["content"]
        self.assertEqual(result["structuredContent"], json.loads(OFFER))
        self.assertEqual(offer["text"], OFFER.decode())
        self.assertTrue(prose["text"].endswith(PRICE))
        self.assertIs(result["isError"], True)
        self.assertNotIn(UNKNOWN, json.dumps(result, ensure_ascii=False))

    def test_an_offer_reaches_clients_that_know_no_structured_content(self) -> None:
        self.gateway.respond = answer(402, OFFER)
        result = self.server.call("build", {"action": "claim"}, version="2025-03-26")
        self.assertNotIn("structuredContent", result)
        self.assertEqual(len(result["content"]), 2)

    def test_a_402_without_a_list_of_payments_is_an_ordinary_failure(self) -> None:
        for body, reason in (
            (b'{"error":{"code":"payment_required","reason":"Some proxy says pay"}}', "Some proxy"),
            (b'{"accepts":[]}', "the API answered HTTP 402 and gave no reason"),
            (b'{"accepts":{}}', "the API answered HTTP 402 and gave no reason"),
            (b"[]", "the API answered HTTP 402 and gave no reason"),
            (b"pay", "the API answered HTTP 402 and gave no reason"),
        ):
            self.gateway.respond = answer(402, body)
            text = self.server.fail("build", {"action": "claim"})
            self.assertIn(f"did not succeed: http_402 — {reason}", text)
            self.assertTrue(text.endswith(UNKNOWN))
            self.assertNotIn(PRICE, text)

    def test_an_offer_for_a_tool_without_a_price_is_an_ordinary_failure(self) -> None:
        self.gateway.respond = answer(402, OFFER)
        for name, arguments in (("wagers", {}), ("news", {"asset": "native"})):
            text = self.server.fail(name, arguments)
            self.assertIn("http_402 — the API asks a payment, and this tool has no price.", text)
            self.assertTrue(text.endswith(UNKNOWN))


class Secrets(unittest.TestCase):
    def test_a_token_is_in_no_text_that_the_server_makes(self) -> None:
        server = Server(configure("http://127.0.0.1:9", TOKEN))
        shown = [repr(server.caller.token), str(server.caller.token), f"{server.caller.token}"]
        shown.append(repr(vars(server)))
        for name, arguments in (("wagers", {}), ("build", {"action": "x"}), ("news", {})):
            shown.append(json.dumps(server.call(name, arguments)))
        shown += server.notes
        for text in shown:
            self.assertNotIn(TOKEN, text)

    def test_an_api_that_echoes_the_token_is_quoted_without_it(self) -> None:
        escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
        with Gateway() as gateway:
            server = Server(configure(gateway.url, TOKEN))
            for spelling in (TOKEN, escaped, TOKEN.replace("f", "\\u0066")):
                body = f'{{"error":{{"code":"invalid_token","reason":"bad token {spelling}"}}}}'
                gateway.respond = answer(401, body.encode())
                text = server.fail("wagers")
                self.assertIn("invalid_token — bad token [credential removed].", text)
                body = f'{{"error":{{"code":"c","reason":"{"x" * 390}{spelling}"}}}}'
                gateway.respond = answer(401, body.encode())
                self.assertNotIn("fw1", server.fail("wagers"))
                body = f'{{"n": 1.10, "{spelling}": ["a {spelling}"]}}'
                gateway.respond = answer(200, body.encode())
                result = server.call("wagers")
                mark = "[credential removed]"
                self.assertEqual(
                    result["content"][0]["text"], f'{{"n": 1.10, "{mark}": ["a {mark}"]}}'
                )
                self.assertEqual(result["structuredContent"][mark], [f"a {mark}"])

    def test_the_fixture_has_a_tool_of_every_kind(self) -> None:
        kinds = {tool["exec"]["kind"] for tool in SNAPSHOT["tools"]}
        self.assertEqual(kinds, {"local", "public", "route"})


if __name__ == "__main__":
    unittest.main()
