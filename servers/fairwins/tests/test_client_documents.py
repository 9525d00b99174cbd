"""Clients' files: where they are, and texts that get a member more and keep the rest."""

from __future__ import annotations

import json
import random
import unittest
from typing import Any

from fairwins_mcp.clients.documents import DocumentError, add_item, add_member, read_document
from fairwins_mcp.clients.entries import Snippets, find_command
from fairwins_mcp.clients.locations import TITLES, Locations
from fairwins_mcp.clients.merging import EntryError, merge

ENTRY = {"command": "x"}


def locate(platform: str, client: str, home: str = "/home/me", **environment: str) -> str:
    return Locations(platform, environment, home, "/srv/shop").find_file(client)


class Places(unittest.TestCase):
    def test_each_system_has_its_own(self) -> None:
        mac, windows = "/Users/me", r"C:\Users\me"
        roaming = windows + r"\AppData\Roaming"
        desktop = "claude-desktop"
        for found, expected in (
            (
                locate("darwin", desktop, mac),
                "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
            ),
            (locate("linux", desktop), "/home/me/.config/Claude/claude_desktop_config.json"),
            (
                locate("win32", desktop, windows),
                roaming + r"\Claude\claude_desktop_config.json",
            ),
            (
                locate("win32", desktop, windows, APPDATA=r"D:\Roaming"),
                r"D:\Roaming\Claude\claude_desktop_config.json",
            ),
            (locate("darwin", "cursor", mac), "/Users/me/.cursor/mcp.json"),
            (locate("win32", "cursor", windows), windows + r"\.cursor\mcp.json"),
            (
                locate("darwin", "vscode", mac),
                "/Users/me/Library/Application Support/Code/User/mcp.json",
            ),
            (locate("linux", "vscode"), "/home/me/.config/Code/User/mcp.json"),
            (locate("win32", "vscode", windows), roaming + r"\Code\User\mcp.json"),
            (locate("linux", "claude-code"), "/srv/shop/.mcp.json"),
        ):
            self.assertEqual(found, expected)

    def test_linux_keeps_settings_where_the_user_says(self) -> None:
        found = locate("linux", "vscode", XDG_CONFIG_HOME="/etc/me")
        self.assertEqual(found, "/etc/me/Code/User/mcp.json")
        found = locate("linux", "vscode", XDG_CONFIG_HOME="relative")
        self.assertEqual(found, "/home/me/.config/Code/User/mcp.json")
        found = locate("darwin", "vscode", XDG_CONFIG_HOME="/etc/me")
        self.assertNotIn("/etc/me", found)

    def test_a_token_lies_among_the_users_settings(self) -> None:
        places = Locations("linux", {}, "/home/me", "/srv/shop")
        self.assertEqual(places.token_file, "/home/me/.config/fairwins-mcp/token")


class Commands(unittest.TestCase):
    def test_a_command_is_named_by_its_path_and_in_a_shared_file_by_its_name(self) -> None:
        self.assertEqual(find_command("/a/fairwins-mcp", "/py", False), ["/a/fairwins-mcp"])
        self.assertEqual(find_command("/a/fairwins-mcp", "/py", True), ["fairwins-mcp"])
        self.assertEqual(find_command("/a/fairwins-mcp.exe", "/py", True), ["fairwins-mcp"])

    def test_what_lies_in_a_cache_is_started_by_what_put_it_there(self) -> None:
        program = "/home/me/.cache/uv/archive-v0/x/bin/fairwins-mcp"
        self.assertEqual(
            find_command(program, "/py", False, "/bin/uvx"), ["/bin/uvx", "fairwins-mcp"]
        )
        self.assertEqual(find_command(program, "/py", True, "/bin/uvx"), ["fairwins-mcp"])
        self.assertEqual(find_command(program, "/py", False), [program])

    def test_an_archive_is_started_by_the_interpreter(self) -> None:
        self.assertEqual(find_command(__file__, "/py", True), ["/py", __file__])

    def test_a_module_is_started_as_one(self) -> None:
        for program in ("/a/fairwins_mcp/__main__.py", "-c", "/gone.pyz"):
            self.assertEqual(find_command(program, "/py", True), ["/py", "-m", "fairwins_mcp"])


class Texts(unittest.TestCase):
    def test_a_member_is_added_and_every_other_byte_stays(self) -> None:
        for text, expected in (
            ("", '{\n  "servers": {\n    "x": {\n      "command": "x"\n    }\n  }\n}\n'),
            ("{}", '{\n  "servers": {\n    "x": {\n      "command": "x"\n    }\n  }\n}'),
            ('{"a": 1}', '{"a": 1, "servers": {"x": {"command": "x"}}}'),
            ('{"servers":{"y":{}}}', '{"servers":{"y":{}, "x": {"command": "x"}}}'),
            (
                '{\r\n\t"a": 1e5,\r\n\t"servers": { }\r\n}\r\n',
                (
                    '{\r\n\t"a": 1e5,\r\n\t"servers": {\r\n\t\t"x": {\r\n\t\t\t"command": "x"\r\n'
                    "\t\t}\r\n\t}\r\n}\r\n"
                ),
            ),
            (
                '{\n    "servers": {\n        "\\u00e9": [1,  2]\n    },\n    "b": 0\n}',
                (
                    '{\n    "servers": {\n        "\\u00e9": [1,  2],\n        "x": {\n'
                    '            "command": "x"\n        }\n    },\n    "b": 0\n}'
                ),
            ),
        ):
            self.assertEqual(add_member(text, ("servers",), "x", ENTRY), expected)

    def test_an_item_is_added_at_the_end_of_a_list(self) -> None:
        self.assertEqual(add_item('{"i": []}', "i", 1), '{"i": [\n    1\n  ]}')
        self.assertEqual(add_item('{"i": [0]}', "i", 1), '{"i": [0, 1]}')
        self.assertEqual(add_item('{"a": 0}', "i", 1), '{"a": 0, "i": [1]}')
        self.assertEqual(json.loads(add_item("", "i", 1)), {"i": [1]})

    def test_any_document_is_added_to_as_its_data_is(self) -> None:
        chance = random.Random(7)
        for _ in range(300):
            document = {"a": make(chance, 3), "servers": {"y": make(chance, 2)}, "z": 0}
            text = json.dumps(
                document,
                indent=chance.choice((None, 1, 2, "\t")),
                ensure_ascii=chance.random() < 0.5,
            )
            document["servers"]["x"] = ENTRY
            made = add_member(text, ("servers",), "x", ENTRY)
            self.assertEqual(json.loads(made), document)

    def test_what_is_no_plain_json_is_refused_with_its_place(self) -> None:
        for text, reason, place in (
            ('{\n  // mine\n  "a": 1}', "has a comment", (2, 3)),
            ('{"a": 1} /* mine */', "has a comment", (1, 10)),
            ('{"a": 1,}', "is no JSON", (1, 8)),
            ("{'a': 1}", "is no JSON", (1, 2)),
            ('{"a": 1, "a": 2}', "gives a key twice", (0, 0)),
            ("[]", "is no object", (0, 0)),
            ("[" * 100_000, "nested too deeply", (0, 0)),
            ('{"a": NaN}', "is no JSON: it holds NaN", (0, 0)),
            (f'{{"a": {"1" * 5000}}}', "a number that cannot be read", (0, 0)),
        ):
            with self.assertRaises(DocumentError) as raised:
                read_document(text)
            self.assertIn(reason, raised.exception.reason)
            found = (raised.exception.line, raised.exception.column)
            self.assertEqual(found[0], place[0])
            self.assertLessEqual(abs(found[1] - place[1]), 1)


def make(chance: random.Random, depth: int) -> Any:
    """Return a random JSON value."""
    kind = chance.randrange(6 if depth else 4)
    if kind < 4:
        return (1, None, 'é"\\{[,', 1.5)[kind]
    count = chance.randrange(3)
    if kind == 4:
        return [make(chance, depth - 1) for _ in range(count)]
    return {f'k{number}"}}': make(chance, depth - 1) for number in range(count)}


class Merging(unittest.TestCase):
    def setUp(self) -> None:
        self.snippets = {
            name: Snippets().make(name, ["/bin/fairwins-mcp"], {}, "/token") for name in TITLES
        }

    def test_what_is_there_already_changes_nothing(self) -> None:
        for snippet in self.snippets.values():
            once = merge(snippet, '{"other": {"mcpServers": {}}}')
            self.assertEqual(merge(snippet, once), once)
            self.assertEqual(json.loads(once)["other"], {"mcpServers": {}})

    def test_another_entry_is_told_of_without_its_values(self) -> None:
        snippet = self.snippets["cursor"]
        env = {"FAIRWINS_API_TOKEN": "fw1.secret", "OTHER": "secret"}
        entry = {"command": "/old", "args": ["--secret"], "env": env}
        with self.assertRaises(EntryError) as raised:
            merge(snippet, json.dumps({"mcpServers": {"fairwins": entry}}))
        self.assertTrue(raised.exception.holds_secret)
        text = "\n".join(raised.exception.differences)
        self.assertNotIn("secret", text)
        self.assertIn('command: is "/old"; it would be "/bin/fairwins-mcp"', text)
        self.assertIn("args: only there", text)
        self.assertIn("env.OTHER: only there", text)
        self.assertIn("env.FAIRWINS_API_URL: not there", text)

    def test_an_input_of_vs_code_is_asked_for_once(self) -> None:
        snippet = self.snippets["vscode"]
        mine = {"type": "promptString", "id": "fairwins-api-token", "description": "Mine"}
        made = json.loads(merge(snippet, json.dumps({"inputs": [mine, 1]})))
        self.assertEqual(made["inputs"], [mine, 1])
        made = json.loads(merge(snippet, json.dumps({"inputs": [{"id": "other"}]})))
        self.assertEqual([each["id"] for each in made["inputs"]], ["other", "fairwins-api-token"])

    def test_what_has_another_form_is_left_alone(self) -> None:
        for text in ('{"servers": []}', '{"inputs": {}}', '{"servers": {"fairwins": 1}}'):
            with self.assertRaises((DocumentError, EntryError)):
                merge(self.snippets["vscode"], text)

    def test_settings_are_taken_over_and_secrets_never(self) -> None:
        given = {"FAIRWINS_API_URL": "http://127.0.0.1:1", "FAIRWINS_API_TOKEN": "fw1.secret"}
        for name in TITLES:
            snippet = Snippets().make(name, ["x"], given, "/token")
            self.assertEqual(snippet.entry["env"]["FAIRWINS_API_URL"], "http://127.0.0.1:1")
            self.assertNotIn("secret", json.dumps(snippet.content))


if __name__ == "__main__":
    unittest.main()
