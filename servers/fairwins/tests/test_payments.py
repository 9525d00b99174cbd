"""Tokens and payments: each request has its own, passed on to the byte, and none is ever shown."""

from __future__ import annotations

import base64
import json
import traceback
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any

from support import MODERN, PRICE, TOKEN, UNKNOWN, Gateway, Server, answer, configure
from wire import BEARER, Answer, HttpServer, call, message, modern, post

from fairwins_mcp.payments import Payment, find_argument

ENV_TOKEN = "fw1.ZW52aXJvbm1lbnQ.c2ln"
RECEIPT = {
    "success": True,
    "transaction": "0xcd",
    "transactionId": "engine-0001",
    "network": "eip155:137",
    "payer": "0x19E7",
    "amount": "10000",
    "settlement": "broadcast",
    "unheard": [1, None],
}
OFFER = (
    b'{ "x402Version": 2, "error": "payment_expired", "errorReason": "Too late.",\n'
    b'"accepts": [{}] }'
)
# What base64 allows, and what it does not: none of it is for this server to judge.
PAYMENTS = (
    "eyJ4IjoxfQ==",
    "eyJ4IjoxfQ",
    "eyJ4IjoxfQ====",
    "+/+/_-_-",
    "aGVsbG8 d29ybGQ=",
    "not base64 at all!",
    "x",
    "A" * 9000,
    '{"x402Version":2}',
)


def encode(document: object) -> str:
    return base64.b64encode(json.dumps(document).encode()).decode()


class Paying(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.gateway.respond = answer(200, b'{"state":"read"}')
        self.server = self.enterContext(HttpServer(configure(self.gateway.url)))

    def pay(self, headers: dict[str, str], name: str = "build") -> Answer:
        arguments = {"action": "claim"} if name == "build" else {}
        return self.server.send(call(name, arguments, headers))

    def respond(self, status: int, body: bytes, *fields: tuple[str, str]) -> None:
        def respond(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in fields:
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(body)

        self.gateway.respond = respond


class Payments(Paying):
    def test_a_payment_goes_on_under_its_name_byte_for_byte_and_without_a_token(self) -> None:
        for name in ("X-PAYMENT", "PAYMENT-SIGNATURE"):
            for value in PAYMENTS:
                for token in ({}, BEARER):
                    reply = self.pay({name: value, **token})
                    self.assertIs(reply.document["result"]["isError"], False)
                    method, target, headers, body = self.gateway.requests.pop()
                    self.assertEqual(
                        (method, target, body), ("POST", "/v1/build", b'{"action":"claim"}')
                    )
                    self.assertEqual(headers[name], value)
                    self.assertNotIn("Authorization", headers)
                    self.assertEqual(len([key for key in headers if "PAYMENT" in key.upper()]), 1)

    def test_space_around_a_payment_is_not_part_of_it(self) -> None:
        self.pay({"x-payment": " \t eyJ4IjoxfQ== \t"})
        self.assertEqual(self.gateway.requests[0][2]["X-PAYMENT"], "eyJ4IjoxfQ==")

    def test_the_shared_token_stays_out_of_a_paid_call(self) -> None:
        with HttpServer(configure(self.gateway.url, ENV_TOKEN)) as server:
            server.send(call("build", {"action": "claim"}, {"X-PAYMENT": "x"}))
        self.assertNotIn("Authorization", self.gateway.requests[0][2])

    def test_more_than_one_payment_is_refused(self) -> None:
        data = call("build", {"action": "claim"}, {"X-PAYMENT": "x"})
        for more in ("X-PAYMENT: x", "x-payment: y", "PAYMENT-SIGNATURE: x"):
            twice = data.replace(b"\r\n", f"\r\n{more}\r\n".encode(), 1)
            reply = self.server.send(twice)
            self.assertEqual((reply.status, reply.code), (400, -32600), more)
            self.assertEqual(reply.document["error"]["data"], {"code": "two_payments"})
        self.assertEqual(self.gateway.requests, [])

    def test_a_payment_that_cannot_be_passed_on_is_refused(self) -> None:
        for text in ("a\u2028b", "a\u2029b", "é", "a\u0085b", "\u200b"):
            reply = self.pay({"X-PAYMENT": text.encode().decode("latin-1")})
            self.assertEqual(reply.document["error"]["data"], {"code": "payment_malformed"})
            self.assertEqual(reply.status, 400)
        for text in ("a\tb", "\xa0", " "):
            self.assertEqual(self.pay({"X-PAYMENT": text}).status, 400, text)
        for text in ("a\rb", "a\nb", "a\x00b", "a\r\n b"):
            self.assertEqual(self.pay({"X-PAYMENT": text}).status, 400, text)
        self.assertEqual(self.gateway.requests, [])

    def test_a_tool_without_a_price_takes_no_payment(self) -> None:
        for name in ("wagers", "news"):
            reply = self.pay({"X-PAYMENT": "eyJ4IjoxfQ==", **BEARER}, name)
            self.assertEqual((reply.status, reply.document["result"]["isError"]), (200, True))
            (text,) = reply.texts
            self.assertIn("has no price", text)
            self.assertNotIn("eyJ4IjoxfQ==", text)
            self.assertNotIn(UNKNOWN, text)
        self.assertEqual(self.gateway.requests, [])

    def test_openings_lists_and_prompts_pass_a_payment_over(self) -> None:
        for method, params in (
            ("server/discover", {}),
            ("tools/list", {}),
            ("prompts/get", {"name": "brief"}),
        ):
            self.assertEqual(self.server.ask(method, params, {"X-PAYMENT": "x"}).status, 200)
        self.assertEqual(self.gateway.requests, [])

    def test_a_resource_has_no_price_and_takes_no_payment(self) -> None:
        for uri in ("small://status", "small://mine", "fairwins://guide"):
            headers = {"X-PAYMENT": "eyJ4IjoxfQ==", **BEARER}
            reply = self.server.ask("resources/read", {"uri": uri}, headers)
            self.assertEqual((reply.status, reply.code), (400, -32602))
            self.assertEqual(reply.document["error"]["data"], {"code": "payment_refused"})
            self.assertIn("resources/read was not called", reply.document["error"]["message"])
            self.assertNotIn(b"eyJ4IjoxfQ==", reply.body)
        self.assertEqual(self.gateway.requests, [])

    def test_a_batch_takes_no_payment(self) -> None:
        items = [message("tools/call", {"name": "build", "arguments": {"action": "claim"}})]
        reply = self.server.post(items, {"X-PAYMENT": "x"})
        self.assertEqual((reply.status, reply.code), (400, -32600))
        self.assertEqual(self.gateway.requests, [])

    def test_handshake_revisions_pay_in_the_same_way(self) -> None:
        receipt = encode(RECEIPT)
        self.respond(200, b'{"state":"read"}', ("X-PAYMENT-RESPONSE", receipt))
        body = message("tools/call", {"name": "build", "arguments": {"action": "claim"}})
        headers = {"MCP-Protocol-Version": "2025-11-25", "PAYMENT-SIGNATURE": "x"}
        reply = self.server.post(body, headers)
        self.assertEqual(reply.header("X-PAYMENT-RESPONSE"), receipt)
        result = reply.document["result"]
        self.assertEqual(result["_meta"], {"x402/payment-response": RECEIPT})
        self.assertNotIn("resultType", result)


class Receipts(Paying):
    def test_receipts_come_back_byte_for_byte(self) -> None:
        for name in ("X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE", "PAYMENT-REQUIRED"):
            for value in (encode(RECEIPT), *PAYMENTS, "caf\xe9"):
                self.respond(200, b'{"state":"read"}', (name.title(), value))
                reply = self.pay({"X-PAYMENT": "x"})
                self.assertEqual(reply.header(name), value)

    def test_a_receipt_is_restated_and_does_not_claim_too_much(self) -> None:
        self.respond(200, b'{"state":"read"}', ("X-PAYMENT-RESPONSE", encode(RECEIPT)))
        reply = self.pay({"X-PAYMENT": "x"})
        data, text = reply.texts
        self.assertEqual(data, '{"state":"read"}')
        for word in ("0xcd", "engine-0001", "eip155:137", "10000", "broadcast, not confirmed"):
            self.assertIn(word, text)
        result = reply.document["result"]
        self.assertEqual(result["structuredContent"], {"state": "read"})
        self.assertEqual(result["_meta"]["x402/payment-response"], RECEIPT)
        self.assertIn("io.modelcontextprotocol/serverInfo", result["_meta"])

    def test_a_receipt_without_success_is_not_called_a_payment(self) -> None:
        receipt = encode({"success": False, "errorReason": "insufficient_funds"})
        self.respond(200, b'{"state":"read"}', ("PAYMENT-RESPONSE", receipt))
        text = self.pay({"X-PAYMENT": "x"}).texts[1]
        self.assertIn("insufficient_funds", text)
        self.assertIn("reports no success", text)
        self.assertNotIn("broadcast", text)

    def test_a_receipt_that_cannot_be_read_is_said_to_be_one(self) -> None:
        for value in (
            "%%%",
            encode([1]),
            "/w==",
            encode("x"),
            base64.b64encode(b"[" * 9999).decode(),
        ):
            self.respond(200, b'{"state":"read"}', ("PAYMENT-RESPONSE", value))
            reply = self.pay({"X-PAYMENT": "x"})
            self.assertIn("cannot read", reply.texts[1])
            self.assertIn("broadcast, not confirmed", reply.texts[1])
            self.assertNotIn("x402/payment-response", reply.document["result"]["_meta"])

    def test_a_payment_without_a_receipt_is_an_open_question(self) -> None:
        for status, body in ((200, b'{"state":"read"}'), (502, b"{}"), (200, b"no json")):
            self.respond(status, body)
            self.assertIn("whether it was taken is unknown", self.pay({"X-PAYMENT": "x"}).texts[-1])

    def test_a_failure_gives_its_receipt_back_too(self) -> None:
        self.respond(502, b"{}", ("X-PAYMENT-RESPONSE", encode(RECEIPT)))
        reply = self.pay({"X-PAYMENT": "x"})
        self.assertEqual(reply.header("X-PAYMENT-RESPONSE"), encode(RECEIPT))
        failure, receipt = reply.texts
        self.assertTrue(failure.endswith(UNKNOWN))
        self.assertIn("broadcast, not confirmed", receipt)

    def test_a_payment_that_never_left_is_said_to_be_unused(self) -> None:
        for environment in (configure(), configure("http://127.0.0.1:9")):
            with HttpServer(environment) as server:
                reply = server.send(call("build", {"action": "claim"}, {"X-PAYMENT": "x"}))
            self.assertEqual(reply.texts[1], "The payment was sent nowhere.")

    def test_a_refused_payment_is_a_price_again(self) -> None:
        self.respond(402, OFFER, ("PAYMENT-REQUIRED", "b2ZmZXI="))
        reply = self.pay({"X-PAYMENT": "x"})
        self.assertEqual(reply.status, 200)
        self.assertEqual(reply.header("PAYMENT-REQUIRED"), "b2ZmZXI=")
        offer, price, refusal = reply.texts
        self.assertEqual(offer, OFFER.decode())
        self.assertTrue(price.endswith(PRICE))
        self.assertIn("was not accepted: payment_expired — Too late.", refusal)
        self.assertNotIn(UNKNOWN, price + refusal)

    def test_somebody_without_a_token_is_told_the_price(self) -> None:
        self.respond(402, OFFER, ("PAYMENT-REQUIRED", "b2ZmZXI="))
        reply = self.pay({})
        self.assertEqual(reply.texts[0], OFFER.decode())
        self.assertEqual(reply.header("PAYMENT-REQUIRED"), "b2ZmZXI=")
        self.assertNotIn("Authorization", self.gateway.requests[0][2])
        self.respond(401, b'{"error":{"code":"missing_token","reason":"No token."}}')
        self.assertIn("missing_token — No token.", self.pay({}).texts[0])
        self.assertIn("token_missing", self.pay({}, "wagers").texts[0])
        self.assertEqual(len(self.gateway.requests), 2)

    def test_over_stdio_nobody_can_pay_and_a_token_is_missing(self) -> None:
        text = Server(configure(self.gateway.url)).fail("build", {"action": "claim"})
        self.assertIn("token_missing", text)
        self.assertEqual(self.gateway.requests, [])

    def test_an_offer_to_somebody_who_did_not_pay_has_two_texts(self) -> None:
        self.respond(402, OFFER, ("PAYMENT-REQUIRED", "b2ZmZXI="))
        reply = self.pay(BEARER)
        self.assertEqual(len(reply.texts), 2)
        self.assertEqual(reply.header("PAYMENT-REQUIRED"), "b2ZmZXI=")

    def test_an_echoed_payment_is_in_no_text(self) -> None:
        payment = "eyJzaWduYXR1cmUiOiIweDEifQ=="
        receipt = encode({"success": True, "echo": payment})
        body = json.dumps({"error": {"code": "bad", "reason": f"no {payment}"}}).encode()
        for status in (200, 402, 400):
            self.respond(status, body, ("X-PAYMENT-RESPONSE", receipt))
            reply = self.pay({"X-PAYMENT": payment})
            self.assertNotIn(payment.encode(), reply.body)
            self.assertIn(b"[credential removed]", reply.body)
            self.assertEqual(reply.header("X-PAYMENT-RESPONSE"), receipt)

    def test_a_receipt_cannot_break_a_line(self) -> None:
        self.respond(200, b'{"state":"read"}', ("X-PAYMENT-RESPONSE", "a\r\n folded"))
        reply = self.pay({"X-PAYMENT": "x"})
        self.assertIsNone(reply.header("X-PAYMENT-RESPONSE"))
        self.assertIn("the API sent no receipt", reply.texts[1])

    def test_receipts_stay_with_their_request(self) -> None:
        self.respond(200, b'{"state":"read"}', ("X-PAYMENT-RESPONSE", encode(RECEIPT)))
        with self.server.open() as peer:
            peer.send(call("build", {"action": "claim"}, {"X-PAYMENT": "x"}))
            self.assertIsNotNone(peer.receive().header("X-PAYMENT-RESPONSE"))
            peer.send(modern("tools/list"))
            self.assertIsNone(peer.receive().header("X-PAYMENT-RESPONSE"))


class Messages(unittest.TestCase):
    def test_a_payment_in_a_message_is_refused_over_both_transports(self) -> None:
        payment = {"x402Version": 2, "payload": {"signature": "0xsecret"}}
        names = ("payment", "X-PAYMENT", "x_payment", "paymentSignature", "x402/payment")
        params: list[Any] = [
            {"_meta": {"x402/payment": payment}},
            *({"arguments": {"action": "claim", name: payment}} for name in names),
        ]
        with Gateway() as gateway, HttpServer(configure(gateway.url, TOKEN)) as server:
            stdio = Server(configure(gateway.url, TOKEN))
            for given in params:
                given = {"name": "build", "arguments": {"action": "claim"}, **given}
                results = [
                    stdio.ask("tools/call", given, MODERN)["result"],
                    stdio.ask("tools/call", given)["result"],
                    server.ask("tools/call", given).document["result"],
                    server.post(message("tools/call", given)).document["result"],
                ]
                for result in results:
                    self.assertIs(result["isError"], True)
                    text = result["content"][0]["text"]
                    self.assertIn("takes no payment in a message", text)
                    self.assertIn("stdio", text)
                    self.assertNotIn("0xsecret", text)
        self.assertEqual(gateway.requests, [])

    def test_a_payment_in_any_other_message_is_refused_too(self) -> None:
        meta = {"_meta": {"x402/payment": {"payload": "0xsecret"}}}
        with Gateway() as gateway, HttpServer(configure(gateway.url, TOKEN)) as server:
            stdio = Server(configure(gateway.url, TOKEN))
            for method, params in (
                ("resources/read", {"uri": "small://status"}),
                ("prompts/get", {"name": "brief"}),
                ("completion/complete", {}),
                ("tools/list", {}),
            ):
                given = {**params, **meta}
                for error in (
                    stdio.ask(method, given, MODERN)["error"],
                    stdio.ask(method, given)["error"],
                    server.ask(method, given).document["error"],
                ):
                    self.assertEqual(error["data"], {"code": "payment_refused"})
                    self.assertIn("takes no payment in a message", error["message"])
                    self.assertNotIn("0xsecret", json.dumps(error))
        self.assertEqual(gateway.requests, [])

    def test_an_argument_that_a_tool_declares_is_no_payment(self) -> None:
        self.assertEqual(find_argument(["a", "payment"], ["a"]), "payment")
        self.assertIsNone(find_argument(["payment"], ["payment"]))
        self.assertIsNone(find_argument(["payments", "paymentId"], []))

    def test_a_payment_is_never_shown(self) -> None:
        payment = Payment("X-PAYMENT", "c2VjcmV0")
        shown = f"{payment!r} {payment} {[payment]}"
        try:
            raise ValueError(payment)
        except ValueError:
            shown += traceback.format_exc()
        self.assertNotIn("c2VjcmV0", shown)
        self.assertEqual(payment.reveal(), "c2VjcmV0")

    def test_a_post_without_a_payment_is_unpaid(self) -> None:
        with Gateway() as gateway, HttpServer(configure(gateway.url)) as server:
            gateway.respond = answer(200, b'{"state":"read"}')
            self.assertEqual(server.send(post(message("ping"))).status, 200)
            server.send(call("build", {"action": "claim"}, BEARER))
        self.assertNotIn("X-PAYMENT", gateway.requests[0][2])


if __name__ == "__main__":
    unittest.main()
