"""Resources: shipped texts and live documents, and what happens when there are none."""

from __future__ import annotations

import unittest
from typing import Any

from support import MODERN, TOKEN, UNKNOWN, Gateway, Server, answer, configure

from fairwins_mcp.surface import read_packaged


def read(server: Server, uri: object, version: str = MODERN) -> Any:
    return server.ask("resources/read", {"uri": uri}, version)


class Resources(unittest.TestCase):
    def test_the_guide_is_readable_without_any_configuration(self) -> None:
        result = read(Server(), "fairwins://guide")["result"]
        (content,) = result["contents"]
        self.assertEqual(content["uri"], "fairwins://guide")
        self.assertEqual(content["mimeType"], "text/markdown")
        self.assertEqual(content["text"], read_packaged("guide.md").decode())
        self.assertEqual((result["ttlMs"], result["cacheScope"]), (300_000, "public"))

    def test_a_live_document_is_passed_as_it_came(self) -> None:
        body = b'{ "n": 1.00,\n "big": 123456789012345678901234567890 }\n'
        with Gateway() as gateway:
            gateway.respond = answer(200, body)
            server = Server(configure(gateway.url, TOKEN))
            result = read(server, "small://status")["result"]
            self.assertEqual(result["contents"][0]["text"], body.decode())
            self.assertEqual((result["ttlMs"], result["cacheScope"]), (0, "public"))
            self.assertNotIn("Authorization", gateway.requests[0][2])

    def test_a_document_of_the_caller_is_private(self) -> None:
        with Gateway() as gateway:
            server = Server(configure(gateway.url, TOKEN))
            result = read(server, "small://mine")["result"]
            self.assertEqual(result["cacheScope"], "private")
            self.assertEqual(gateway.requests[0][2]["Authorization"], f"Bearer {TOKEN}")

    def test_a_handshake_result_has_contents_only(self) -> None:
        self.assertEqual(list(read(Server(), "fairwins://guide", "")["result"]), ["contents"])

    def test_a_failed_read_is_an_error_with_its_code(self) -> None:
        with Gateway() as gateway:
            gateway.respond = answer(503, b'{"error":{"code":"killed","reason":"Off."}}')
            error = read(Server(configure(gateway.url)), "small://status")["error"]
            self.assertEqual(error["code"], -32603)
            self.assertEqual(error["data"], {"uri": "small://status", "code": "killed"})
            self.assertIn("(GET /status) did not succeed: killed — Off.", error["message"])
            self.assertTrue(error["message"].endswith(UNKNOWN))
            gateway.respond = answer(402, b'{"accepts":[]}')
            error = read(Server(configure(gateway.url)), "small://status")["error"]
            self.assertEqual(error["data"]["code"], "http_402")

    def test_a_failed_read_without_configuration_says_what_is_missing(self) -> None:
        error = read(Server(), "small://status")["error"]
        self.assertEqual(error["data"]["code"], "api_unconfigured")

    def test_a_missing_resource_has_the_code_of_its_revision(self) -> None:
        for version, code in ((MODERN, -32602), ("2025-11-25", -32002), ("", -32002)):
            for uri in ("small://nothing", "", "\ud800"):
                error = read(Server(), uri, version)["error"]
                self.assertEqual(error["code"], code)
                self.assertEqual(error["data"], {"uri": uri})
                self.assertIn("small://status", error["message"])

    def test_a_uri_that_is_no_string_is_invalid(self) -> None:
        for uri in (None, 5, ["small://status"]):
            self.assertEqual(read(Server(), uri, "")["error"]["code"], -32602)


if __name__ == "__main__":
    unittest.main()
