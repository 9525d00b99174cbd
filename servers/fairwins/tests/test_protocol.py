"""The core: revisions side by side, each with its own rules."""

from __future__ import annotations

import copy
import unittest
from typing import Any

from support import ENVELOPE, MODERN, SNAPSHOT, Gateway, Server, answer, configure, request

from fairwins_mcp.revisions import HANDSHAKE, STATELESS

ALL = [*HANDSHAKE, *STATELESS]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = {
    "io.modelcontextprotocol/serverInfo": {"name": "small", "title": "Small", "version": "9.8.7"}
}
CAPABILITIES: Any = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


class Handshake(unittest.TestCase):
    def test_initialize_echoes_a_known_revision(self) -> None:
        for version in HANDSHAKE:
            reply = Server().ask("initialize", {"protocolVersion": version, "capabilities": {}})
            self.assertEqual(reply["result"]["protocolVersion"], version)

    def test_initialize_offers_the_newest_handshake_revision_otherwise(self) -> None:
        for version in ("1999-01-01", MODERN, ""):
            reply = Server().ask("initialize", {"protocolVersion": version})
            self.assertEqual(reply["result"]["protocolVersion"], "2025-11-25")

    def test_initialize_introduces_the_server(self) -> None:
        result = Server().ask("initialize", {"protocolVersion": "2025-11-25"})["result"]
        self.assertEqual(
            result,
            {
                "protocolVersion": "2025-11-25",
                "serverInfo": {"name": "small", "title": "Small", "version": "9.8.7"},
                "capabilities": CAPABILITIES,
                "instructions": "Read the guide.",
            },
        )

    def test_initialize_without_a_version_is_an_error(self) -> None:
        odd: list[Any] = [{}, {"protocolVersion": 5}, None]
        for params in odd:
            self.assertEqual(Server().ask("initialize", params)["error"]["code"], -32602)

    def test_nothing_is_refused_before_initialize(self) -> None:
        server = Server()
        self.assertEqual(server.ask("ping")["result"], {})
        self.assertEqual(len(server.ask("tools/list")["result"]["tools"]), 3)

    def test_an_older_client_sees_no_later_fields(self) -> None:
        fields = {}
        for version in ALL:
            for tool in Server().ask("tools/list", version=version)["result"]["tools"]:
                if tool["name"] == "news":
                    fields[version] = set(tool)
        base = {"name", "description", "inputSchema"}
        titled = base | {"annotations", "title", "outputSchema", "_meta"}
        self.assertEqual(
            fields,
            {
                "2024-11-05": base,
                "2025-03-26": base | {"annotations"},
                "2025-06-18": titled,
                "2025-11-25": titled | {"icons"},
                MODERN: titled | {"icons"},
            },
        )

    def test_titles_of_prompts_and_resources_come_with_their_revision(self) -> None:
        for version, titled in (("2025-03-26", False), ("2025-06-18", True)):
            prompt = Server().ask("prompts/list", version=version)["result"]["prompts"][0]
            resource = Server().ask("resources/list", version=version)["result"]["resources"][0]
            info = Server().ask("initialize", {"protocolVersion": version})["result"]["serverInfo"]
            for entry in (prompt, prompt["arguments"][0], resource, info):
                self.assertEqual("title" in entry, titled)
            self.assertNotIn("whenAbsent", prompt["arguments"][1])
            self.assertNotIn("source", resource)

    def test_handshake_results_carry_nothing_of_the_stateless_revision(self) -> None:
        for method in LISTS:
            for version in HANDSHAKE:
                result = Server().ask(method, version=version)["result"]
                self.assertEqual(len(result), 1, result)

    def test_structured_content_comes_with_its_revision(self) -> None:
        with Gateway() as gateway:
            gateway.respond = answer(200, b'{"state":"read"}')
            for version in ALL:
                server = Server(configure(gateway.url))
                result = server.call("news", {"asset": "x"}, version)
                self.assertEqual("structuredContent" in result, version >= "2025-06-18")

    def test_server_discover_without_an_envelope_is_unknown(self) -> None:
        plain: list[Any] = [None, {}, {"_meta": {}}, {"_meta": {"progressToken": 1}}]
        for params in plain:
            reply = Server().ask("server/discover", params)
            self.assertEqual(reply["error"]["code"], -32601)


class Stateless(unittest.TestCase):
    def test_discover_names_everything_that_is_served(self) -> None:
        result = Server().ask("server/discover", version=MODERN)["result"]
        self.assertEqual(
            result,
            {
                "resultType": "complete",
                "supportedVersions": ALL,
                "capabilities": CAPABILITIES,
                "instructions": "Read the guide.",
                "ttlMs": 300_000,
                "cacheScope": "public",
                "_meta": SERVER_INFO,
            },
        )

    def test_every_list_is_cacheable_for_all(self) -> None:
        for method in LISTS:
            result = Server().ask(method, version=MODERN)["result"]
            self.assertEqual(result["resultType"], "complete")
            self.assertEqual(result["cacheScope"], "public")
            self.assertIsInstance(result["ttlMs"], int)
            self.assertEqual(result["_meta"], SERVER_INFO)

    def test_every_other_result_is_complete_and_signed(self) -> None:
        server = Server()
        for method, params in (
            ("prompts/get", {"name": "brief"}),
            ("tools/call", {"name": "wagers"}),
        ):
            result = server.ask(method, params, MODERN)["result"]
            self.assertEqual(result["resultType"], "complete")
            self.assertEqual(result["_meta"], SERVER_INFO)
            self.assertNotIn("ttlMs", result)

    def test_an_incomplete_envelope_is_invalid(self) -> None:
        info = {"io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"}}
        odd: list[Any] = [
            {VERSION_KEY: MODERN},
            {CAPABILITIES_KEY: {}},
            {VERSION_KEY: 20260728, CAPABILITIES_KEY: {}},
            {VERSION_KEY: MODERN, CAPABILITIES_KEY: []},
            {VERSION_KEY: MODERN, CAPABILITIES_KEY: None},
            {**ENVELOPE, "io.modelcontextprotocol/clientInfo": "me"},
            {**ENVELOPE, "io.modelcontextprotocol/logLevel": "loud"},
            {**ENVELOPE, "io.modelcontextprotocol/logLevel": []},
            info,
            "envelope",
            None,
        ]
        for meta in odd:
            with self.subTest(meta=meta):
                reply = Server().ask("tools/list", {"_meta": meta})
                self.assertEqual(reply["error"]["code"], -32602)

    def test_client_info_and_log_level_are_optional(self) -> None:
        meta = {
            **ENVELOPE,
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
            "io.modelcontextprotocol/logLevel": "debug",
        }
        for params in ({"_meta": meta}, {"_meta": dict(ENVELOPE)}):
            self.assertIn("result", Server().ask("tools/list", params))

    def test_an_unsupported_revision_is_named_with_the_supported_ones(self) -> None:
        for version in ("2027-01-01", "", "2025-11-25"):
            params: Any = {"_meta": {VERSION_KEY: version, CAPABILITIES_KEY: {}}}
            for method in ("tools/list", "server/discover", "nothing"):
                error = Server().ask(method, params)["error"]
                self.assertEqual(error["code"], -32022)
                self.assertEqual(error["data"], {"supported": ALL, "requested": version})

    def test_removed_and_unoffered_methods_are_unknown(self) -> None:
        for method in (
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "subscriptions/listen",
            "nothing",
        ):
            self.assertEqual(Server().ask(method, version=MODERN)["error"]["code"], -32601)
            if method not in ("initialize", "ping"):
                self.assertEqual(Server().ask(method)["error"]["code"], -32601)

    def test_both_kinds_are_served_side_by_side(self) -> None:
        server = Server()
        lines = [
            request("tools/list", {"_meta": ENVELOPE}, 1),
            request("initialize", {"protocolVersion": "2025-03-26"}, 2),
            request("tools/list", {"_meta": ENVELOPE}, 3),
            request("tools/list", {}, 4),
            request("ping", {}, 5),
        ]
        modern, opened, again, legacy, pong = server.exchange(*lines)
        self.assertEqual(modern["result"], again["result"])
        self.assertEqual(opened["result"]["protocolVersion"], "2025-03-26")
        self.assertNotIn("title", legacy["result"]["tools"][0])
        self.assertEqual(pong["result"], {})

    def test_a_progress_token_makes_no_request_stateless(self) -> None:
        result = Server().ask("tools/list", {"_meta": {"progressToken": "a"}})["result"]
        self.assertNotIn("resultType", result)


class Surfaces(unittest.TestCase):
    def test_tools_are_shown_exactly_as_in_the_snapshot(self) -> None:
        shown = Server().ask("tools/list", version=MODERN)["result"]["tools"]
        wire = (
            "name",
            "title",
            "description",
            "inputSchema",
            "outputSchema",
            "annotations",
            "icons",
            "_meta",
        )
        expected = [
            {key: tool[key] for key in tool if key in wire}
            for tool in SNAPSHOT["tools"]
            if tool["name"] != "find"
        ]
        self.assertEqual(shown, expected)
        self.assertEqual([list(tool) for tool in shown], [list(tool) for tool in expected])

    def test_a_revision_that_is_not_claimed_is_not_spoken(self) -> None:
        snapshot: Any = copy.deepcopy(SNAPSHOT)
        snapshot["server"]["protocolVersions"] = [MODERN, "2031-01-01"]
        server = Server(snapshot=snapshot)
        error = server.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]
        self.assertEqual(error["code"], -32022)
        self.assertEqual(error["data"]["supported"], [MODERN])
        self.assertEqual(server.ask("tools/list")["error"]["code"], -32602)
        snapshot["server"]["protocolVersions"] = ["2025-06-18"]
        server = Server(snapshot=snapshot)
        self.assertEqual(server.ask("tools/list", version=MODERN)["error"]["code"], -32022)
        opened = server.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]
        self.assertEqual(opened["protocolVersion"], "2025-06-18")

    def test_only_the_first_page_exists(self) -> None:
        for method in LISTS:
            first: list[Any] = ["", None]
            for cursor in first:
                self.assertIn("result", Server().ask(method, {"cursor": cursor}))
            odd: list[Any] = ["1", "x", 0, False, []]
            for cursor in odd:
                error = Server().ask(method, {"cursor": cursor})["error"]
                self.assertEqual(error["code"], -32602)
            self.assertNotIn("nextCursor", Server().ask(method)["result"])

    def test_templates_are_listed_when_there_are_some(self) -> None:
        result = Server().ask("resources/templates/list")["result"]
        self.assertEqual(result, {"resourceTemplates": []})
        entry = {"uriTemplate": "x://{id}", "name": "x", "title": "X", "description": "Any x."}
        server = Server(snapshot={**SNAPSHOT, "resourceTemplates": [entry]})
        result = server.ask("resources/templates/list", version="2025-03-26")["result"]
        del entry["title"]
        self.assertEqual(result, {"resourceTemplates": [entry]})


class Failures(unittest.TestCase):
    def test_a_broken_snapshot_breaks_the_call_and_not_the_server(self) -> None:
        snapshot: Any = copy.deepcopy(SNAPSHOT)
        for tool in snapshot["tools"]:
            tool["inputSchema"] = {"type": "object", "$ref": "https://elsewhere.test/schema"}
        server = Server(snapshot=snapshot)
        reply = server.ask("tools/call", {"name": "news"})
        self.assertEqual(reply["error"], {"code": -32603, "message": "Internal error"})
        self.assertEqual(server.ask("ping")["result"], {})
        (note,) = server.notes
        self.assertRegex(note, r"^internal error: SchemaError at schema\.py:[0-9]+$")


if __name__ == "__main__":
    unittest.main()
