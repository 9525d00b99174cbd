"""Revisions over HTTP: what header fields and body have to say, and in which order."""

from __future__ import annotations

import base64
import copy
import json
import unittest
from typing import Any

from support import ENVELOPE, MODERN, SNAPSHOT, Gateway, answer, configure
from wire import Answer, HttpServer, call, message, modern

from fairwins_mcp.revisions import HANDSHAKE

GUIDE = {"uri": "fairwins://guide"}


def encode(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


class Served(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(HttpServer())

    def assert_error(self, reply: Answer, status: int, code: int, request_id: object = 1) -> None:
        self.assertEqual((reply.status, reply.code), (status, code), reply.body)
        self.assertEqual(reply.document["id"], request_id)
        self.assertEqual(reply.header("content-type"), "application/json")


class Stateless(Served):
    def test_every_method_is_served(self) -> None:
        for method, params in (
            ("server/discover", {}),
            ("tools/list", {}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("prompts/list", {}),
            ("resources/read", GUIDE),
            ("prompts/get", {"name": "brief"}),
            ("tools/call", {"name": "news", "arguments": {"asset": "x"}}),
        ):
            reply = self.server.ask(method, params)
            self.assertEqual(reply.status, 200, method)
            self.assertEqual(reply.document["result"]["resultType"], "complete")
            self.assertIsNone(reply.header("mcp-session-id"))
            self.assertEqual(reply.header("cache-control"), "no-store")
            self.assertEqual(reply.header("x-content-type-options"), "nosniff")
            self.assertIsNotNone(reply.header("date"))

    def test_unknown_and_removed_methods_are_404(self) -> None:
        for method in (
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
            "nothing",
            "TOOLS/LIST",
        ):
            self.assert_error(self.server.ask(method), 404, -32601)

    def test_invalid_params_are_400(self) -> None:
        for method, params in (
            ("tools/call", {"name": "nothing"}),
            ("tools/call", {"name": "find"}),
            ("prompts/get", {"name": "review"}),
            ("resources/read", {"uri": "x://y"}),
            ("tools/list", {"cursor": "2"}),
        ):
            self.assert_error(self.server.ask(method, params), 400, -32602)

    def test_a_failed_call_is_a_result_and_a_failed_read_an_error_both_with_200(self) -> None:
        reply = self.server.ask("tools/call", {"name": "news", "arguments": {"asset": "x"}})
        self.assertEqual((reply.status, reply.document["result"]["isError"]), (200, True))
        reply = self.server.ask("resources/read", {"uri": "small://status"})
        self.assert_error(reply, 200, -32603)

    def test_an_incomplete_envelope_is_told_before_anything_else(self) -> None:
        metas: list[Any] = [
            {},
            None,
            {"progressToken": 1},
            {"io.modelcontextprotocol/protocolVersion": MODERN},
            {"io.modelcontextprotocol/clientCapabilities": {}},
            {**ENVELOPE, "io.modelcontextprotocol/clientInfo": []},
        ]
        for meta in metas:
            params = {} if meta is None else {"_meta": meta}
            for headers in ({}, {"Mcp-Method": "wrong"}):
                fields = {"MCP-Protocol-Version": MODERN, **headers}
                reply = self.server.post(message("tools/list", params), fields)
                self.assert_error(reply, 400, -32602)

    def test_the_version_field_equals_the_envelope(self) -> None:
        for field in ("2025-11-25", "2025-03-26", "2027-01-01", "x", ""):
            headers = {"MCP-Protocol-Version": field}
            self.assert_error(self.server.ask("tools/list", headers=headers), 400, -32020)

    def test_a_version_that_is_not_served_is_told_with_those_that_are(self) -> None:
        envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}
        fields = {"MCP-Protocol-Version": "2027-01-01"}
        body = message("tools/list", {"_meta": envelope})
        reply = self.server.post(body, {**fields, "Mcp-Method": "tools/list"})
        self.assert_error(reply, 400, -32022)
        data = reply.document["error"]["data"]
        self.assertEqual(data, {"supported": [*HANDSHAKE, MODERN], "requested": "2027-01-01"})
        # The method is compared first.
        self.assert_error(self.server.post(body, fields), 400, -32020)
        bare = self.server.post(message("tools/list"), fields)
        self.assert_error(bare, 400, -32022)

    def test_a_handshake_version_in_an_envelope_is_not_served(self) -> None:
        envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2025-11-25"}
        fields = {"MCP-Protocol-Version": "2025-11-25", "Mcp-Method": "tools/list"}
        reply = self.server.post(message("tools/list", {"_meta": envelope}), fields)
        self.assert_error(reply, 400, -32022)

    def test_the_method_field_is_the_method_to_the_letter(self) -> None:
        for value in ("", "tools/call", "Tools/list", "TOOLS/LIST", "tools/list, tools/list"):
            reply = self.server.ask("tools/list", headers={"Mcp-Method": value})
            self.assert_error(reply, 400, -32020)
        reply = self.server.ask("tools/list", headers={"Mcp-Method": " \ttools/list\t "})
        self.assertEqual(reply.status, 200)
        reply = self.server.ask(
            "tools/list", headers={"Mcp-Method": "", "mCP-mETHOD": "tools/list"}
        )
        self.assertEqual(reply.status, 200)

    def test_the_name_field_is_what_the_method_names(self) -> None:
        for method, params in (
            ("tools/call", {"name": "news", "arguments": {"asset": "x"}}),
            ("prompts/get", {"name": "brief"}),
            ("resources/read", GUIDE),
        ):
            for value in ("", "other", "News", "NEWS"):
                reply = self.server.ask(method, params, {"Mcp-Name": value})
                self.assert_error(reply, 400, -32020)

    def test_methods_that_name_nothing_need_no_name_field(self) -> None:
        for headers in ({}, {"Mcp-Name": "anything"}):
            self.assertEqual(self.server.ask("tools/list", headers=headers).status, 200)

    def test_a_name_that_is_none_is_refused_by_its_method(self) -> None:
        params: list[Any] = [{}, {"name": None}, {"name": 5}, {"name": ["news"]}]
        for given in params:
            body = message("tools/call", {**given, "_meta": ENVELOPE})
            fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call"}
            self.assert_error(self.server.post(body, fields), 400, -32020)
            self.assert_error(self.server.post(body, {**fields, "Mcp-Name": "x"}), 400, -32602)

    def test_a_name_may_be_encoded(self) -> None:
        headers = {"Mcp-Name": encode("brief")}
        self.assertEqual(self.server.ask("prompts/get", {"name": "brief"}, headers).status, 200)
        for name in ("é 🌍", "a\nb", " x ", "=?base64?eA==?=", ""):
            reply = self.server.ask("tools/call", {"name": name}, {"Mcp-Name": encode(name)})
            self.assert_error(reply, 400, -32602)

    def test_a_broken_encoding_is_a_mismatch(self) -> None:
        for value in (
            "=?base64?bmV3cw?=",
            "=?base64?bmV3cw===?=",
            "=?base64?bm V3cw==?=",
            "=?base64?_-8=?=",
            "=?base64?/w==?=",
            "=?BASE64?bmV3cw==?=",
            "=?base64?bmV3cw==",
            "=?utf-8?bmV3cw==?=",
            "=?base64??=",
            "=?base64?=",
            "news\xe9",
        ):
            params = {"name": "news", "arguments": {"asset": "x"}}
            reply = self.server.ask("tools/call", params, {"Mcp-Name": value})
            self.assert_error(reply, 400, -32020)

    def test_characters_beyond_ascii_need_the_encoding(self) -> None:
        reply = self.server.ask("tools/call", {"name": "é"}, {"Mcp-Name": "é"})
        self.assert_error(reply, 400, -32020)

    def test_routing_fields_come_once(self) -> None:
        for name, value in (
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "prompts/get"),
            ("Mcp-Name", "brief"),
        ):
            data = modern("prompts/get", {"name": "brief"})
            twice = data.replace(b"\r\n", f"\r\n{name}: {value}\r\n".encode(), 1)
            self.assert_error(self.server.send(twice), 400, -32020)

    def test_notifications_are_accepted_and_responses_are_not(self) -> None:
        fields = {"MCP-Protocol-Version": MODERN}
        for method in ("notifications/initialized", "notifications/cancelled", "nothing"):
            note = {"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}}
            reply = self.server.post(note, fields)
            self.assertEqual((reply.status, reply.body), (202, b""))
            self.assertEqual(reply.header("content-length"), "0")
            self.assertIsNone(reply.header("content-type"))
        reply = self.server.post({"jsonrpc": "2.0", "id": 1, "result": {}}, fields)
        self.assert_error(reply, 400, -32600, None)
        reply = self.server.post(note, {"MCP-Protocol-Version": "1999-01-01"})
        self.assert_error(reply, 400, -32022, None)

    def test_arrays_are_refused(self) -> None:
        params = {"_meta": ENVELOPE}
        fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
        reply = self.server.post([message("tools/list", params)], fields)
        self.assert_error(reply, 400, -32600)
        self.assert_error(self.server.post([], fields), 400, -32600, None)

    def test_session_fields_mean_nothing(self) -> None:
        headers = {"Mcp-Session-Id": "x", "Last-Event-ID": "5"}
        reply = self.server.ask("tools/list", headers=headers)
        self.assertEqual(reply.status, 200)
        self.assertIsNone(reply.header("mcp-session-id"))


class Handshake(Served):
    def test_initialize_negotiates_and_leaves_no_session(self) -> None:
        for version in HANDSHAKE:
            reply = self.server.post(message("initialize", {"protocolVersion": version}))
            self.assertEqual(reply.document["result"]["protocolVersion"], version)
            self.assertIsNone(reply.header("mcp-session-id"))

    def test_a_version_field_decides_what_a_client_sees(self) -> None:
        seen = {}
        for version in HANDSHAKE:
            fields = {"MCP-Protocol-Version": version}
            tools = self.server.post(message("tools/list"), fields).document["result"]["tools"]
            seen[version] = {key for tool in tools for key in tool} & {"annotations", "title"}
        self.assertEqual(
            seen,
            {
                "2024-11-05": set(),
                "2025-03-26": {"annotations"},
                "2025-06-18": {"annotations", "title"},
                "2025-11-25": {"annotations", "title"},
            },
        )

    def test_no_version_field_means_the_revision_before_there_was_one(self) -> None:
        named = self.server.post(message("tools/list"), {"MCP-Protocol-Version": "2025-03-26"})
        self.assertEqual(self.server.post(message("tools/list")).body, named.body)

    def test_a_version_that_is_not_served_is_400(self) -> None:
        for version in ("2024-01-01", "x", "2025-11-25, 2025-11-25"):
            reply = self.server.post(message("tools/list"), {"MCP-Protocol-Version": version})
            self.assert_error(reply, 400, -32022)

    def test_an_envelope_without_the_version_field_is_a_mismatch(self) -> None:
        for params in ({"_meta": ENVELOPE}, {"_meta": dict([next(iter(ENVELOPE.items()))])}):
            self.assert_error(self.server.post(message("tools/list", params)), 400, -32020)

    def test_errors_are_responses_with_200(self) -> None:
        for method, params, code in (
            ("nothing", {}, -32601),
            ("server/discover", {}, -32601),
            ("tools/call", {"name": "nothing"}, -32602),
            ("resources/read", {"uri": "x://y"}, -32002),
            ("initialize", {}, -32602),
        ):
            self.assert_error(self.server.post(message(method, params)), 200, code)

    def test_ping_and_notifications_are_answered_as_they_should(self) -> None:
        self.assertEqual(self.server.post(message("ping")).document["result"], {})
        for body in (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
            {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        ):
            reply = self.server.post(body, {"MCP-Protocol-Version": "2025-11-25"})
            self.assertEqual((reply.status, reply.body), (202, b""))

    def test_routing_fields_are_not_compared(self) -> None:
        headers = {"MCP-Protocol-Version": "2025-11-25", "Mcp-Method": "x", "Mcp-Name": "y"}
        self.assertEqual(self.server.post(message("ping"), headers).status, 200)


class Batches(Served):
    def test_the_one_revision_with_batches_gets_an_array(self) -> None:
        items = [
            message("ping", None, "a"),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            message("nothing", None, 2),
            5,
            message("initialize", {"protocolVersion": "2025-03-26"}, 3),
            message("tools/list", {"_meta": ENVELOPE}, 4),
            message("tools/call", {"name": "news", "arguments": {"asset": "x"}}, 5),
        ]
        reply = self.server.post(items, {"MCP-Protocol-Version": "2025-03-26"})
        self.assertEqual(reply.status, 200)
        codes = [(item["id"], item.get("error", {}).get("code")) for item in reply.document]
        self.assertEqual(codes, [("a", None), (2, -32601), (3, -32600), (4, -32020), (5, None)])

    def test_no_version_field_means_that_revision(self) -> None:
        reply = self.server.post([message("ping", None, 1)])
        self.assertEqual(reply.document, [{"jsonrpc": "2.0", "id": 1, "result": {}}])

    def test_a_batch_without_requests_is_accepted(self) -> None:
        reply = self.server.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
        self.assertEqual((reply.status, reply.body), (202, b""))

    def test_other_revisions_and_odd_sizes_are_refused(self) -> None:
        for version in ("2024-11-05", "2025-06-18", "2025-11-25"):
            fields = {"MCP-Protocol-Version": version}
            self.assert_error(self.server.post([message("ping")], fields), 400, -32600)
        self.assert_error(self.server.post([]), 400, -32600, None)
        self.assertEqual(len(self.server.post([message("ping")] * 50).document), 50)
        self.assert_error(self.server.post([message("ping")] * 51), 400, -32600, None)

    def test_calls_of_a_batch_all_reach_the_gateway(self) -> None:
        news = {"name": "news", "arguments": {"asset": "x"}}
        with Gateway() as gateway:
            gateway.respond = answer(200, b'{"state":"read"}')
            with HttpServer(configure(gateway.url)) as server:
                reply = server.post([message("tools/call", news, n) for n in range(3)])
        self.assertEqual([item["result"]["isError"] for item in reply.document], [False] * 3)
        self.assertEqual(len(gateway.requests), 3)


class Messages(Served):
    def test_what_is_no_json_is_a_parse_error(self) -> None:
        for body in (b"", b"{", b"\xff{}", b'{"a":NaN}', b"\xef\xbb\xbf{}", b'"\\x"', b"[" * 9999):
            self.assert_error(self.server.post(body), 400, -32700, None)

    def test_a_broken_message_is_answered_under_its_id_where_it_has_one(self) -> None:
        self.assert_error(self.server.post(b'{"id":"x"'), 400, -32700, None)
        self.assert_error(self.server.post(b'{"id":"x","params":{},"a":tru}'), 400, -32700, "x")

    def test_what_is_no_message_is_an_invalid_request(self) -> None:
        odd: list[tuple[Any, object]] = [
            (5, None),
            ("x", None),
            (None, None),
            ({}, None),
            ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
            ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
            ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
            ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1),
        ]
        for body, request_id in odd:
            self.assert_error(self.server.post(json.dumps(body).encode()), 400, -32600, request_id)
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}
        self.assert_error(self.server.post(body), 400, -32602)


class Surfaces(unittest.TestCase):
    def test_a_server_without_handshakes_needs_the_version_field(self) -> None:
        snapshot = copy.deepcopy(SNAPSHOT)
        snapshot["server"]["protocolVersions"] = [MODERN]
        with HttpServer(snapshot=snapshot) as server:
            self.assertEqual(server.post(message("initialize")).code, -32020)
            self.assertEqual(server.ask("tools/list").status, 200)

    def test_arguments_that_a_schema_wants_in_header_fields_are_compared(self) -> None:
        snapshot = copy.deepcopy(SNAPSHOT)
        schema = snapshot["tools"][2]["inputSchema"]
        schema["properties"]["asset"]["x-mcp-header"] = "Asset"
        schema["properties"]["chainId"]["x-mcp-header"] = "Chain"
        schema["properties"]["fresh"]["x-mcp-header"] = "Fresh"
        schema["properties"]["q"] = {
            "type": "object",
            "properties": {"deep": {"type": "string", "x-mcp-header": "Deep"}},
        }
        with HttpServer(snapshot=snapshot) as server:
            for arguments, headers, fits in (
                ({"asset": "a"}, {"Asset": "a"}, True),
                ({"asset": "é"}, {"Asset": encode("é")}, True),
                ({"asset": "a", "chainId": 42}, {"Asset": "a", "Chain": "42.0"}, True),
                ({"asset": "a", "chainId": 42.0}, {"Asset": "a", "Chain": "42"}, True),
                ({"asset": "a", "fresh": True}, {"Asset": "a", "Fresh": "true"}, True),
                ({"asset": "a", "chainId": None}, {"Asset": "a"}, True),
                ({"asset": "a", "q": {"deep": "x"}}, {"Asset": "a", "Deep": "x"}, True),
                ({"asset": "a"}, {"Asset": "a", "Other": "x"}, True),
                ({"asset": "a"}, {}, False),
                ({"asset": "a"}, {"Asset": "b"}, False),
                ({"asset": "a"}, {"Asset": "A"}, False),
                ({"asset": "a"}, {"Asset": "a, a"}, False),
                ({"asset": "a"}, {"Asset": "=?base64?YQ?="}, False),
                ({"asset": "a"}, {"Asset": "a", "Chain": "137"}, False),
                ({"asset": "a", "chainId": 42}, {"Asset": "a", "Chain": "42.5"}, False),
                ({"asset": "a", "chainId": 42}, {"Asset": "a", "Chain": "x"}, False),
                ({"asset": "a", "fresh": True}, {"Asset": "a", "Fresh": "True"}, False),
                ({"asset": "a", "q": {"deep": "x"}}, {"Asset": "a"}, False),
            ):
                fields = {f"Mcp-Param-{name}": value for name, value in headers.items()}
                reply = server.send(call("news", arguments, fields))
                with self.subTest(arguments=arguments, headers=headers):
                    self.assertEqual(reply.status, 200 if fits else 400)
                    if not fits:
                        self.assertEqual(reply.code, -32020)
            params = message("tools/call", {"name": "news", "arguments": {"asset": "a"}})
            self.assertEqual(server.post(params).status, 200)


if __name__ == "__main__":
    unittest.main()
