"""Completions: values from the API, and honest about it when they are not."""

from __future__ import annotations

import copy
import json
import unittest
from contextlib import closing
from typing import Any

from support import MODERN, SNAPSHOT, Gateway, Server, answer, configure

from fairwins_mcp.api import Api
from fairwins_mcp.cancellation import Cancellation
from fairwins_mcp.completions import FRESH_SECONDS, RETRY_SECONDS, Completions
from fairwins_mcp.revisions import HANDSHAKE
from fairwins_mcp.upstream.blocking_carrier import BlockingCarrier

CHAINS: dict[str, Any] = {"137": {}, "8453": {}, "1": {}, "13": {}, "x": {}}


def ask(argument: str, value: str, ref: Any = None) -> dict[str, Any]:
    named = {"type": "ref/prompt", "name": "review"} if ref is None else ref
    return {"ref": named, "argument": {"name": argument, "value": value}}


class Values(unittest.TestCase):
    def setUp(self) -> None:
        self.gateway = self.enterContext(Gateway())
        self.respond({"status": "ok", "chains": CHAINS})
        self.server = Server(configure(self.gateway.url))
        self.time = 0.0

    def respond(self, document: object, status: int = 200) -> None:
        self.gateway.respond = answer(status, json.dumps(document).encode())

    def complete(self, argument: str, value: str, version: str = MODERN) -> Any:
        reply = self.server.ask("completion/complete", ask(argument, value), version)
        return reply["result"]["completion"]

    def test_chains_come_live_in_order(self) -> None:
        for value, values in (
            ("", ["1", "13", "137", "8453", "x"]),
            ("13", ["13", "137"]),
            ("8", ["8453"]),
            ("9", []),
        ):
            expected = {"values": values, "total": len(values), "hasMore": False}
            self.assertEqual(self.complete("chainId", value), expected)
        self.assertEqual({target for _, target, _, _ in self.gateway.requests}, {"/status"})

    def test_an_argument_without_a_source_has_no_values(self) -> None:
        self.assertEqual(self.complete("who", "a"), {"values": [], "total": 0, "hasMore": False})
        self.assertEqual(self.gateway.requests, [])

    def test_a_failed_read_falls_back_on_the_schemas_and_does_not_look_complete(self) -> None:
        cases: list[tuple[Any, int]] = [
            ({}, 503),
            ({"chains": []}, 200),
            ({}, 200),
            ({"accepts": []}, 402),
        ]
        for document, status in cases:
            self.setUp()
            self.respond(document, status)
            self.assertEqual(self.complete("chainId", ""), {"values": ["137"], "hasMore": True})
        unconfigured = Server().ask("completion/complete", ask("chainId", "2"), MODERN)
        self.assertEqual(unconfigured["result"]["completion"], {"values": [], "hasMore": True})

    def test_at_most_a_hundred_values_are_given(self) -> None:
        self.respond({"chains": {str(number): {} for number in range(1, 251)}})
        completion = self.complete("chainId", "")
        self.assertEqual(completion["values"], [str(number) for number in range(1, 101)])
        self.assertEqual((completion["total"], completion["hasMore"]), (250, True))

    def test_keys_that_nobody_would_choose_are_left_out(self) -> None:
        self.respond({"chains": {"1": {}, "": {}, "a\nb": {}, "9" * 65: {}}})
        self.assertEqual(self.complete("chainId", "")["values"], ["1"])

    def test_values_are_kept_for_a_while(self) -> None:
        completions = Completions(self.server.surface, Api(self.server.settings), lambda: self.time)
        carrier = self.enterContext(closing(BlockingCarrier()))

        def run() -> list[str]:
            outcome = completions.complete(ask("chainId", ""))
            result = carrier.run(outcome(Cancellation())) if callable(outcome) else outcome
            values: list[str] = result["completion"]["values"]
            return values

        self.respond({"chains": {"1": {}}})
        self.time = 100.0
        self.assertEqual(run(), ["1"])
        self.respond({}, 503)
        self.time += FRESH_SECONDS - 1
        self.assertEqual(run(), ["1"])
        self.time += 1
        self.assertEqual(run(), ["137"])
        self.respond({"chains": {"2": {}}})
        self.time += RETRY_SECONDS - 1
        self.assertEqual(run(), ["137"])
        self.time += 1
        self.assertEqual(run(), ["2"])
        self.assertEqual(len(self.gateway.requests), 3)

    def test_revisions_that_declare_completions_serve_them(self) -> None:
        for version in (*HANDSHAKE, MODERN):
            reply = self.server.ask("completion/complete", ask("chainId", "8453"), version)
            if version == "2024-11-05":
                self.assertEqual(reply["error"]["code"], -32601)
                continue
            self.assertEqual(reply["result"]["completion"]["values"], ["8453"])
            self.assertEqual("resultType" in reply["result"], version == MODERN)
        for version in HANDSHAKE:
            opening = self.server.ask("initialize", {"protocolVersion": version})["result"]
            self.assertEqual("completions" in opening["capabilities"], version != "2024-11-05")


class Requests(unittest.TestCase):
    def test_what_does_not_exist_cannot_be_completed(self) -> None:
        odd: list[Any] = [
            {},
            {"ref": {"type": "ref/prompt", "name": "review"}},
            ask("chainId", "", {"type": "ref/prompt", "name": "nothing"}),
            ask("chainId", "", {"type": "ref/prompt"}),
            ask("chainId", "", {"type": "ref/tool", "name": "news"}),
            ask("chainId", "", []),
            ask("nothing", ""),
            ask("chainId", "", {"type": "ref/resource", "uri": "x://{y}"}),
            {**ask("chainId", ""), "argument": {"name": "chainId"}},
            {**ask("chainId", ""), "argument": {"name": 5, "value": ""}},
            {**ask("chainId", ""), "argument": {"name": "chainId", "value": 5}},
        ]
        for params in odd:
            reply = Server().ask("completion/complete", params, MODERN)
            self.assertEqual(reply["error"]["code"], -32602, params)

    def test_a_template_that_is_served_has_no_values(self) -> None:
        snapshot = copy.deepcopy(SNAPSHOT)
        entry = {"uriTemplate": "x://{y}", "name": "x", "title": "X", "description": "X."}
        snapshot["resourceTemplates"] = [entry]
        params = ask("y", "", {"type": "ref/resource", "uri": "x://{y}"})
        reply = Server(snapshot=snapshot).ask("completion/complete", params, MODERN)
        self.assertEqual(reply["result"]["completion"]["values"], [])


if __name__ == "__main__":
    unittest.main()
