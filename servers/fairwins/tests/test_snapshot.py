"""The vendored snapshot: everything in it can be served."""

from __future__ import annotations

import json
import re
import unittest
from typing import Any

from support import MODERN, Server

from fairwins_mcp.patterns import compile_pattern
from fairwins_mcp.revisions import REVISIONS
from fairwins_mcp.surface import load_snapshot, read_packaged
from fairwins_mcp.tools import Tool

SNAPSHOT: Any = load_snapshot()
SERVED = [
    "build_intent",
    "get_fees",
    "get_gateway_status",
    "get_membership",
    "get_perps_pairs",
    "get_prediction_markets",
    "get_profile",
    "get_token_news",
    "get_wagers",
]


class Snapshot(unittest.TestCase):
    def test_its_bytes_are_canonical(self) -> None:
        canonical = json.dumps(SNAPSHOT, indent=2, ensure_ascii=False) + "\n"
        self.assertEqual(read_packaged("snapshot.json").decode(), canonical)

    def test_the_nine_tools_are_served_and_the_local_one_is_not(self) -> None:
        server = Server(snapshot=SNAPSHOT)
        shown = server.ask("tools/list", version=MODERN)["result"]["tools"]
        self.assertEqual(sorted(tool["name"] for tool in shown), SERVED)
        error = server.ask("tools/call", {"name": "find_in_app"})["error"]
        self.assertEqual(error["code"], -32602)

    def test_every_tool_compiles(self) -> None:
        for entry in SNAPSHOT["tools"]:
            if entry["name"] in SERVED:
                Tool(entry, SNAPSHOT)

    def test_every_bound_argument_exists_on_both_sides(self) -> None:
        for entry in SNAPSHOT["tools"]:
            binding = entry["exec"]
            if "route" not in binding:
                continue
            route = SNAPSHOT["routes"][binding["route"]]
            arguments = entry["inputSchema"].get("properties", {})
            placeholders = re.findall(r"\{(\w+)\}", route["path"])
            self.assertEqual(sorted(binding.get("path", [])), sorted(placeholders))
            self.assertEqual(
                sorted(placeholders), sorted(p["name"] for p in route.get("pathParams", []))
            )
            self.assertLessEqual(
                set(binding.get("query", [])), {p["name"] for p in route.get("queryParams", [])}
            )
            for name in (*placeholders, *binding.get("query", []), *binding.get("body", [])):
                self.assertIn(name, arguments)

    def test_no_path_pattern_lets_a_path_in(self) -> None:
        for route in SNAPSHOT["routes"].values():
            for parameter in route.get("pathParams", []):
                expression = compile_pattern(parameter["pattern"])
                for text in ("", ".", "..", "a/b", "/", "a\n", "%2e%2e"):
                    with self.subTest(route=route["path"], text=text):
                        self.assertIsNone(expression.fullmatch(text))

    def test_a_reading_that_fails_as_a_whole_is_described_as_a_failed_call(self) -> None:
        failing = {
            route_id
            for route_id, route in SNAPSHOT["routes"].items()
            for place in route.get("unreadable", [])
            if (place["at"], place["value"]) == ("/state", "unreadable")
        }
        self.assertEqual(failing, {"membership", "news"})
        for entry in SNAPSHOT["tools"]:
            described = "the call fails with the code unreadable" in entry["description"]
            self.assertIs(described, entry["exec"].get("route") in failing, entry["name"])
        self.assertNotIn("state in get_token_news", SNAPSHOT["server"]["instructions"])

    def test_no_tool_takes_an_identity_or_a_payment(self) -> None:
        for entry in SNAPSHOT["tools"]:
            names = set(entry["inputSchema"].get("properties", {}))
            forbidden = {"account", "address", "owner", "token", "signature", "payment"}
            self.assertEqual(names & forbidden, set())

    def test_every_claimed_revision_is_spoken(self) -> None:
        self.assertLessEqual(set(SNAPSHOT["server"]["protocolVersions"]), set(REVISIONS))

    def test_every_embedded_resource_is_shipped(self) -> None:
        for entry in SNAPSHOT["resources"]:
            if entry["source"]["kind"] == "embedded":
                params = {"uri": entry["uri"]}
                reply = Server(snapshot=SNAPSHOT).ask("resources/read", params)
                self.assertGreater(len(reply["result"]["contents"][0]["text"]), 100)

    def test_every_prompt_can_be_filled(self) -> None:
        for entry in SNAPSHOT["prompts"]:
            given = {a["name"]: "x" for a in entry.get("arguments", []) if a.get("required")}
            params = {"name": entry["name"], "arguments": given}
            reply = Server(snapshot=SNAPSHOT).ask("prompts/get", params)
            for message in reply["result"]["messages"]:
                self.assertNotIn("{", message["content"]["text"])


if __name__ == "__main__":
    unittest.main()
